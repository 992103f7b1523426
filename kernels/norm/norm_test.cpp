// The norms where the generic check doesn't look: large offsets, guarded buffers, special values.
#include "kernels/norm/norm.h"

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

class NormOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, NormOnTarget, testing::ValuesIn(targets()), target_param_name);

// Values of deviation 1 around 1000: sums of squares would lose six digits of the variance.
TEST_P(NormOnTarget, ALargeMeanDoesNotHurtTheVariance) {
  const NormPlanes s{3, 2, 3000, 0};
  std::vector<float> x(s.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1000.0f + (i % 2 == 0 ? -1.0f : 1.0f);
  const std::vector<float> ones(2, 1.0f);
  const std::vector<float> zeros(2, 0.0f);
  GuardedFloats y(x.size());
  GuardedFloats mean(2);
  GuardedFloats inv(2);
  plane_norm_forward(s, x, ones, zeros, y.span(), mean.span(), inv.span(), shared_threads(2));
  EXPECT_TRUE(y.intact() && mean.intact() && inv.intact());
  for (size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(mean.span()[c], 1000.0f);
    EXPECT_NEAR(inv.span()[c], 1 / std::sqrt(1 + 1e-5), 1e-7);
  }
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y.span()[i], x[i] - 1000.0f, 1e-5);
  for (const size_t length : {4, 40, 1000, 9000}) {
    const NormRows rows{2, length};
    const std::vector<float> part(x.begin(), x.begin() + static_cast<int64_t>(2 * length));
    const std::vector<float> gamma(length, 1.0f);
    const std::vector<float> beta(length, 0.0f);
    GuardedFloats z(part.size());
    row_norm_forward(rows, part, gamma, beta, z.span(), mean.span(), inv.span(), shared_threads(1));
    EXPECT_TRUE(z.intact());
    EXPECT_NEAR(inv.span()[1], 1 / std::sqrt(1 + 1e-5), 1e-7) << length;
  }
}

// The one pass over a block sums around a guess from its first values. Here they say nothing about
// the others: the variance must come from a second pass.
TEST_P(NormOnTarget, TheFirstValuesMayLieFarFromTheMean) {
  for (const size_t length : {100, 1000, 9000}) {
    std::vector<float> x(length);
    for (size_t i = 0; i < length; ++i) x[i] = i < 16 ? 2000.0f : 3000.0f + (i % 2 == 0 ? 1 : -1);
    double mean_of_x = 0;
    for (const float v : x) mean_of_x += v / static_cast<double>(length);
    double variance = 0;
    for (const float v : x) variance += (v - mean_of_x) * (v - mean_of_x) / length;
    const std::vector<float> ones(length, 1.0f);
    const std::vector<float> zeros(length, 0.0f);
    std::vector<float> y(length);
    std::vector<float> mean(1);
    std::vector<float> inv(1);
    row_norm_forward({1, length}, x, ones, zeros, y, mean, inv, shared_threads(1));
    EXPECT_NEAR(mean[0], mean_of_x, 1e-6 * 3000) << length;
    EXPECT_NEAR(inv[0] * std::sqrt(variance), 1, 1e-5) << length;
  }
}

// A mean that is rounded would leave a deviation, which epsilon doesn't hide in large values.
TEST_P(NormOnTarget, EqualValuesOfAnySizeBecomeTheBias) {
  for (const size_t length : {1, 3, 7, 13, 37, 64, 100, 1000, 5000}) {
    for (const float value : {0.1f, 12345.678f, -3e9f, 1.1e18f}) {
      const std::vector<float> x(3 * length, value);
      const std::vector<float> gamma = random_floats(length, 1);
      const std::vector<float> beta = random_floats(length, 2);
      std::vector<float> y(x.size());
      std::vector<float> mean(3);
      std::vector<float> inv(3);
      row_norm_forward({3, length}, x, gamma, beta, y, mean, inv, shared_threads(1));
      for (size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(y[i], beta[i % length]) << length << " of " << value << ", element " << i;
      }
      EXPECT_EQ(mean[2], value) << length;
    }
  }
}

TEST_P(NormOnTarget, AllBuffersStayInside) {
  for (const NormPlanes& s : {NormPlanes{2, 6, 35, 0}, {2, 6, 35, 3}, {3, 2, 5000, 0}}) {
    const std::vector<float> x = random_floats(s.size(), 1);
    const std::vector<float> dy = random_floats(s.size(), 2);
    const std::vector<float> gamma = random_floats(s.channels, 3);
    GuardedFloats y(s.size(), 1);
    GuardedFloats mean(s.statistics(), 1);
    GuardedFloats inv(s.statistics(), 1);
    plane_norm_forward(s, x, gamma, gamma, y.span(), mean.span(), inv.span(), shared_threads(3));
    GuardedFloats dx(s.size(), 1);
    GuardedFloats dgamma(s.channels, 1);
    GuardedFloats dbeta(s.channels, 1);
    GuardedFloats workspace(plane_norm_workspace_floats(s));
    plane_norm_backward(s, x, gamma, mean.span(), inv.span(), dy, dx.span(), dgamma.span(),
                        dbeta.span(), workspace.span(), shared_threads(3));
    EXPECT_TRUE(y.intact() && mean.intact() && inv.intact() && dx.intact());
    EXPECT_TRUE(dgamma.intact() && dbeta.intact() && workspace.intact());
    if (s.groups != 0) continue;
    const std::vector<float> ones(s.channels, 1.0f);
    plane_norm_inference_backward(s, x, gamma, mean.span(), ones, dy, dx.span(), dgamma.span(),
                                  dbeta.span(), workspace.span(), shared_threads(3));
    EXPECT_TRUE(dx.intact() && dgamma.intact() && dbeta.intact() && workspace.intact());
  }
  for (const size_t length : {1, 5, 17, 63, 65, 1000}) {
    const NormRows s{40, length};
    const std::vector<float> x = random_floats(s.rows * length, 1);
    const std::vector<float> dy = random_floats(s.rows * length, 2);
    const std::vector<float> gamma = random_floats(length, 3);
    GuardedFloats y(x.size(), 1);
    GuardedFloats mean(s.rows, 1);
    GuardedFloats inv(s.rows, 1);
    row_norm_forward(s, x, gamma, gamma, y.span(), mean.span(), inv.span(), shared_threads(3));
    GuardedFloats dx(x.size(), 1);
    GuardedFloats dgamma(length, 1);
    GuardedFloats dbeta(length, 1);
    GuardedFloats workspace(row_norm_workspace_floats(s, 3));
    row_norm_backward(s, x, gamma, mean.span(), inv.span(), dy, dx.span(), dgamma.span(),
                      dbeta.span(), workspace.span(), shared_threads(3));
    EXPECT_TRUE(y.intact() && mean.intact() && inv.intact() && dx.intact());
    EXPECT_TRUE(dgamma.intact() && dbeta.intact() && workspace.intact());
  }
}

// A NaN spoils its own group and no other.
TEST_P(NormOnTarget, NanStaysInItsGroup) {
  for (const size_t length : {3, 33, 500}) {
    const NormRows s{3, length};
    std::vector<float> x = random_floats(3 * length, 1);
    x[length + length / 2] = std::nanf("");
    const std::vector<float> gamma(length, 1.0f);
    GuardedFloats y(x.size());
    GuardedFloats mean(3);
    GuardedFloats inv(3);
    row_norm_forward(s, x, gamma, gamma, y.span(), mean.span(), inv.span(), shared_threads(1));
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(std::isnan(y.span()[i]), i / length == 1) << length << ": " << i;
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
