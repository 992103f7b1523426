#include "harness/stats/gate/look.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nsop::stats {
namespace {

std::vector<PairedRound> rounds_from(const std::vector<double>& log_ratios) {
  std::vector<PairedRound> rounds;
  for (const double value : log_ratios) {
    rounds.push_back({value, static_cast<int>(rounds.size()), value});
  }
  return rounds;
}

TEST(SignTest, CountsTheTailOfFairCoins) {
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1);
  EXPECT_DOUBLE_EQ(sign_test(1, 1), 0.5);
  EXPECT_DOUBLE_EQ(sign_test(4, 4), 1.0 / 16);
  EXPECT_DOUBLE_EQ(sign_test(5, 6), 7.0 / 64);
  EXPECT_NEAR(sign_test(0, 160), 1, 1e-12);
  EXPECT_NEAR(sign_test(80, 160), 0.5 + 0.0315, 1e-4);  // half of P(exactly 80) more than half
}

TEST(Look, FewClustersHaveNoInterval) {
  const Looked looked = look_at(rounds_from({0, 0, 0, 0, 0}), 0.01, {});
  EXPECT_TRUE(std::isinf(looked.of(Statistic::kFastest).lo) &&
              std::isinf(looked.of(Statistic::kExcess).hi));
  const LogInterval& fastest = looked.of(Statistic::kFastest);
  EXPECT_FALSE(fastest.is_known() || fastest.within(0.5) || fastest.above(0) || fastest.below(0));
  EXPECT_EQ(p_value(rounds_from({1, 1, 1, 1, 1}), Statistic::kFastest, 0.01), 1);
}

TEST(Look, RoundsWithoutAStatisticAreLeftOutOfItAlone) {
  std::vector<PairedRound> rounds = rounds_from({0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2});
  for (const size_t i : {0, 3}) rounds[i].log_excess = std::numeric_limits<double>::quiet_NaN();
  Looked looked = look_at(rounds, 0.05, {});
  EXPECT_NEAR(looked.of(Statistic::kFastest).middle, 0.15, 1e-12);
  EXPECT_NEAR(looked.of(Statistic::kExcess).middle, 0.15, 1e-12);
  EXPECT_GT(looked.of(Statistic::kExcess).half(), looked.of(Statistic::kFastest).half());
  EXPECT_FALSE(looked.of(Statistic::kFirst).is_known());
  rounds[1].log_excess = std::numeric_limits<double>::quiet_NaN();
  looked = look_at(rounds, 0.05, {});
  EXPECT_FALSE(looked.of(Statistic::kExcess).is_known());
  EXPECT_FALSE(std::isinf(looked.of(Statistic::kFastest).lo));
}

TEST(Look, LopsidedIsWhatLiesFarOnOneSide) {
  std::vector<double> values(20, 0.0);
  const auto lopsided = [&] { return look_at(rounds_from(values), 0.01, {}).lopsided; };
  EXPECT_FALSE(lopsided());
  values[0] = values[1] = values[2] = 0.3;
  EXPECT_FALSE(lopsided()) << "three of three are one side in an eighth of all cases";
  values[3] = 0.3;
  EXPECT_TRUE(lopsided());
  values[4] = -0.3;
  EXPECT_FALSE(lopsided());
  values.assign(20, 0.039);  // within twice the margin
  EXPECT_FALSE(lopsided());
}

// What is true of head against base is true of base against head.
RC_GTEST_PROP(Look, IsSymmetric, ()) {
  std::vector<double> values, mirrored;
  const int count = *rc::gen::inRange(6, 40);
  for (int i = 0; i < count; ++i) {
    values.push_back(*rc::gen::inRange(-1000, 1000) / 5000.0);
    mirrored.push_back(-values.back());
  }
  const Looked a = look_at(rounds_from(values), 0.01, {}),
               b = look_at(rounds_from(mirrored), 0.01, {});
  RC_ASSERT(a.lopsided == b.lopsided);
  for (const Statistic one : {Statistic::kFastest, Statistic::kExcess}) {
    RC_ASSERT(std::abs(a.of(one).lo + b.of(one).hi) < 1e-9);
    RC_ASSERT(std::abs(a.of(one).hi + b.of(one).lo) < 1e-9);
  }
}

}  // namespace
}  // namespace nsop::stats
