// From which size on one way of doing things is faster than another: pure.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/comparison.h"

namespace nsop::stats {

// `by_size` compares the two ways (after / before) at ascending sizes. The index of the smallest
// size where `after` is surely faster (the whole interval below 1) and beyond which, itself
// included, it is nowhere slower, surely or not (the ratio above 1). Comparisons without an
// interval decide nothing. nullopt: there is no such size.
std::optional<size_t> first_lasting_win(std::span<const Comparison> by_size);

}  // namespace nsop::stats
