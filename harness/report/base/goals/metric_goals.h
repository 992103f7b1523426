// Goals on metrics: a number of the subject against a bound.
#pragma once

#include "harness/report/base/goals/goals.h"

namespace nsop::report {

// Judges a goal of kind kMetric on a row of its subject that has a number. What is counted is
// compared exactly: not judged where it was not counted, or not the same each time. What is sampled
// is judged by its 95 % interval.
void judge_metric(const stats::RowSummary& row, GoalRow& out);

// Is it about a time or a rate in absolute numbers? Such a goal speaks of one machine.
bool is_of_one_machine(const Goal& goal);

// The metric's number, with its interval where it is sampled.
Json metric_value_cell(const GoalRow& row);

}  // namespace nsop::report
