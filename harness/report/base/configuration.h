// What each row of a report computes: shapes and work, from its case.
#pragma once

#include "harness/report/base/table.h"

namespace nsop::report {

// The folded table of the rows' shapes, windows, multiply-adds and bytes; each case once.
Json configuration_table(const Context& context, const std::vector<RowView>& rows);

}  // namespace nsop::report
