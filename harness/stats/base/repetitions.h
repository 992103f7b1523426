// What the repetitions of one invocation say beside the fastest of them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::stats {

// So many repetitions make a mean that says something.
constexpr size_t kFewestRepetitions = 3;

// ns per operation of the repetitions that count: process CPU time of all, or wall time of those
// that were not preempted.
std::vector<double> counted_times(const Invocation& invocation, bool by_cpu);

// ln(mean / least) of these; nullopt: they are too few.
std::optional<double> hidden_excess(const Invocation& invocation, bool by_cpu);

}  // namespace nsop::stats
