// Spot checks; test_scipy_oracle.py compares whole ranges with SciPy.
#include "harness/stats/base/distributions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

namespace nsop::stats {
namespace {

double probability() { return *rc::gen::inRange(1, 1000000) / 1e6; }

TEST(Distributions, KnownValues) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(t_quantile(0.995, 9), 3.249835541592126, 1e-13);
  EXPECT_NEAR(normal_cdf(-37) / 5.725571222524577e-300, 1, 1e-12);
  EXPECT_DOUBLE_EQ(incomplete_beta(2, 3, 0.5), 0.6875);
  EXPECT_DOUBLE_EQ(fair_binomial_cdf(0, 5), 0.03125);
  EXPECT_EQ(fair_binomial_cdf(-1, 5), 0);
  EXPECT_EQ(fair_binomial_cdf(7, 5), 1);
}

TEST(Distributions, QuantilesOfWhatIsNoProbabilityEnd) {
  for (const double p : {-1.0, -1e-300, 1.5, 3.0, std::nan("")}) {
    EXPECT_TRUE(std::isnan(t_quantile(p, 5))) << p;
    EXPECT_TRUE(std::isnan(normal_quantile(p))) << p;
  }
  EXPECT_EQ(t_quantile(0, 5), -INFINITY);
  EXPECT_EQ(t_quantile(1, 5), INFINITY);
  EXPECT_LT(t_quantile(1e-9, 0.001), -1e100);
}

// One degree of freedom is the Cauchy distribution, whose quantile is a tangent.
RC_GTEST_PROP(Distributions, OneDegreeOfFreedomIsCauchy, ()) {
  const double p = probability();
  const double expected = std::tan(std::numbers::pi * (p - 0.5));
  RC_ASSERT(std::abs(t_quantile(p, 1) - expected) <= 1e-9 * (1 + std::abs(expected)));
}

RC_GTEST_PROP(Distributions, QuantilesInvert, ()) {
  const double p = probability();
  const double df = *rc::gen::inRange(1, 500);
  RC_ASSERT(std::abs(normal_cdf(normal_quantile(p)) - p) < 1e-12);
  RC_ASSERT(std::abs(t_cdf(t_quantile(p, df), df) - p) < 1e-10);
}

RC_GTEST_PROP(Distributions, QuantilesAreSymmetric, ()) {
  const double p = probability();
  const double df = *rc::gen::inRange(1, 500);
  const double t = t_quantile(p, df);
  RC_ASSERT(std::abs(t + t_quantile(1 - p, df)) <= 1e-8 * (1 + std::abs(t)));
  RC_ASSERT(t_quantile(0.5, df) == 0);
}

// What keeps a comparison of few values careful.
RC_GTEST_PROP(Distributions, FewerDegreesOfFreedomWiden, ()) {
  const double p = *rc::gen::inRange(600, 999) / 1e3;
  const double df = *rc::gen::inRange(1, 200);
  RC_ASSERT(t_quantile(p, df) > t_quantile(p, df + 1));
  RC_ASSERT(t_quantile(p, df) > normal_quantile(p));
}

}  // namespace
}  // namespace nsop::stats
