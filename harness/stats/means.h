// Means over rows: pure.
#pragma once

#include <span>

#include "harness/stats/comparison.h"

namespace nsop::stats {

// The geometric mean of the ratios, none of which may be 0 or infinite (assert). Its interval goes
// from the mean of the lower ends to the mean of the upper ends, as if all rows erred in the same
// direction: rows share the machine and its moods. lo 0 and hi infinity when a row has no interval,
// ratio 1 when there are no rows.
Comparison geometric_mean(std::span<const Comparison> rows);

}  // namespace nsop::stats
