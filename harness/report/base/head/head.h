// The first lines of a report: what was compared with what, how that ended, where and when.
#pragma once

#include <string>
#include <vector>

#include "harness/report/base/goals/goals.h"

namespace nsop::report {

struct Head {
  std::string headline;            // how the comparison ended, in one sentence
  std::vector<std::string> lines;  // what belongs to it, one line each
};

// Counts the verdicts of the report's own rows that the suite leaves a rival, each case and number
// of threads once, against the fastest peer of each row, or against `before` in a suite without
// peers. A row with a peer that is missing, wrong or failed counts as slower if it is slower than
// one that was there, and as not judged else. Numbers of a row have the `?` that tables give them.
// Rows that the suite calls shortcuts are counted apart. `compares`: of a form whose rows are
// compared so; others say how much was measured. `answer`: what the form has to say, or empty.
Head head_of(const Context& context, const std::vector<GoalRow>& goals, bool compares,
             const std::string& answer);

}  // namespace nsop::report
