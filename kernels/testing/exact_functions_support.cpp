#include "kernels/testing/exact_functions_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/activations/activation.h"
#include "kernels/activations/relu.h"
#include "kernels/activations/sigmoid.h"
#include "kernels/activations/tanh.h"
#include "kernels/elementwise/unary.h"

namespace nsop::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHighest = std::numeric_limits<float>::max();
constexpr double kTiny = 0x1p-149;  // the smallest denormal

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// x times a factor that falls faster than x grows: 0 at -infinity.
double times_tail(double x, double factor) { return x == -kInfinity ? -0.0 : x * factor; }

double exact_silu(double x) { return times_tail(x, logistic(x)); }
double exact_softplus(double x) {
  return std::isnan(x) ? x : std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}
double exact_elu(double x) { return x > 0 ? x : 0.5 * std::expm1(x); }
double gelu_argument(double x) { return 2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x); }
double exact_gelu_tanh(double x) { return times_tail(x, logistic(gelu_argument(x))); }
double exact_gelu_erf(double x) {
  return times_tail(x, 0.5 * std::erfc(-x * 0.70710678118654752440));
}
double exact_relu6(double x) { return std::isnan(x) ? x : std::clamp(x, 0.0, 6.0); }
double exact_sign(double x) { return x > 0 ? 1 : (x < 0 ? -1 : x); }
double exact_clip(double x) { return std::isnan(x) ? x : std::clamp(x, -1.5, 2.0); }

ExactFunction unary_function(const std::string& name, Unary op, double (*exact)(double),
                             std::vector<PromisedAccuracy> promises, UnaryParams params = {}) {
  const auto kernel = [op, params](std::span<const float> x, std::span<float> y) {
    unary(op, params, x, y, serial_threads());
  };
  return {name, kernel, exact, std::move(promises)};
}

ExactFunction activation_function(const std::string& name, Activation activation,
                                  double (*exact)(double), std::vector<PromisedAccuracy> promises,
                                  float alpha = 0) {
  const auto kernel = [activation, alpha](std::span<const float> x, std::span<float> y) {
    activation_forward(activation, alpha, x, y, serial_threads());
  };
  return {name, kernel, exact, std::move(promises)};
}

using Forward = void (*)(std::span<const float>, std::span<float>, ThreadPool&);

ExactFunction activation_function(const std::string& name, Forward forward, double (*exact)(double),
                                  std::vector<PromisedAccuracy> promises) {
  const auto kernel = [forward](std::span<const float> x, std::span<float> y) {
    forward(x, y, serial_threads());
  };
  return {name, kernel, exact, std::move(promises)};
}

std::vector<ExactFunction> arithmetic_functions() {
  return {
      unary_function("abs", Unary::kAbs, [](double x) { return std::fabs(x); },
                     {{-kHighest, kHighest, 0}}),
      unary_function("neg", Unary::kNeg, [](double x) { return -x; }, {{-kHighest, kHighest, 0}}),
      unary_function("sign", Unary::kSign, exact_sign, {{-kHighest, kHighest, 0}}),
      unary_function("clip lo=-1.5 hi=2", Unary::kClip, exact_clip, {{-kHighest, kHighest, 0}},
                     {-1.5f, 2.0f}),
      unary_function("scale alpha=0.1", Unary::kScale, [](double x) { return double{0.1f} * x; },
                     {{-kHighest, kHighest, 0.5}}, {0.1f}),
      unary_function("square", Unary::kSquare, [](double x) { return x * x; },
                     {{-kHighest, kHighest, 0.5}}),
      unary_function("sqrt", Unary::kSqrt, [](double x) { return std::sqrt(x); },
                     {{0, kHighest, 0.5}}),
      unary_function("recip", Unary::kRecip, [](double x) { return 1 / x; },
                     {{-kHighest, kHighest, 0.5}}),
  };
}

