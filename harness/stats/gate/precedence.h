// How far apart two samples lie that are disturbed in one direction only, told by their smallest
// values. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/stats/gate/look.h"

namespace nsop::stats {

// P(the k smallest of n + m values are all among the n), where all come from one distribution: the
// precedence test (Nelson 1963, Technometrics 5, 491-499). 0 where k > n.
double precedence(size_t k, size_t n, size_t m);

// The interval of what `head` lies above `base` that the precedence test doesn't reject in either
// direction, each at alpha / 2: whatever the distribution, as long as both have the same one but
// for their place. What is far above the smallest values widens nothing. Unbounded where a sample
// is too small to reject anything.
LogInterval precedence_interval(std::vector<double> base, std::vector<double> head, double alpha);

}  // namespace nsop::stats
