// How rows stand to the machine's limit and to other libraries.
#pragma once

#include "harness/report/base/table.h"

namespace nsop::report {

// Cells of one measurement; `n/a` where the limits or the work of the case are not known.
Json rate_of(const Context& context, const stats::RowSummary* row);
Json limit_share_of(const Context& context, const stats::RowSummary* row);

// The rows without those that show a further variant of a case again.
std::vector<RowView> distinct_cases(const std::vector<RowView>& rows);

// The columns after / best peer: time, rate, bound, share of the limit and, where the suite names
// peers, the fastest one with its time and the ratio to it.
Columns standing_columns(const Context& context);

// Tables of a section beside its first: the standing of the `after` rows and, where the suite names
// peers, the ratio to each and the times of all. `names` are the columns that name a row.
std::vector<Json> peer_tables(const Context& context, const std::vector<RowView>& rows,
                              const Columns& names);

// All tables of a section of the template `peers`, the standing first.
Json peers_section_json(const Context& context, const Section& section);

// The template `limits`: sections with a row per measured variant and target.
std::vector<Section> limits_sections(const Context& context);
Json limits_section_json(const Context& context, const Section& section);

// Geometric means of the ratios to before and to the peers by thread count, each over the rows that
// both sides have; as one more section, null when there is nothing to compare with.
Json means_section(const Context& context);

}  // namespace nsop::report
