// What the authors of a suite say of rows that miss.
#include <algorithm>

#include "harness/core/text.h"
#include "harness/report/base/goals.h"

namespace nsop::report {

std::vector<const Reason*> reasons_of(const Suite& suite, const GoalRow& row) {
  std::vector<const Reason*> out;
  for (const Reason& reason : suite.reasons) {
    if (reason_applies(reason, *row.goal, row.case_text, row.threads)) out.push_back(&reason);
  }
  return out;
}

bool unexplained(const Suite& suite, const GoalRow& row) {
  return row.result == GoalResult::kMissed && row.goal->note.empty() &&
         reasons_of(suite, row).empty();
}

std::vector<std::string> outdated_reasons(const Suite& suite, const std::vector<GoalRow>& rows) {
  std::vector<std::string> out;
  for (const Reason& reason : suite.reasons) {
    int met = 0, open = 0;
    for (const GoalRow& row : rows) {
      if (!reason_applies(reason, *row.goal, row.case_text, row.threads)) continue;
      ++(row.result == GoalResult::kMet ? met : open);
    }
    if (met == 0 || open > 0) continue;
    const std::string of = reason.goals.empty() ? "" : " (" + join(reason.goals, "; ") + ")";
    out.push_back(join(reason.on, "; ") + of);
  }
  return out;
}

}  // namespace nsop::report
