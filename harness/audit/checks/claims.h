// Claims of a page's prose, computed from the figures beside them, of its tables, or of what the
// same label said earlier.
#pragma once

#include <vector>

#include "harness/audit/checks/check.h"
#include "harness/audit/checks/findings.h"
#include "harness/audit/read/page.h"

namespace nsop::audit {

// The figures of a statement that claim something: `2.7x faster`, `-18 %`, `58 % fewer`. A figure
// is compared with the nearest pair of its statement (`from A to B`, `A -> B`, `A vs B`,
// `B (was A)`, `B ... from the original A`), where rows of that name have the two, with their
// digits; with the item of its list that is called the baseline; or with values of its label.
std::vector<Finding> check_claims(const Page& page);

// The two of the pairs of a statement, with the bytes that they take.
struct PairAt {
  Pair pair{};
  size_t begin = 0, end = 0;
  bool versus = false;  // `A vs B`
};
std::vector<PairAt> pairs_of(std::string_view text, const std::vector<Quantity>& quantities);

}  // namespace nsop::audit
