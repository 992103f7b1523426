#include "layers/core/initializers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace nsop::layers {
namespace {

constexpr Fan kFan{50, 150};

std::vector<float> drawn(Initializer how) {
  std::vector<float> weights(20000, 1);
  Random random(1);
  initialize(how, kFan, weights, random);
  return weights;
}

double variance(const std::vector<float>& weights) {
  return std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0) /
         static_cast<double>(weights.size());
}

TEST(Initializers, UniformOnesFillTheirBounds) {
  for (const auto& [how, bound] : {std::pair(Initializer::kUniform, 1 / std::sqrt(50.0)),
                                   std::pair(Initializer::kXavier, std::sqrt(6.0 / 200))}) {
    const std::vector<float> weights = drawn(how);
    const auto [least, most] = std::ranges::minmax(weights);
    EXPECT_GE(least, -bound * 1.000001);
    EXPECT_LT(least, -0.99 * bound);
    EXPECT_LE(most, bound * 1.000001);
    EXPECT_GT(most, 0.99 * bound);
    EXPECT_NEAR(variance(weights), bound * bound / 3, 0.03 * bound * bound);
  }
}

TEST(Initializers, HeHasTheVarianceForReLU) {
  EXPECT_NEAR(variance(drawn(Initializer::kHe)), 2.0 / 50, 0.03 * 2 / 50);
  EXPECT_EQ(variance(drawn(Initializer::kZero)), 0);
}

}  // namespace
}  // namespace nsop::layers
