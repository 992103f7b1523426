// The report's section of what is slower, and why.
#pragma once

#include <vector>

#include "harness/report/base/goals/authors.h"

namespace nsop::report {

// In three groups: rows that are slower than another library (than `before` in a suite without
// peers), by the gap; rows that are not but miss a goal; and what other instruction sets miss.
// Null in a suite that has neither peers, nor a `before`, nor goals. Its notes are the texts of
// `authors` that it says.
Json slower_section(const Context& context, const std::vector<GoalRow>& goals, Authors& authors);

}  // namespace nsop::report
