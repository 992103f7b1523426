// The comparison of an output with what the oracle expects. Only `nsop` and tests compare: a worker
// never judges itself.
#pragma once

#include <span>
#include <string_view>

#include "harness/core/registry.h"
#include "harness/core/sample.h"
#include "harness/core/tensor/tensor.h"

namespace nsop {

// Compares one output element by element: ok when every |got - expected| is at most
// absolute + relative * |expected|. A NaN or infinity where a finite value is expected is wrong, as
// is a wrong number of elements. All numbers of the result are finite (the largest double stands
// for an unbounded error), so that they survive JSON. The message names the worst element.
CheckResult check_output(std::string_view name, std::span<const float> got,
                         const TensorF64& expected, Tolerance tolerance);

// The same where the expected values lie elsewhere; `shape` is theirs.
CheckResult check_output(std::string_view name, std::span<const float> got,
                         std::span<const double> expected, const Shape& shape, Tolerance tolerance);

// Both together: ok when both are, the larger errors, the message of the worse one.
CheckResult merge(const CheckResult& a, const CheckResult& b);

// The neutral element of merge: ok, no error.
CheckResult passed();

}  // namespace nsop
