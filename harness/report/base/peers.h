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

// The columns of both, those of `a` first.
Columns joined(const Columns& a, const Columns& b);

// Adds two folded tables, the ratio to each peer and the times of all; none where no peer can do a
// row. `names` are the columns that name a row.
void add_each_peer(Json& tables, const Context& context, const std::vector<RowView>& rows,
                   const Columns& names);

// Adds the standing of the `after` rows and, where the suite names peers, the tables of each peer.
void add_peer_tables(Json& tables, const Context& context, const std::vector<RowView>& rows,
                     const Columns& names);

}  // namespace nsop::report
