// relu6 leaky_relu elu gelu silu softplus: y = f(x); dx = dy * f'(x).
#include <algorithm>
#include <cmath>

#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

// Flops follow a nominal price list that is common in framework benchmarks (TenfloweRS has one):
// arithmetic 1 per element, functions of the exponential kind 5, composed ones 8.

ParamSpec alpha_param() {
  return {.name = "alpha", .kind = ParamKind::kNumber, .choices = {}, .absent = {}};
}

// The value that a float kernel is given.
double alpha_of(const Case& c) { return static_cast<float>(c.number("alpha")); }

const OpRow relu6_row{unary_op({
    .name = "relu6",
    .summary = "min(max(x, 0), 6).",
    .params = {},
    .forward = plain([](double x) { return std::isnan(x) ? x : std::clamp(x, 0.0, 6.0); }),
    .derivative = plain([](double x) { return x > 0 && x < 6 ? 1.0 : 0.0; }),
    .forward_flops = 2,
    .backward_flops = 2,
    .forward_tolerance = always({}),
    .backward_tolerance = always({}),
})};

const OpRow leaky_relu_row{unary_op({
    .name = "leaky_relu",
    .summary = "x where x > 0, else alpha x.",
    .params = {alpha_param()},
    .forward = [](const Case& c) -> Scalar {
      return [alpha = alpha_of(c)](double x) { return x > 0 ? x : alpha * x; };
    },
    .derivative = [](const Case& c) -> Scalar {
      return [alpha = alpha_of(c)](double x) { return x > 0 ? 1 : alpha; };
    },
    .forward_flops = 2,
    .backward_flops = 2,
    .forward_tolerance = always(kRounded),
    .backward_tolerance = always(kRounded),
})};

// Forward: implementations that subtract 1 from e^x lose u absolutely, which alpha scales.
Tolerance elu_tolerance(const Case& c) {
  return {.absolute = 2 * kUnitRoundoff * std::fabs(alpha_of(c)), .relative = 7 * kUlp};
}

const OpRow elu_row{unary_op({
    .name = "elu",
    .summary = "x where x > 0, else alpha (exp(x) - 1).",
    .params = {alpha_param()},
    .forward = [](const Case& c) -> Scalar {
      return [alpha = alpha_of(c)](double x) { return x > 0 ? x : alpha * std::expm1(x); };
    },
    .derivative = [](const Case& c) -> Scalar {
      return [alpha = alpha_of(c)](double x) { return x > 0 ? 1 : alpha * std::exp(x); };
    },
    .forward_flops = 6,
    .backward_flops = 7,
    .forward_tolerance = elu_tolerance,
    .backward_tolerance = elu_tolerance,
})};

// Forward: x/(1 + e^-x) is the function within 6 ULP and a rounding.
constexpr Tolerance kSilu = {.absolute = 0x1p-120, .relative = 7 * kUlp};

// Backward: sums of terms of up to 1 that cancel near the minimum of the function, each term good
// to about 4u.
constexpr Tolerance kActivationBackward = {.absolute = 8 * kUnitRoundoff, .relative = 8 * kUlp};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

const OpRow silu_row{unary_op({
    .name = "silu",
    .summary = "x / (1 + exp(-x)), also called swish.",
    .params = {},
    .forward = plain([](double x) { return x == -INFINITY ? -0.0 : x * logistic(x); }),
    .derivative = plain([](double x) {
      const double s = logistic(x);
      return s * (1 + x * (1 - s));
    }),
    .forward_flops = 9,
    .backward_flops = 12,
    .forward_tolerance = always(kSilu),
    .backward_tolerance = always(kActivationBackward),
})};

// Forward: forms that round 1 + e^x first lose u absolutely for negative x.
const OpRow softplus_row{unary_op({
    .name = "softplus",
    .summary = "log(1 + exp(x)).",
    .params = {},
    .forward = plain([](double x) {
      return std::isnan(x) ? x : std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
    }),
    .derivative = plain(logistic),
    .forward_flops = 11,
    .backward_flops = 9,
    .forward_tolerance = always({.absolute = 2 * kUnitRoundoff, .relative = 6 * kUlp}),
    .backward_tolerance = always({.absolute = 0x1p-126, .relative = 7 * kUlp}),
})};

constexpr double kRootTwoOverPi = 0.79788456080286535588;
constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kCubic = 0.044715;

double gelu_tanh(double x) {
  // (1 + tanh u) / 2 is logistic(2u), which doesn't cancel.
  return x == -INFINITY ? -0.0 : x * logistic(2 * kRootTwoOverPi * (x + kCubic * x * x * x));
}

double gelu_tanh_derivative(double x) {
  const double s = logistic(2 * kRootTwoOverPi * (x + kCubic * x * x * x));
  return s + x * s * (1 - s) * 2 * kRootTwoOverPi * (1 + 3 * kCubic * x * x);
}

double gelu_erf(double x) { return x == -INFINITY ? -0.0 : x * 0.5 * std::erfc(-x * kRootHalf); }

double gelu_erf_derivative(double x) {
  return 0.5 * std::erfc(-x * kRootHalf) + x * kRootTwoOverPi / 2 * std::exp(-x * x / 2);
}

// Forward: textbook forms compute 1 + tanh or 1 + erf, good to u absolutely, times |x|/2; for x
// below about -6 they are exactly 0. That is 3u; the argument u of the tanh form, good to 3u
// relatively, adds at most u, and polynomials of erf their own error of about as much.
constexpr Tolerance kGelu = {.absolute = 8 * kUnitRoundoff, .relative = 6 * kUlp};

Scalar bind_gelu(const Case& c) { return c.str("form") == "tanh" ? gelu_tanh : gelu_erf; }
Scalar bind_gelu_derivative(const Case& c) {
  return c.str("form") == "tanh" ? gelu_tanh_derivative : gelu_erf_derivative;
}

const OpRow gelu_row{unary_op({
    .name = "gelu",
    .summary = "x times the normal distribution function of x; form=tanh approximates it.",
    .params =
        {{.name = "form", .kind = ParamKind::kChoice, .choices = {"tanh", "erf"}, .absent = {}}},
    .forward = bind_gelu,
    .derivative = bind_gelu_derivative,
    .forward_flops = 12,
    .backward_flops = 20,
    .forward_tolerance = always(kGelu),
    .backward_tolerance = always(kActivationBackward),
})};

}  // namespace
}  // namespace nsop::reference
