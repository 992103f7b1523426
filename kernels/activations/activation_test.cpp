// relu, tanh and sigmoid: special values, sizes, threads. Their accuracy: accuracy_test.cpp.
#include <bit>
#include <cstdint>

#include "kernels/activations/relu.h"
#include "kernels/activations/sigmoid.h"
#include "kernels/activations/tanh.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

constexpr float kDenormal = 0x1p-149f;

using Forward = void (*)(std::span<const float>, std::span<float>, ThreadPool&);
using Backward = void (*)(std::span<const float>, std::span<const float>, std::span<float>,
                          ThreadPool&);

float one(Forward forward, float x) {
  // A whole vector and a tail: both code paths must agree.
  const std::vector<float> xs(67, x);
  GuardedFloats y(xs.size());
  forward(xs, y.span(), serial_threads());
  EXPECT_TRUE(y.intact());
  for (const float value : y.span()) {
    EXPECT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(y.span()[0]))
        << "at x = " << x;
  }
  return y.span()[0];
}

class Activations : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, Activations, testing::ValuesIn(targets()), target_param_name);

TEST_P(Activations, ReluOfSpecialValues) {
  EXPECT_EQ(one(relu_forward, 2.5f), 2.5f);
  EXPECT_EQ(one(relu_forward, -2.5f), 0.0f);
  EXPECT_EQ(one(relu_forward, kInf), kInf);
  EXPECT_EQ(one(relu_forward, -kInf), 0.0f);
  EXPECT_EQ(one(relu_forward, kDenormal), kDenormal);
  EXPECT_EQ(one(relu_forward, -kDenormal), 0.0f);
  EXPECT_EQ(one(relu_forward, -0.0f), 0.0f);
  EXPECT_TRUE(std::isnan(one(relu_forward, kNan)));
}

TEST_P(Activations, TanhOfSpecialValues) {
  EXPECT_EQ(one(tanh_forward, kInf), 1.0f);
  EXPECT_EQ(one(tanh_forward, -kInf), -1.0f);
  EXPECT_EQ(one(tanh_forward, 100.0f), 1.0f);
  EXPECT_EQ(one(tanh_forward, -100.0f), -1.0f);
  EXPECT_EQ(one(tanh_forward, kDenormal), kDenormal);
  EXPECT_EQ(one(tanh_forward, -kDenormal), -kDenormal);
  EXPECT_EQ(one(tanh_forward, 1e-39f), 1e-39f);
  EXPECT_TRUE(std::signbit(one(tanh_forward, -0.0f)));
  EXPECT_TRUE(std::isnan(one(tanh_forward, kNan)));
  EXPECT_TRUE(std::isnan(one(tanh_forward, -kNan)));
}

TEST_P(Activations, SigmoidOfSpecialValues) {
  EXPECT_EQ(one(sigmoid_forward, kInf), 1.0f);
  EXPECT_EQ(one(sigmoid_forward, -kInf), 0.0f);
  EXPECT_EQ(one(sigmoid_forward, 0.0f), 0.5f);
  EXPECT_EQ(one(sigmoid_forward, kDenormal), 0.5f);
  EXPECT_EQ(one(sigmoid_forward, 40.0f), 1.0f);
  EXPECT_EQ(one(sigmoid_forward, -200.0f), 0.0f);
  EXPECT_GT(one(sigmoid_forward, -100.0f), 0.0f);  // a denormal
  EXPECT_TRUE(std::isnan(one(sigmoid_forward, kNan)));
}

TEST_P(Activations, GradientsAreTheirFormulas) {
  for (size_t n = 0; n < 150; ++n) {
    const std::vector<float> saved = random_floats(n, n);
    const std::vector<float> dy = random_floats(n, n + 1000);
    GuardedFloats relu(n, 1);
    GuardedFloats tanh(n, 3);
    GuardedFloats sigmoid(n);
    relu_backward(saved, dy, relu.span(), serial_threads());
    tanh_backward(saved, dy, tanh.span(), serial_threads());
    sigmoid_backward(saved, dy, sigmoid.span(), serial_threads());
    EXPECT_TRUE(relu.intact() && tanh.intact() && sigmoid.intact()) << n;
    for (size_t i = 0; i < n; ++i) {
      const double s = saved[i];
      EXPECT_EQ(relu.span()[i], s > 0 ? dy[i] : 0.0f);
      EXPECT_NEAR(tanh.span()[i], dy[i] * (1 - s * s), 2e-7);
      EXPECT_NEAR(sigmoid.span()[i], dy[i] * s * (1 - s), 4e-7);
    }
  }
}

TEST_P(Activations, ReluGradientAtZeroAndNan) {
  const std::vector<float> x = {0.0f, -0.0f, kNan, kInf, -kInf};
  const std::vector<float> dy(x.size(), 3.0f);
  std::vector<float> dx(x.size());
  relu_backward(x, dy, dx, serial_threads());
  EXPECT_EQ(dx, (std::vector<float>{0.0f, 0.0f, 0.0f, 3.0f, 0.0f}));
}

TEST_P(Activations, AnySizeTouchesItsOutputOnly) {
  for (size_t n = 0; n < 150; ++n) {
    const std::vector<float> x = random_floats(n, n);
    for (const Forward forward : {relu_forward, tanh_forward, sigmoid_forward}) {
      GuardedFloats y(n, n % 5);
      forward(x, y.span(), serial_threads());
      EXPECT_TRUE(y.intact()) << n;
      for (const float value : y.span()) EXPECT_FALSE(std::isnan(value)) << n;
    }
  }
}

TEST_P(Activations, ThreadsAndPlaceDontChangeTheResult) {
  const std::vector<float> x = random_floats(200003, 7);
  const std::vector<float> dy = random_floats(200003, 8);
  for (const Forward forward : {relu_forward, tanh_forward, sigmoid_forward}) {
    std::vector<float> alone(x.size());
    forward(x, alone, serial_threads());
    for (const int threads : {2, 3}) {
      std::vector<float> in_place = x;
      forward(in_place, in_place, shared_threads(threads));
      EXPECT_EQ(in_place, alone) << threads;
    }
  }
  for (const Backward backward : {relu_backward, tanh_backward, sigmoid_backward}) {
    std::vector<float> alone(x.size());
    backward(x, dy, alone, serial_threads());
    std::vector<float> in_place = dy;
    backward(x, in_place, in_place, shared_threads(3));
    EXPECT_EQ(in_place, alone);
  }
}

}  // namespace
}  // namespace nsop::kernels
