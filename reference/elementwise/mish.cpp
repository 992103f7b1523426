// mish: y = x tanh(log(1 + e^x)) (Misra 2019, arXiv:1908.08681); dx = dy * f'(x).
#include <cmath>

#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

double softplus_of(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

double mish(double x) {
  if (std::isnan(x)) return x;
  return x == -INFINITY ? -0.0 : x * std::tanh(softplus_of(x));
}

double mish_slope(double x) {
  const double t = std::tanh(softplus_of(x));
  return t + x * (1 - t) * (1 + t) / (1 + std::exp(-x));
}

// The textbook form: log(1 + e^x) and its tanh within 6 ULP, and a rounding. Where e^x is no normal
// number any more, |x| <= 104 times what it lost.
constexpr Tolerance kMish = {.absolute = 0x1p-119, .relative = 8 * kUlp};

// 1 - t^2 loses u, which x scales; it is 0 from x = 9 on. The two terms, each good to about 4u,
// cancel near the minimum of the function.
constexpr Tolerance kMishBackward = {.absolute = 16 * kUnitRoundoff, .relative = 8 * kUlp};

const OpRow mish_row{unary_op({
    .name = "mish",
    .summary = "x tanh(log(1 + exp(x))).",
    .params = {},
    .forward = plain(mish),
    .derivative = plain(mish_slope),
    .forward_flops = 17,  // the price list of reference/activations/activations.cpp
    .backward_flops = 25,
    .forward_tolerance = always(kMish),
    .backward_tolerance = always(kMishBackward),
})};

}  // namespace
}  // namespace nsop::reference
