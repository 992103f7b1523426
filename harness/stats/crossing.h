// What the interval alone says of two ways of doing things, and from which size on one is faster:
// pure.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/comparison.h"

namespace nsop::stats {

// kBetter: the whole interval of after / before lies below 1; kWorse: above; else kInconclusive,
// also without an interval. No margin is asked for: where either way gives the same result, any
// sure gain decides.
Verdict verdict_of_interval(const Comparison& comparison);

// `by_size` compares the two ways (after / before) at ascending sizes. The index of the smallest
// size where `after` is surely faster (kBetter by the interval) and beyond which, itself
// included, it is nowhere slower, surely or not (the ratio above 1). Comparisons without an
// interval decide nothing. nullopt: there is no such size.
std::optional<size_t> first_lasting_win(std::span<const Comparison> by_size);

}  // namespace nsop::stats
