// Zeros, infinities, NaN and denormals, through every element-wise kernel on every target.
#include <array>
#include <cmath>
#include <limits>

#include "kernels/activations/activation.h"
#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/ternary.h"
#include "kernels/elementwise/unary.h"
#include "kernels/testing/exact_functions_support.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

constexpr float kMax = std::numeric_limits<float>::max();

// The smallest and largest denormals, the smallest and largest normal numbers, ...
const std::vector<float> kSpecial = {0.0f,
                                     -0.0f,
                                     kInf,
                                     -kInf,
                                     kNan,
                                     -kNan,
                                     kMax,
                                     -kMax,
                                     0x1p-149f,
                                     -0x1p-149f,
                                     0x1.fffffcp-127f,
                                     -0x1.fffffcp-127f,
                                     0x1p-126f,
                                     -0x1p-126f,
                                     1.0f,
                                     -1.0f,
                                     2.0f,
                                     -3.0f,
                                     1.5e-40f,
                                     -1.5e-40f};

class Special : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, Special, testing::ValuesIn(targets()), target_param_name);

// Each value fills whole vectors and a tail: both code paths must agree.
std::vector<float> repeated(float value) { return std::vector<float>(67, value); }

bool same_bits_or_nan(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// Is `got` the float next to the exact result, with the right sign if it is a zero or infinite?
void expect_value(float got, double exact, double ulps, const std::string& what) {
  EXPECT_LE(ulp_error(got, exact), ulps) << what << ": got " << got << ", expected " << exact;
  if (!std::isnan(exact) && (exact == 0 || std::isinf(exact))) {
    EXPECT_EQ(std::signbit(got), std::signbit(exact)) << what << ": sign of " << got;
  }
}

TEST_P(Special, ThroughFunctionsOfOneArgument) {
  for (const ExactFunction& function : exact_functions()) {
    for (const float x : kSpecial) {
      const std::vector<float> xs = repeated(x);
      std::vector<float> ys(xs.size());
      function.kernel(xs, ys);
      for (const float y : ys) ASSERT_TRUE(same_bits_or_nan(y, ys[0])) << function.name;
      // relu and relu6 may return either zero.
      const double exact = function.exact(x);
      if (exact == 0 && function.name.starts_with("relu")) {
        EXPECT_EQ(ys[0], 0) << function.name;
        continue;
      }
      expect_value(ys[0], exact, std::max(1.0, function.promises[0].ulps),
                   function.name + " of " + std::to_string(x));
    }
  }
}

float apply(Binary op, float a, float b) {
  std::vector<float> c(67);
  binary(op, repeated(a), repeated(b), c, serial_threads());
  std::vector<float> fixed(67);
  const Broadcast broadcast = broadcast_of({67}, {1});
  binary_broadcast(op, broadcast, repeated(a), std::array<float, 1>{b}, fixed, serial_threads());
  for (const float value : c) EXPECT_TRUE(same_bits_or_nan(value, c[0]));
  for (const float value : fixed) EXPECT_TRUE(same_bits_or_nan(value, c[0]));
  return c[0];
}

TEST_P(Special, ThroughArithmeticOfTwo) {
  for (const float a : kSpecial) {
    for (const float b : kSpecial) {
      EXPECT_TRUE(same_bits_or_nan(apply(Binary::kAdd, a, b), a + b)) << a << " + " << b;
      EXPECT_TRUE(same_bits_or_nan(apply(Binary::kSub, a, b), a - b)) << a << " - " << b;
      EXPECT_TRUE(same_bits_or_nan(apply(Binary::kMul, a, b), a * b)) << a << " * " << b;
      EXPECT_TRUE(same_bits_or_nan(apply(Binary::kDiv, a, b), a / b)) << a << " / " << b;
    }
  }
}

TEST_P(Special, ThroughMaximumAndMinimum) {
  for (const float a : kSpecial) {
    for (const float b : kSpecial) {
      const bool nan = std::isnan(a) || std::isnan(b);
      const float larger = apply(Binary::kMaximum, a, b);
      const float smaller = apply(Binary::kMinimum, a, b);
      // Of zeros of both signs either will do.
      EXPECT_TRUE(nan ? std::isnan(larger) : larger == std::max(a, b)) << a << ", " << b;
      EXPECT_TRUE(nan ? std::isnan(smaller) : smaller == std::min(a, b)) << a << ", " << b;
    }
  }
}

TEST_P(Special, ThroughComparisons) {
  for (const float a : kSpecial) {
    for (const float b : kSpecial) {
      EXPECT_EQ(apply(Binary::kEqual, a, b), a == b ? 1.0f : 0.0f) << a << ", " << b;
      EXPECT_EQ(apply(Binary::kNotEqual, a, b), a != b ? 1.0f : 0.0f) << a << ", " << b;
      EXPECT_EQ(apply(Binary::kLess, a, b), a < b ? 1.0f : 0.0f) << a << ", " << b;
      EXPECT_EQ(apply(Binary::kLessEqual, a, b), a <= b ? 1.0f : 0.0f) << a << ", " << b;
      EXPECT_EQ(apply(Binary::kGreater, a, b), a > b ? 1.0f : 0.0f) << a << ", " << b;
      EXPECT_EQ(apply(Binary::kGreaterEqual, a, b), a >= b ? 1.0f : 0.0f) << a << ", " << b;
    }
  }
}

TEST_P(Special, ThroughFmaAxpyAndWhere) {
  for (const float x : kSpecial) {
    const std::vector<float> xs = repeated(x);
    std::vector<float> y(xs.size());
    fused_multiply_add(repeated(1.0f), xs, repeated(0.0f), y, serial_threads());
    EXPECT_TRUE(std::isnan(x) ? std::isnan(y[66]) : y[66] == x) << x;
    axpy(1.0f, xs, repeated(0.0f), y, serial_threads());
    EXPECT_TRUE(std::isnan(x) ? std::isnan(y[0]) : y[0] == x) << x;
    where(xs, repeated(5.0f), repeated(7.0f), y, serial_threads());
    EXPECT_EQ(y[66], x > 0 ? 5.0f : 7.0f) << x;
    where(repeated(1.0f), xs, repeated(7.0f), y, serial_threads());
    EXPECT_TRUE(same_bits_or_nan(y[66], x)) << x;
  }
}

float slope(Activation activation, float x) {
  std::vector<float> dx(67);
  activation_backward(activation, 0.5f, repeated(x), repeated(1.0f), dx, serial_threads());
  for (const float value : dx) EXPECT_TRUE(same_bits_or_nan(value, dx[0]));
  return dx[0];
}

TEST_P(Special, ThroughGradients) {
  for (const Activation activation : {Activation::kElu, Activation::kGeluTanh, Activation::kGeluErf,
                                      Activation::kSilu, Activation::kSoftplus}) {
    EXPECT_EQ(slope(activation, kInf), 1.0f);
    EXPECT_EQ(slope(activation, kMax), 1.0f);
    EXPECT_EQ(slope(activation, -kInf), 0.0f);
    EXPECT_EQ(slope(activation, -kMax), 0.0f);
    EXPECT_EQ(slope(activation, 0.0f), 0.5f);
    EXPECT_EQ(slope(activation, 0x1p-149f), activation == Activation::kElu ? 1.0f : 0.5f);
    EXPECT_EQ(slope(activation, -0x1p-149f), 0.5f);
    EXPECT_TRUE(std::isnan(slope(activation, kNan)));
  }
  for (const float x : {0.0f, -0.0f, 6.0f, 7.0f, kInf, -1.0f, -kInf}) {
    EXPECT_EQ(slope(Activation::kRelu6, x), 0.0f) << x;
  }
  EXPECT_EQ(slope(Activation::kRelu6, 5.999f), 1.0f);
  EXPECT_EQ(slope(Activation::kLeakyRelu, 0.0f), 0.5f);
  EXPECT_EQ(slope(Activation::kLeakyRelu, 0x1p-149f), 1.0f);
  EXPECT_EQ(slope(Activation::kLeakyRelu, -kInf), 0.5f);
}

TEST_P(Special, PowerZeroIsOne) {
  for (const float x : kSpecial) {
    std::vector<float> y(67);
    unary(Unary::kPow, {0.0f}, repeated(x), y, serial_threads());
    EXPECT_EQ(y, repeated(1.0f)) << x;
  }
}

}  // namespace
}  // namespace nsop::kernels
