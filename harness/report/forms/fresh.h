// What a kernel gains, told apart from what it saves by writing into memory that is there already.
#pragma once

#include "harness/report/base/table.h"

namespace nsop::report {

// Is it a kernel that takes new memory for its results on every call? Its name then ends so:
// `hwy_fresh` beside `hwy`.
bool takes_new_results(const Selector& selector);

// Adds a folded table for each of them that the suite has beside its roles and a row was measured
// of: `before`, the kernel with new results, the same kernel without, and the ratios between them.
// `names` are the columns that name a row.
void add_fresh(Json& tables, const Context& context, const std::vector<RowView>& rows,
               const Columns& names);

}  // namespace nsop::report
