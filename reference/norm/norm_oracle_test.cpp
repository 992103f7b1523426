// The oracles of the norms against values done by hand: variances of 4 or 1, so that only epsilon
// is odd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/testing/oracle_support.h"

namespace nsop::reference {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

const double kHalf = 1 / std::sqrt(4 + 1e-5);  // inv_std of variance 4
const double kOne = 1 / std::sqrt(1 + 1e-5);

auto near(const std::vector<double>& values) { return Pointwise(DoubleNear(1e-13), values); }

TEST(NormOracle, BatchnormIsPerChannel) {
  // Channel 0: 1 5 | 5 1, mean 3, variance 4; channel 1: all 7.
  const auto out = evaluate("batchnorm pass=forward in=2x2x1x2 mode=train",
                            {{1, 5, 7, 7, 5, 1, 7, 7}, {2, 1}, {10, 20}});
  const double d = 4 * kHalf;
  EXPECT_THAT(out[0].data, near({10 - d, 10 + d, 20, 20, 10 + d, 10 - d, 20, 20}));
  EXPECT_THAT(out[1].data, ElementsAre(3, 7));
  EXPECT_THAT(out[2].data, near({kHalf, 1 / std::sqrt(1e-5)}));
}

TEST(NormOracle, BatchnormWithGivenStatistics) {
  const auto out =
      evaluate("batchnorm pass=forward in=1x1x1x2 mode=eval", {{1, 5}, {3}, {10}, {2}, {1}});
  EXPECT_EQ(out.size(), 1U);
  EXPECT_THAT(out[0].data, near({10 - 3 * kOne, 10 + 9 * kOne}));
}

TEST(NormOracle, GroupnormIsPerSampleAndGroup) {
  // Channels 0 and 1 are a group: 1 5, mean 3; 2 and 3: 0 2, mean 1.
  const auto out = evaluate("groupnorm pass=forward in=1x4x1x1 groups=2",
                            {{1, 5, 0, 2}, {1, 2, 3, 1}, {0, 0, 0, 100}});
  EXPECT_THAT(out[0].data, near({-2 * kHalf, 4 * kHalf, -3 * kOne, 100 + kOne}));
  EXPECT_THAT(out[1].data, ElementsAre(3, 1));
}

TEST(NormOracle, LayernormHasOneGammaPerElement) {
  const auto out = evaluate("layernorm pass=forward n=2x2 last=1", {{1, 5, 2, 0}, {1, 2}, {0, 10}});
  EXPECT_THAT(out[0].data, near({-2 * kHalf, 10 + 4 * kHalf, kOne, 10 - 2 * kOne}));
  EXPECT_THAT(out[1].data, ElementsAre(3, 1));
  const auto whole = evaluate("layernorm pass=forward n=1x2 last=2", {{1, 5}, {1, 1}, {0, 0}});
  EXPECT_EQ(whole[1].shape, (Shape{1}));
}

TEST(NormOracle, RmsnormHasNoMean) {
  const auto out = evaluate("rmsnorm pass=forward n=1x2", {{2, -2}, {1, 3}});
  EXPECT_EQ(out.size(), 2U);
  EXPECT_THAT(out[0].data, near({2 * kHalf, -6 * kHalf}));
  EXPECT_THAT(out[1].data, near({kHalf}));
}

// A gradient that is the same everywhere, or proportional to the output, moves nothing.
TEST(NormOracle, BackwardProjectsOutMeanAndScale) {
  const auto constant =
      evaluate("layernorm pass=backward n=1x2 last=1", {{1, 5}, {1, 1}, {3}, {0.5}, {7, 7}});
  EXPECT_THAT(constant[0].data, ElementsAre(0, 0));
  EXPECT_THAT(constant[1].data, ElementsAre(-7, 7));
  EXPECT_THAT(constant[2].data, ElementsAre(7, 7));
  const auto scaled =
      evaluate("layernorm pass=backward n=1x2 last=1", {{1, 5}, {1, 1}, {3}, {0.5}, {-1, 1}});
  EXPECT_THAT(scaled[0].data, ElementsAre(0, 0));
}

TEST(NormOracle, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal_of("groupnorm pass=forward in=1x4x1x1 groups=3"),
              HasSubstr("don't divide into groups=3"));
  EXPECT_THAT(refusal_of("layernorm pass=forward n=7 last=2"), HasSubstr("last=2 of n=7"));
}

}  // namespace
}  // namespace nsop::reference
