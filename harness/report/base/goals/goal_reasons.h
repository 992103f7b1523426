// What the authors of a suite say of rows that miss.
#pragma once

#include <string>
#include <vector>

#include "harness/report/base/goals/goals.h"

namespace nsop::report {

// The reasons of the suite that speak of this row's goal.
std::vector<const Reason*> reasons_of(const Suite& suite, const GoalRow& row);
// Does a row miss without a word of the authors?
bool unexplained(const Suite& suite, const GoalRow& row);
// Reasons whose rows were judged and all meet their goals: texts that name them.
std::vector<std::string> outdated_reasons(const Suite& suite, const std::vector<GoalRow>& rows);

}  // namespace nsop::report
