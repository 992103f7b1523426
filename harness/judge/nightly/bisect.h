// Which commit changed a row: a search over a line of commits, many rows at once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::judge {

enum class Side {
  kGood,
  kBad,
  kInconclusive,  // measured, but too noisy to say: tried once more before the search ends
  kUnknown        // this commit can't be judged for this row
};

// On which side of the change a commit is, for each of the rows. A row left out is unknown.
using CommitJudge = std::function<std::map<RowKey, Side>(const std::string& commit,
                                                         const std::vector<RowKey>& rows)>;

struct Culprit {
  RowKey row;
  std::string last_good, first_bad;
  // Commits between them that could not be judged: the change is in one of them or in first_bad.
  std::vector<std::string> between;
  int judged = 0;  // commits that were measured for this row
};

// For each row the first bad commit. `line` begins with a commit that is good and ends with one
// that is bad, for every row; at least two (assert). Each step judges the commit nearest to the
// middle of a row's range for every row whose range holds it, so rows with one culprit share all
// measurements; what was inconclusive is tried a second time when nothing else is left. Throws
// what `judge` throws.
std::vector<Culprit> bisect(const std::vector<std::string>& line, const std::vector<RowKey>& rows,
                            const CommitJudge& judge);

// How many steps a bisection of so many commits takes at most, when every one can be judged.
int bisect_steps(size_t commits);

}  // namespace nsop::judge
