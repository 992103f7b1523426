// Success criteria of a suite, judged row by row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/base/context.h"

namespace nsop::report {

constexpr int kFewestRounds = 6;  // below, an interval says little

enum class GoalResult {
  kMet,     // the whole interval is on the good side of the bound
  kMissed,  // the whole interval is on the bad side, or ours has no right result
  // The bound lies within, there is nothing to compare with, or the goal says faster or slower
  // where the comparison does not.
  kInconclusive,
  // It would be met, but a peer that the suite names was not there, is wrong or failed, so that it
  // could not say otherwise; or the metric was not counted, or not steadily.
  kNotJudged,
};
std::string goal_result_text(GoalResult result);  // `met`, ...

// One goal on one row that it speaks of, or a goal of a mean on all of one number of threads.
struct GoalRow {
  const Goal* goal = nullptr;
  std::string name;       // of the row
  std::string case_text;  // empty for a mean
  int threads = 1;
  GoalResult result = GoalResult::kInconclusive;
  // Time / time of the reference, share of the bandwidth, or the metric in its base unit.
  std::optional<double> value;
  double lo = 0, hi = 0;  // its interval; both 0: none
  std::string against;    // the reference that it was measured against: the best peer's name
  std::string remark;     // why there is no decision, or no right result
  // On a row that the suite calls a shortcut and that doesn't miss: it counts nowhere. What a
  // shortcut misses counts as missed.
  bool apart = false;
};

// The rows, each case and number of threads once, whose goals stand apart.
size_t rows_apart(const std::vector<GoalRow>& goals);

// Every goal on every row, in the order of the suite, each pair once; means after those.
std::vector<GoalRow> judge_goals(const Context& context);

}  // namespace nsop::report
