// Rows of a gate whose machine code is the same in both builds.
#pragma once

#include <vector>

#include "harness/judge/builds/row_code.h"
#include "harness/judge/gate/session.h"

namespace nsop::judge {

// Marks the rows that need not be timed, because both builds run the same code. Where no row is
// left to be timed, the controls are taken out, too.
void mark_identical(std::vector<GateRow>& rows, const RowCode& base, const RowCode& head);

}  // namespace nsop::judge