std::vector<ExactFunction> transcendental_functions() {
  return {
      unary_function("exp", Unary::kExp, [](double x) { return std::exp(x); },
                     {{-87.33, 88.72, 1.1}, {-104, -87.33, 1.0}}),
      unary_function("log", Unary::kLog, [](double x) { return std::log(x); },
                     {{kTiny, kHighest, 2}, {0.5, 2, 2}, {0.99, 1.01, 2}}),
      unary_function("log2", Unary::kLog2, [](double x) { return std::log2(x); },
                     {{kTiny, kHighest, 2.25}, {0.5, 2, 2.25}, {0.99, 1.01, 2.25}}),
      unary_function("log10", Unary::kLog10, [](double x) { return std::log10(x); },
                     {{kTiny, kHighest, 2.25}, {0.5, 2, 2.25}, {0.99, 1.01, 2.25}}),
      unary_function("sin", Unary::kSin, [](double x) { return std::sin(x); },
                     {{-10, 10, 1.6}, {-1e5, 1e5, 1.6}, {-kHighest, kHighest, 1.6}}),
      unary_function("cos", Unary::kCos, [](double x) { return std::cos(x); },
                     {{-10, 10, 1.6}, {-1e5, 1e5, 1.6}, {-kHighest, kHighest, 1.6}}),
      unary_function("pow e=2.5", Unary::kPow, [](double x) { return std::pow(x, 2.5); },
                     {{kTiny, kHighest, 0.6}}, {2.5f}),
      unary_function("pow e=-0.3", Unary::kPow, [](double x) { return std::pow(x, double{-0.3f}); },
                     {{kTiny, kHighest, 0.6}}, {-0.3f}),
      unary_function("pow e=7", Unary::kPow, [](double x) { return std::pow(x, 7.0); },
                     {{-kHighest, kHighest, 0.6}, {-2, 2, 0.6}}, {7.0f}),
  };
}

std::vector<ExactFunction> activation_functions() {
  return {
      activation_function("relu", relu_forward, [](double x) { return x <= 0 ? 0 : x; },
                          {{-kHighest, kHighest, 0}}),
      activation_function("tanh", tanh_forward, [](double x) { return std::tanh(x); },
                          {{-kHighest, kHighest, 2.5}, {-10, 10, 2.5}}),
      activation_function("sigmoid", sigmoid_forward, logistic,
                          {{-kHighest, kHighest, 2.5}, {-20, 20, 2.5}}),
      activation_function("relu6", Activation::kRelu6, exact_relu6, {{-kHighest, kHighest, 0}}),
      activation_function(
          "leaky_relu alpha=0.1", Activation::kLeakyRelu,
          [](double x) { return x > 0 ? x : double{0.1f} * x; }, {{-kHighest, kHighest, 0.5}},
          0.1f),
      activation_function("elu alpha=0.5", Activation::kElu, exact_elu,
                          {{-kHighest, kHighest, 2.5}, {-20, 1, 2.5}}, 0.5f),
      activation_function("silu", Activation::kSilu, exact_silu,
                          {{-kHighest, kHighest, 3}, {-100, 20, 3}}),
      activation_function("softplus", Activation::kSoftplus, exact_softplus,
                          {{-kHighest, kHighest, 2.5}, {-100, 20, 2.5}}),
      activation_function("gelu form=erf", Activation::kGeluErf, exact_gelu_erf,
                          {{-1, kHighest, 6}, {-14, -1, 6}}),
      // Further left, the rounding of the tanh's argument u is magnified by 2 |u|.
      activation_function("gelu form=tanh", Activation::kGeluTanh, exact_gelu_tanh,
                          {{-1, kHighest, 4}, {-3, -1, 16}, {-10, -3, 256}}),
  };
}

}  // namespace

const std::vector<ExactFunction>& exact_functions() {
  static const std::vector<ExactFunction> all = [] {
    std::vector<ExactFunction> functions = arithmetic_functions();
    for (const auto& more : {transcendental_functions(), activation_functions()}) {
      functions.insert(functions.end(), more.begin(), more.end());
    }
    return functions;
  }();
  return all;
}

double ulp_error(float got, double exact) {
  if (std::isnan(got) || std::isnan(exact)) {
    return std::isnan(got) && std::isnan(exact) ? 0 : kInfinity;
  }
  // Halfway to the next power of two, rounding turns to infinity.
  if (std::fabs(exact) >= 0x1.ffffffp127) exact = std::copysign(kInfinity, exact);
  if (got == exact) return 0;
  if (std::isinf(got) || std::isinf(exact)) return kInfinity;
  int exponent = -149;  // of 0: the place of the smallest denormal
  if (exact != 0) std::frexp(exact, &exponent);
  return std::fabs(got - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

TEST(UlpError, CountsPlacesOfFloats) {
  EXPECT_EQ(ulp_error(1.0f, 1.0), 0);
  EXPECT_EQ(ulp_error(1.0f + 0x1p-23f, 1.0), 1);
  EXPECT_EQ(ulp_error(1.0f, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(ulp_error(0x1p-149f, 0), 1);
  EXPECT_EQ(ulp_error(static_cast<float>(kInfinity), 1e39), 0);
  EXPECT_EQ(ulp_error(static_cast<float>(kHighest), kInfinity), kInfinity);
  EXPECT_EQ(ulp_error(NAN, 1), kInfinity);
  EXPECT_EQ(ulp_error(NAN, NAN), 0);
}

}  // namespace nsop::kernels
