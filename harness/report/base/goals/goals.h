// Success criteria of a suite, judged row by row.
#pragma once

#include <string>
#include <vector>

#include "harness/report/base/context.h"

namespace nsop::report {

enum class GoalResult {
  kMet,     // the whole interval is on the good side of the bound
  kMissed,  // the whole interval is on the bad side, or ours has no right result
  // The bound lies within, there is nothing to compare with, or the goal says faster or slower
  // where the comparison does not.
  kInconclusive,
  kNotJudged,  // it would be met, but a peer that the suite names was not there to say otherwise
};
std::string goal_result_text(GoalResult result);  // `met`, ...

// One goal on one row that it speaks of, or a goal of a mean on all of one number of threads.
struct GoalRow {
  const Goal* goal = nullptr;
  std::string name;       // of the row
  std::string case_text;  // empty for a mean
  int threads = 1;
  GoalResult result = GoalResult::kInconclusive;
  double value = 0;       // time / time of the reference, or share of the bandwidth; 0: none
  double lo = 0, hi = 0;  // its interval; both 0: none
  std::string against;    // the reference that it was measured against: the best peer's name
  std::string remark;     // why there is no decision, or no right result
};

// Every goal on every row, in the order of the suite, each pair once; means after those.
std::vector<GoalRow> judge_goals(const Context& context);

}  // namespace nsop::report
