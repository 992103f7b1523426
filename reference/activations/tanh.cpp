// tanh: y = tanh(x); dx = dy * (1 - y*y) from the saved output y.
#include <cmath>

#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"
#include "reference/spec/types.h"

namespace nsop::reference {
namespace {

// Backward: y*y is rounded by up to u*y^2 and the difference by up to u*(1 - y^2), together at most
// u whatever y is. The relative error of 1 - y*y is therefore unbounded as |y| nears 1, but the
// absolute one is not: u*|dy|, doubled for forms that round once more, such as (1 - y)*(1 + y).
constexpr Tolerance kBackward = {.absolute = 2 * kUnitRoundoff, .relative = 6 * kUlp};

// Flops follow a nominal price list that is common in framework benchmarks (TenfloweRS has one):
// arithmetic 1 per element, functions of the trigonometric and hyperbolic kind 5.
const OpRow row{with_types(unary_op({
    .name = "tanh",
    .summary = "Hyperbolic tangent.",
    .params = {},
    .forward = plain([](double x) { return std::tanh(x); }),
    .derivative = plain([](double y) { return 1 - y * y; }),
    .backward_takes_output = true,
    .forward_flops = 5,
    .backward_flops = 3,
    .forward_tolerance = always(kSixUlp),
    .backward_tolerance = always(kBackward),
}))};

}  // namespace
}  // namespace nsop::reference
