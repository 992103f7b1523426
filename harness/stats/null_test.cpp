// Simulated comparisons with known truth: how often the verdicts are wrong, and whether they see
// what they should. Every seed is fixed, so that every run of the tests sees the same numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/core/tensor/random.h"
#include "harness/stats/between_runs.h"
#include "harness/stats/comparison.h"
#include "harness/stats/testing/rows_support.h"

namespace nsop::stats {
namespace {

constexpr int kSeeds = 2000;

class Noise {
 public:
  explicit Noise(uint64_t seed) : generator_(seed) {}
  double normal() {  // Box & Muller 1958
    return std::sqrt(2 * skewed()) * std::cos(2 * std::numbers::pi * generator_.uniform());
  }
  // What timings look like: never faster than the machine allows, now and then far slower.
  double skewed() { return -std::log(1 - generator_.uniform()); }

 private:
  SplitMix64 generator_;
};

struct World {
  double tau = 0;        // between runs
  double within = 0.01;  // between invocations of a run
  int invocations = 8;
  bool skewed = false;
};

// One stored run of a row whose true time is `level`.
RowSummary simulate(const World& world, double level, Noise& noise) {
  const double run = world.tau * noise.normal();
  std::vector<double> values;
  for (int i = 0; i < world.invocations; ++i) {
    const double e = world.skewed ? noise.skewed() : noise.normal();
    values.push_back(level * std::exp(run + world.within * e));
  }
  return row_of(values);
}

struct Tally {
  int better = 0, same = 0, worse = 0, inconclusive = 0,
      missed = 0;  // missed: truth outside interval
};

void count(const Comparison& c, double truth, Tally& tally) {
  tally.better += c.verdict == Verdict::kBetter;
  tally.same += c.verdict == Verdict::kSame;
  tally.worse += c.verdict == Verdict::kWorse;
  tally.inconclusive += c.verdict == Verdict::kInconclusive;
  tally.missed += truth < c.lo || truth > c.hi;
}

Tally unpaired(const World& world, double truth, const Policy& policy) {
  Tally tally;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Noise noise(seed);
    const RowSummary before = simulate(world, 1000, noise);
    count(compare_unpaired(before, simulate(world, 1000 * truth, noise), Bound::kCore, policy),
          truth, tally);
  }
  return tally;
}

// Both sides of a round share its disturbance; `within` is what they do not share.
Tally paired(const World& world, double truth) {
  Tally tally;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Noise noise(seed);
    std::vector<double> before, after;
    for (int round = 0; round < world.invocations; ++round) {
      const double level = 1000 * std::exp(0.3 * noise.normal());
      before.push_back(level * std::exp(world.within * noise.normal()));
      after.push_back(level * truth * std::exp(world.within * noise.normal()));
    }
    count(compare_paired(row_of(before), row_of(after), Bound::kCore, {}), truth, tally);
  }
  return tally;
}

constexpr double kNominal = 0.01 * kSeeds;  // of Policy::confidence

class UnpairedNull : public testing::TestWithParam<World> {};

TEST_P(UnpairedNull, IsRarelyCalledAChange) {
  const World world = GetParam();
  const Tally tally = unpaired(world, 1, {.tau = world.tau});
  EXPECT_LE(tally.better + tally.worse, kNominal);
}

// The interval keeps its promise itself, not only thanks to the margin. Three standard deviations
// of a binomial count are allowed.
TEST_P(UnpairedNull, IntervalCoversTheTruth) {
  const World world = GetParam();
  const Tally tally = unpaired(world, 1, {.tau = world.tau});
  EXPECT_LE(tally.missed, kNominal + 3 * std::sqrt(kNominal));
}

INSTANTIATE_TEST_SUITE_P(Worlds, UnpairedNull,
                         testing::Values(World{.tau = 0.005, .within = 0.002},
                                         World{.tau = 0.03, .within = 0.01},
                                         World{.tau = 0.005, .within = 0.1},
                                         World{.tau = 0, .within = 0.05},
                                         World{.tau = 0.03, .within = 0.03, .skewed = true},
                                         World{.tau = 0, .within = 0.1, .skewed = true},
                                         World{.tau = 0.005, .within = 0.05, .invocations = 2},
                                         World{.tau = 0.005, .within = 0.05, .invocations = 3},
                                         World{.tau = 0.005, .within = 0.05, .invocations = 6},
                                         World{.tau = 0.005, .within = 0.05, .invocations = 20}));

