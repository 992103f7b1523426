#include "harness/stats/means.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace nsop::stats {
namespace {

Comparison row(double ratio, double lo, double hi) {
  Comparison c;
  c.ratio = ratio;
  c.lo = lo;
  c.hi = hi;
  return c;
}

TEST(GeometricMean, IsThatOfRatiosAndOfTheirEnds) {
  const std::vector<Comparison> rows = {row(0.25, 0.2, 0.3), row(1, 0.8, 1.2)};
  const Comparison mean = geometric_mean(rows);
  EXPECT_DOUBLE_EQ(mean.ratio, 0.5);
  EXPECT_DOUBLE_EQ(mean.lo, 0.4);
  EXPECT_DOUBLE_EQ(mean.hi, 0.6);
}

TEST(GeometricMean, ARowWithoutAnIntervalLeavesNone) {
  const std::vector<Comparison> rows = {row(0.5, 0.4, 0.6), row(2, 0, INFINITY)};
  const Comparison mean = geometric_mean(rows);
  EXPECT_DOUBLE_EQ(mean.ratio, 1);
  EXPECT_EQ(mean.lo, 0);
  EXPECT_EQ(mean.hi, INFINITY);
}

TEST(GeometricMean, OfNothingSaysNothing) {
  EXPECT_EQ(geometric_mean({}).ratio, 1);
  EXPECT_EQ(geometric_mean({}).lo, 0);
}

RC_GTEST_PROP(GeometricMean, LiesWithinItsInterval, ()) {
  std::vector<Comparison> rows;
  for (const int percent : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 400))) {
    rows.push_back(row(percent / 100.0, 0.9 * percent / 100.0, 1.2 * percent / 100.0));
  }
  const Comparison mean = geometric_mean(rows);
  RC_ASSERT(mean.lo <= mean.ratio && mean.ratio <= mean.hi);
}

}  // namespace
}  // namespace nsop::stats
