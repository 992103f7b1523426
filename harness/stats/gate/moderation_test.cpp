#include "harness/stats/gate/moderation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/core/tensor/random.h"
#include "harness/stats/base/distributions.h"
#include "harness/stats/gate/look.h"

namespace nsop::stats {
namespace {

// Rounds without a change, each a cluster of its own, with normal noise.
std::vector<PairedRound> noisy_rounds(size_t count, double sd, uint64_t seed) {
  SplitMix64 generator(seed);
  std::vector<PairedRound> rounds;
  for (size_t i = 0; i < count; ++i) {
    const double u = std::clamp(generator.uniform(), 1e-12, 1 - 1e-12);
    rounds.push_back({sd * normal_quantile(u), static_cast<int>(i)});
  }
  return rounds;
}

std::vector<RowVariance> variances_of(const std::vector<double>& sds, size_t rounds = 20) {
  std::vector<RowVariance> rows;
  for (size_t i = 0; i < sds.size(); ++i) {
    rows.push_back(*variance_of(noisy_rounds(rounds, sds[i], 100 + i)));
  }
  return rows;
}

TEST(Moderation, RowsOfTheSameNoiseTellItWithAsManyDegreesOfFreedomAsTheyMay) {
  const VariancePrior prior = prior_of(variances_of(std::vector<double>(400, 0.02)), 4);
  EXPECT_EQ(prior.df, 4);
  // The winsorised standard error of a trimmed mean of normal values is about 7 % above that of
  // the mean (Yuen 1974); the cap of the degrees of freedom puts the middle of ln chi^2 elsewhere.
  EXPECT_GT(std::sqrt(prior.variance), 0.014);
  EXPECT_LT(std::sqrt(prior.variance), 0.026);
}

TEST(Moderation, RowsOfVeryDifferentNoiseTellLittleOfEachOther) {
  std::vector<double> sds;
  for (int i = 0; i < 100; ++i) sds.push_back(0.001 * std::pow(2, i % 8));
  const VariancePrior prior = prior_of(variances_of(sds), 4);
  EXPECT_GT(prior.df, 0.2);
  EXPECT_LT(prior.df, 2);
}

TEST(Moderation, FewRowsOrNoneThatVaryTellNothing) {
  const std::vector<RowVariance> nine = variances_of(std::vector<double>(9, 0.02));
  EXPECT_EQ(prior_of(nine, 4).df, 0);
  std::vector<RowVariance> still = nine;
  still.resize(20, {0, 11});
  EXPECT_EQ(prior_of(still, 4).df, 0);
  EXPECT_EQ(prior_of(variances_of(std::vector<double>(20, 0.02)), 0).df, 0) << "not asked for";
  EXPECT_EQ(prior_of({}, 4).df, 0);
}

TEST(Moderation, ARowOfFewClustersHasNoVariance) {
  EXPECT_FALSE(variance_of(noisy_rounds(5, 0.02, 1)));
  EXPECT_TRUE(variance_of(noisy_rounds(6, 0.02, 1)));
}

TEST(Moderation, EachLookHasThePriorOfTheRoundsUntilThen) {
  std::vector<std::vector<PairedRound>> rows;
  for (uint64_t i = 0; i < 12; ++i) rows.push_back(noisy_rounds(i < 6 ? 6 : 10, 0.02, i));
  const std::vector<std::span<const PairedRound>> seen(rows.begin(), rows.end());
  const std::vector<VariancePrior> priors = priors_of(seen, {});
  ASSERT_EQ(priors.size(), 6u);
  std::vector<RowVariance> at_six, at_ten;
  for (const std::vector<PairedRound>& row : rows) {
    at_six.push_back(*variance_of(std::span(row).first(6)));
    at_ten.push_back(*variance_of(row));
  }
  EXPECT_EQ(priors[0].variance, prior_of(at_six, 4).variance);
  EXPECT_EQ(priors[1].variance, prior_of(at_ten, 4).variance);
  EXPECT_EQ(priors[5].variance, priors[1].variance) << "rows that left stay as they were";
  GatePolicy alone;
  alone.most_prior_df = 0;
  EXPECT_EQ(priors_of(seen, alone)[0].df, 0);
}

TEST(Moderation, ALuckyRowIsWidenedAndAnUnluckyOneNarrowed) {
  const std::vector<PairedRound> rounds = noisy_rounds(10, 0.01, 7);
  const double own = half_width(rounds, 0.004), variance = variance_of(rounds)->variance;
  EXPECT_GT(half_width(rounds, 0.004, {4, 9 * variance}), own);
  EXPECT_LT(half_width(rounds, 0.004, {4, variance / 9}), own);
  EXPECT_LT(half_width(rounds, 0.004, {4, variance}), own) << "more degrees of freedom";
  EXPECT_EQ(half_width(rounds, 0.004, {0, 9 * variance}), own);
}

TEST(Moderation, OnlyTheFastestRepetitionsAreModerated) {
  std::vector<PairedRound> rounds = noisy_rounds(10, 0.01, 8);
  for (PairedRound& one : rounds) one.log_excess = one.log_ratio;
  const Looked alone = look_at(rounds, 0.004, {}), together = look_at(rounds, 0.004, {}, {4, 1e-6});
  EXPECT_LT(together.of(Statistic::kFastest).half(), alone.of(Statistic::kFastest).half());
  EXPECT_EQ(together.of(Statistic::kExcess).half(), alone.of(Statistic::kExcess).half());
}

TEST(Moderation, DecidesARowThatIsOpenAlone) {
  const std::vector<PairedRound> rounds = noisy_rounds(10, 0.0135, 3);
  ASSERT_EQ(decide_gate(rounds, {}).verdict, Verdict::kInconclusive);
  const std::vector<VariancePrior> priors(6, {4, 1e-5});
  EXPECT_EQ(decide_gate(rounds, {}, priors).verdict, Verdict::kSame);
  EXPECT_EQ(decide_gate(rounds, {}, std::span(priors).first(1)).verdict, Verdict::kInconclusive)
      << "looks without a prior speak for themselves";
}

// The order of the rows says nothing, and the prior lies among what they say.
RC_GTEST_PROP(ModerationProperty, APriorIsOneOfTheRowsTogether, ()) {
  const auto count = *rc::gen::inRange<size_t>(kFewestRowsOfAPrior, 40);
  std::vector<RowVariance> rows;
  for (size_t i = 0; i < count; ++i) {
    rows.push_back({*rc::gen::inRange(1, 1000) * 1e-6, 1.0 * *rc::gen::inRange(3, 24)});
  }
  const VariancePrior prior = prior_of(rows, 4);
  RC_ASSERT(prior.df > 0 && prior.df <= 4);
  RC_ASSERT(prior.variance > 0 && std::isfinite(prior.variance));
  std::reverse(rows.begin(), rows.end());
  const VariancePrior again = prior_of(rows, 4);
  RC_ASSERT(std::abs(again.df - prior.df) < 1e-9);
  RC_ASSERT(std::abs(again.variance / prior.variance - 1) < 1e-9);
  for (RowVariance& row : rows) row.variance *= 100;
  RC_ASSERT(std::abs(prior_of(rows, 4).variance / prior.variance / 100 - 1) < 1e-9);
}

}  // namespace
}  // namespace nsop::stats