// Runs whose tau is learned from a dozen others, which is not known well: how often the interval
// misses the truth, by the t quantile of its degrees of freedom and as if it were known.
TEST(Unpaired, ALearnedTauCoversTheTruth) {
  const World world{.tau = 0.03, .within = 0.001};
  for (const size_t runs : {12, 21, 61}) {
    Tally learned, as_if_known;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Noise noise(seed);
      std::vector<double> steps;
      for (double last = noise.normal(); steps.size() + 1 < runs;) {
        const double next = noise.normal();
        steps.push_back(world.tau * (next - last));
        last = next;
      }
      Policy policy;
      policy.tau = tau_of_steps(steps).value();
      const RowSummary before = simulate(world, 1000, noise), after = simulate(world, 1000, noise);
      count(compare_unpaired(before, after, Bound::kCore, policy), 1, as_if_known);
      policy.tau_df = kTauDfPerStep * static_cast<double>(steps.size());
      count(compare_unpaired(before, after, Bound::kCore, policy), 1, learned);
    }
    EXPECT_LE(learned.missed, kNominal + 3 * std::sqrt(kNominal)) << runs;
    if (runs == 12) {
      EXPECT_GT(as_if_known.missed, 2 * kNominal) << "what the t quantile is for";
    }
  }
}

// Why tau is there: without it every second A/A pair of a shared host would "change".
TEST(Unpaired, ForgettingTauRaisesFalseAlarms) {
  const World shared{.tau = 0.03, .within = 0.003};
  const Tally blind = unpaired(shared, 1, {.tau = 0});
  EXPECT_GT(blind.better + blind.worse, 20 * kNominal);
}

// `same` must not hide a change that is larger than the margin.
TEST(Unpaired, SameIsRarelySaidOfARealChange) {
  for (const double within : {0.002, 0.01, 0.03}) {
    const Tally tally = unpaired({.tau = 0.005, .within = within}, 1.031, {});
    EXPECT_LE(tally.same, kNominal) << within;
    EXPECT_EQ(tally.better, 0) << within;
  }
}

TEST(Unpaired, SeesALargeChangeOnAQuietHost) {
  const Tally tally = unpaired({.tau = 0.005, .within = 0.005}, 1.10, {});
  EXPECT_GE(tally.worse, 0.99 * kSeeds);
  EXPECT_EQ(tally.same, 0);
}

TEST(Unpaired, QuietNullsAreMostlySame) {
  const Tally tally = unpaired({.tau = 0.002, .within = 0.002}, 1, {});
  EXPECT_GE(tally.same, 0.95 * kSeeds);
}

TEST(Paired, NullsAreRarelyCalledAChange) {
  for (const int rounds : {6, 10, 20}) {
    for (const double within : {0.003, 0.03, 0.1}) {
      const Tally tally = paired({.within = within, .invocations = rounds}, 1);
      EXPECT_LE(tally.better + tally.worse, kNominal) << rounds << " " << within;
      EXPECT_LE(tally.missed, kNominal + 3 * std::sqrt(kNominal)) << rounds << " " << within;
    }
  }
}

TEST(Paired, SeesThroughSharedNoise) {
  const Tally change = paired({.within = 0.01, .invocations = 20}, 1.10);
  EXPECT_GE(change.worse, 0.99 * kSeeds);
  const Tally improvement = paired({.within = 0.01, .invocations = 20}, 1 / 1.10);
  EXPECT_GE(improvement.better, 0.99 * kSeeds);
  const Tally none = paired({.within = 0.005, .invocations = 20}, 1);
  EXPECT_GE(none.same, 0.99 * kSeeds);
}

// Directions are alike: a rule that cries "slower" more often than "faster" would be found here.
TEST(Paired, FalseAlarmsHaveNoDirection) {
  const Tally tally = paired({.within = 0.02, .invocations = 10}, 1.03);
  const Tally mirrored = paired({.within = 0.02, .invocations = 10}, 1 / 1.03);
  EXPECT_NEAR(tally.worse, mirrored.better, 3 * std::sqrt(2.0 * std::max(tally.worse, 1)));
}

}  // namespace
}  // namespace nsop::stats
