#include "harness/stats/base/robust.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace nsop::stats {
namespace {

using testing::Optional;
using testing::Pair;

std::vector<double> values_of(size_t fewest) {
  const auto counts =
      *rc::gen::suchThat(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1000000)),
                         [fewest](const std::vector<int>& v) { return v.size() >= fewest; });
  return {counts.begin(), counts.end()};
}

TEST(Median, OddAndEven) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(ScaledMad, IgnoresOneWildValue) {
  EXPECT_NEAR(scaled_mad({1, 2, 3, 4, 1e9}), 1.4826, 1e-4);
  EXPECT_EQ(scaled_mad({5}), 0);
}

TEST(MedianInterval, NeedsSixValuesAt95Percent) {
  EXPECT_EQ(median_interval({1, 2, 3, 4, 5}, 0.95), std::nullopt);
  EXPECT_THAT(median_interval({6, 5, 4, 3, 2, 1}, 0.95), Optional(Pair(1, 6)));
  // n = 9: leaving out one at each end covers 96.1 %, two only 82 %.
  EXPECT_THAT(median_interval({1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.95), Optional(Pair(2, 8)));
  EXPECT_EQ(median_interval({}, 0.95), std::nullopt);
  EXPECT_EQ(median_interval({1}, 0.1), std::nullopt);
}

RC_GTEST_PROP(MedianInterval, ContainsTheMedian, ()) {
  const auto values = values_of(6);
  const auto interval = median_interval(values, 0.95);
  RC_ASSERT(interval.has_value());
  RC_ASSERT(interval->first <= median(values));
  RC_ASSERT(interval->second >= median(values));
}

TEST(TrimmedMean, CutsOneOfTenAtEachEnd) {
  const TrimmedMean m = trimmed_mean({1, 2, 3, 4, 5, 6, 7, 8, 9, 1000}, 0.1);
  EXPECT_DOUBLE_EQ(m.mean, 5.5);
  EXPECT_EQ(m.df, 7);
  // Winsorised: 2 2 3 4 5 6 7 8 9 9, variance 66.5 / 9.
  EXPECT_NEAR(m.standard_error, std::sqrt(66.5 / 9 * 9 / (8.0 * 7)), 1e-12);
}

TEST(TrimmedMean, IsTheMeanBelowTenValues) {
  const TrimmedMean m = trimmed_mean({1, 2, 3, 6}, 0.1);
  EXPECT_DOUBLE_EQ(m.mean, 3);
  EXPECT_EQ(m.df, 3);
  EXPECT_NEAR(m.standard_error, standard_deviation({1, 2, 3, 6}) / 2, 1e-12);
  EXPECT_EQ(trimmed_mean({5}, 0.1).standard_error, 0);
}

TEST(LogExcess, IsTheMeanOverTheLeast) {
  EXPECT_DOUBLE_EQ(log_excess({4, 2, 6}), std::log(2));
  EXPECT_EQ(log_excess({7}), 0);
  for (int i = 1; i < 1000; ++i) {
    const double value = i / 7.0;
    EXPECT_GE(log_excess(std::vector(10, value)), 0) << value << ": a mean is no less";
  }
}

// Five equal values of eight: the MAD is 0, but the median isn't known exactly.
TEST(MedianStandardError, IsNotZeroForTies) {
  EXPECT_GT(median_standard_error({1, 1, 1, 1, 1, 2, 3, 4}), 0);
  EXPECT_EQ(median_standard_error({1, 1, 1, 1, 1, 1}), 0);
}

RC_GTEST_PROP(Robust, OrderNeverMatters, ()) {
  const auto values = values_of(2);
  auto shuffled = values;
  std::reverse(shuffled.begin(), shuffled.end());
  std::swap(shuffled.front(), shuffled[shuffled.size() / 2]);
  RC_ASSERT(median(shuffled) == median(values));
  RC_ASSERT(scaled_mad(shuffled) == scaled_mad(values));
  RC_ASSERT(standard_deviation(shuffled) == standard_deviation(values));
  RC_ASSERT(median_standard_error(shuffled) == median_standard_error(values));
  RC_ASSERT(median_interval(shuffled, 0.95) == median_interval(values, 0.95));
  RC_ASSERT(trimmed_mean(shuffled, 0.1).mean == trimmed_mean(values, 0.1).mean);
  RC_ASSERT(trimmed_mean(shuffled, 0.1).standard_error == trimmed_mean(values, 0.1).standard_error);
}

RC_GTEST_PROP(Robust, ScaleFollows, ()) {
  const auto values = values_of(2);
  auto doubled = values;
  for (double& v : doubled) v *= 2;  // exact in binary
  RC_ASSERT(median(doubled) == 2 * median(values));
  RC_ASSERT(scaled_mad(doubled) == 2 * scaled_mad(values));
  RC_ASSERT(std::abs(median_standard_error(doubled) - 2 * median_standard_error(values)) <=
            1e-9 * median_standard_error(doubled));
}

}  // namespace
}  // namespace nsop::stats
