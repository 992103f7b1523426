#include "harness/stats/between_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/core/tensor/random.h"
#include "harness/stats/base/distributions.h"
#include "harness/stats/comparison.h"

namespace nsop::stats {
namespace {

constexpr int64_t kDay = 86400;

// Nightly runs around 1000 ns with a relative standard deviation.
std::vector<RunValue> nights(int count, double sd, uint64_t seed) {
  SplitMix64 generator(seed);
  std::vector<RunValue> runs;
  for (int i = 0; i < count; ++i) {
    const double u = std::clamp(generator.uniform(), 1e-12, 1 - 1e-12);
    runs.push_back({1000 * std::exp(sd * normal_quantile(u)), i * kDay, "gcc"});
  }
  return runs;
}

TEST(BetweenRuns, FindsTheStandardDeviation) {
  for (const double sd : {0.004, 0.02, 0.1}) {
    const auto tau = tau_of_steps(run_steps(nights(2000, sd, 7)));
    ASSERT_TRUE(tau.has_value());
    EXPECT_NEAR(*tau / sd, 1, 0.1) << sd;
  }
}

TEST(BetweenRuns, ARealChangeNowAndThenDoesNotCount) {
  auto runs = nights(200, 0.01, 3);
  for (size_t i = 50; i < runs.size(); ++i) runs[i].value *= 1.5;
  for (size_t i = 120; i < runs.size(); ++i) runs[i].value *= 0.4;
  EXPECT_NEAR(*tau_of_steps(run_steps(runs)), 0.01, 0.003);
}

TEST(BetweenRuns, FewRunsTeachNothing) {
  EXPECT_FALSE(tau_of_steps(run_steps(nights(11, 0.01, 1))).has_value());
  EXPECT_TRUE(tau_of_steps(run_steps(nights(12, 0.01, 1))).has_value());
  EXPECT_FALSE(tau_of_steps({}).has_value());
}

TEST(BetweenRuns, RunsOfOneHourAreOneMood) {
  auto runs = nights(40, 0.01, 1);
  for (size_t i = 0; i < runs.size(); ++i) runs[i].at_s = static_cast<int64_t>(i) * 60;
  EXPECT_TRUE(run_steps(runs).empty());
  for (size_t i = 0; i < runs.size(); ++i) runs[i].at_s = static_cast<int64_t>(i) * 1800;
  EXPECT_EQ(run_steps(runs).size(), 19u);
}

TEST(BetweenRuns, AnotherToolchainIsNoStep) {
  auto runs = nights(20, 0, 1);
  for (size_t i = 10; i < runs.size(); ++i) {
    runs[i].value *= 3;
    runs[i].segment = "clang";
  }
  const auto steps = run_steps(runs);
  EXPECT_EQ(steps.size(), 18u);
  for (const double step : steps) EXPECT_EQ(step, 0);
  EXPECT_EQ(tau_of_steps(steps), 0.001);  // nothing is free of noise
}

RowKey key(const std::string& name) { return {name, "hwy", "AVX2", 1}; }

TEST(LearnTau, ARowHasItsOwnButNeverLessThanAllTogether) {
  std::map<RowKey, std::vector<double>> steps;
  steps[key("quiet")] = run_steps(nights(60, 0.002, 1));
  steps[key("usual")] = run_steps(nights(60, 0.01, 2));
  steps[key("other")] = run_steps(nights(60, 0.01, 3));
  steps[key("wild")] = run_steps(nights(60, 0.1, 4));
  steps[key("young")] = run_steps(nights(5, 0.1, 5));
  const LearnedTau learned = learn_tau(steps);
  EXPECT_EQ(learned.rows, 4);
  EXPECT_EQ(learned.steps, 4 * 59u);
  EXPECT_NEAR(learned.tau, 0.01, 0.004);
  EXPECT_NEAR(learned.df, 0.3 * 59, 1e-9) << "rows of one run share its mood";
  EXPECT_EQ(learned.row_tau.at(key("quiet")).tau, learned.tau);
  EXPECT_NEAR(learned.row_tau.at(key("wild")).tau, 0.1, 0.03);
  EXPECT_NEAR(learned.row_tau.at(key("wild")).df, 0.3 * 59, 1e-9);
  EXPECT_FALSE(learned.row_tau.contains(key("young")));
  const Policy policy = with_learned_tau({}, learned);
  EXPECT_EQ(policy.tau, learned.tau);
  EXPECT_EQ(policy.tau_df, learned.df);
}

TEST(LearnTau, TooLittleLeavesTheDefault) {
  const LearnedTau learned = learn_tau({{key("young"), run_steps(nights(5, 0.1, 5))}});
  EXPECT_EQ(learned.rows, 0);
  EXPECT_EQ(with_learned_tau({.tau = 0.03}, learned).tau, 0.03);
  EXPECT_EQ(with_learned_tau({.tau = 0.03}, learn_tau({})).tau, 0.03);
}

}  // namespace
}  // namespace nsop::stats
