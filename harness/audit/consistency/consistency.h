// What a page says in two places, or in words and figures, that can't both hold.
#pragma once

#include <vector>

#include "harness/audit/checks/findings.h"
#include "harness/audit/read/page.h"

namespace nsop::audit {

// `a better, b worse, c the same of N`; `A / B = C`; counts times a rate in one list; two dates of
// "the latest run"; a speedup whose definition is the inverse of its reading; rates and times of
// one unit; rows called fixed that are slower elsewhere; two shapes of one case's input; ratios of
// layers that do other work; how times grow with sizes; steps as small as noise.
std::vector<Finding> check_consistency(const Page& page);

// Its parts, which read statements only, and those that read rows too.
std::vector<Finding> check_sums(const Document& document);
std::vector<Finding> check_products(const Document& document);
std::vector<Finding> check_latest(const Document& document);
std::vector<Finding> check_definitions(const Document& document);
std::vector<Finding> check_rates(const Document& document);
std::vector<Finding> check_shapes(const Document& document);
std::vector<Finding> check_steps(const Document& document);
std::vector<Finding> check_fixed(const Page& page);
std::vector<Finding> check_work(const Page& page);
std::vector<Finding> check_scaling(const Page& page);

}  // namespace nsop::audit
