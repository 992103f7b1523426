// Units of time, as tools write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/core/sample.h"

namespace nsop::foreign {

inline constexpr double kNsPerS = 1e9;

// Nanoseconds of one unit: `ns`, `us`, `µs`, `ms`, `s`, `m`, and their names. nullopt: no time.
std::optional<double> ns_of_unit(std::string_view unit);

// A value in a unit of time, of time per operation (`ns/op`, `us/iter`) or of operations per time
// (`ops/ms`), as ns per operation; of operations per time, its inverse. nullopt: no such unit.
std::optional<double> ns_per_op(double value, std::string_view unit);

}  // namespace nsop::foreign
