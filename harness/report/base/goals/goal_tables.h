// The report's section of its goals.
#pragma once

#include <vector>

#include "harness/report/base/goals/authors.h"
#include "harness/report/base/goals/goals.h"

namespace nsop::report {

// The section `Goals`: how many rows met each, and the rows; null when the suite has none. Its
// notes end with the texts that `authors` has said in no section before.
Json goals_section(const Context& context, const std::vector<GoalRow>& rows, Authors& authors);

}  // namespace nsop::report
