// Gradient clipping.
#include "layers/training/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

struct Gradients {
  std::vector<float> a, b;
  std::vector<Parameter> parameters{{"a", {static_cast<int64_t>(a.size())}, {}, a},
                                    {"b", {static_cast<int64_t>(b.size())}, {}, b},
                                    {"none", {0}, {}, {}}};
};

TEST(GradientClipper, NormIsThatOfAllParametersTogether) {
  Gradients g{{3, 0}, {0, 0, 4}};
  GradientClipper clipper(g.parameters);
  EXPECT_DOUBLE_EQ(clipper.clip_norm(5), 5);
  EXPECT_EQ(g.a[0], 3);
  EXPECT_DOUBLE_EQ(clipper.clip_norm(1), 5);
  EXPECT_FLOAT_EQ(g.a[0], 0.6f);
  EXPECT_FLOAT_EQ(g.b[2], 0.8f);
  EXPECT_NEAR(clipper.clip_norm(1), 1, 1e-6);
}

TEST(GradientClipper, NormOfHugeAndManyNumbersIsRight) {
  Gradients g{std::vector<float>(100'003, 2e30f), {2e30f}};
  const double norm = 2e30f * std::sqrt(100'004.0);
  EXPECT_NEAR(GradientClipper(g.parameters, 2).clip_norm(1e-3) / norm, 1, 1e-5);
  EXPECT_NEAR(g.b[0] / (1e-3 / std::sqrt(100'004.0)), 1, 1e-5);
}

TEST(GradientClipper, ANormThatIsNoNumberChangesNothing) {
  Gradients g{{1, 2}, {kNan, std::numeric_limits<float>::infinity(), 7}};
  EXPECT_FALSE(std::isfinite(GradientClipper(g.parameters).clip_norm(1)));
  EXPECT_EQ(g.a, (std::vector<float>{1, 2}));
  EXPECT_EQ(g.b[2], 7);
}

TEST(GradientClipper, ValuesAreHeldBetweenTheLimits) {
  Gradients g{{3, -0.25f}, {-3, kNan, 0.5f}};
  GradientClipper(g.parameters).clip_value(0.5);
  EXPECT_EQ(g.a, (std::vector<float>{0.5f, -0.25f}));
  EXPECT_EQ(g.b[0], -0.5f);
  EXPECT_TRUE(std::isnan(g.b[1]));
}

TEST(GradientClipper, RefusesLimitsThatAreNone) {
  Gradients g{{1}, {2}};
  GradientClipper clipper(g.parameters);
  for (const double bad : {0.0, -1.0, static_cast<double>(kNan)}) {
    EXPECT_THROW(clipper.clip_norm(bad), Error);
    EXPECT_THROW(clipper.clip_value(bad), Error);
  }
  EXPECT_THROW(GradientClipper(g.parameters, 0), Error);
  EXPECT_EQ(g.a[0], 1);
}

}  // namespace
}  // namespace nsop::layers
