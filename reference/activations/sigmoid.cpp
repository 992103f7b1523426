// sigmoid: y = 1 / (1 + exp(-x)); dx = dy * y * (1 - y) from the saved output y.
#include <cmath>

#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

// Backward: 1 - y is exact for y >= 1/2 and rounded by at most u otherwise, so dy*y*(1 - y) is good
// to a few ULP; the equal form y - y*y loses up to u*|dy| absolutely as y nears 1. Twice that, as
// for tanh.
constexpr Tolerance kBackward = {.absolute = 2 * kUnitRoundoff, .relative = 6 * kUlp};

// Flops follow a nominal price list that is common in framework benchmarks (TenfloweRS has one):
// arithmetic 1 per element, composed special functions 8.
const OpRow row{unary_op({
    .name = "sigmoid",
    .summary = "Logistic function, 1 / (1 + exp(-x)).",
    // 1/(1 + exp(-x)) in double: exp(-x) may overflow to infinity, which gives the right 0.
    .params = {},
    .forward = plain([](double x) { return 1 / (1 + std::exp(-x)); }),
    .derivative = plain([](double y) { return y * (1 - y); }),
    .backward_takes_output = true,
    .forward_flops = 8,
    .backward_flops = 3,
    .forward_tolerance = always(kSixUlp),
    .backward_tolerance = always(kBackward),
})};

}  // namespace
}  // namespace nsop::reference
