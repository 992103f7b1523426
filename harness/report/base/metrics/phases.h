// Where the time of an operation goes, as metered steps tell it.
#pragma once

#include <vector>

#include "harness/report/base/table.h"

namespace nsop::report {

// The open table of shares of wall time, a column per phase (metrics `phase_NAME_ns`) that a row of
// the section tells and one for the rest; rows that tell none are left out. Null where all do. A
// share is the mean over invocations and has no verdict: all of a row are the whole.
Json phases_table(const std::vector<RowView>& rows);

}  // namespace nsop::report
