// How rows stand to the machine's limit and to other libraries.
#pragma once

#include "harness/report/base/table.h"

namespace nsop::report {

// Cells of one measurement; `n/a` where the limits or the work of the case are not known, `limit in
// doubt` where a row beats the memory limit that the share would be of.
Json rate_of(const Context& context, const stats::RowSummary* row);
Json limit_share_of(const Context& context, const stats::RowSummary* row);

// The rows without those that show a further variant of a case again.
std::vector<RowView> distinct_cases(const std::vector<RowView>& rows);

// The columns of the open table against other libraries: the fastest one, its time and the ratio to
// it, `not judged` where a missing peer might have been better; nothing in a suite without peers.
Columns best_peer_columns(const Context& context);

// What bounds the row and how near it comes, in one cell: `54.3 % of L2`.
Json standing_cell(const Context& context, const RowView& view);

// The columns of both, those of `a` first.
Columns joined(const Columns& a, const Columns& b);

// Adds two folded tables, the ratio to each peer and the times of all; none where no peer can do a
// row. `names` are the columns that name a row.
void add_each_peer(Json& tables, const Context& context, const std::vector<RowView>& rows,
                   const Columns& names);

// Adds the open table of the `after` rows against the best peer and the machine; nothing where the
// suite has no peers and the machine's limits are not known.
void add_standing(Json& tables, const Context& context, const std::vector<RowView>& rows);

}  // namespace nsop::report
