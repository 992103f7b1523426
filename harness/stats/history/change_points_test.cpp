#include "harness/stats/history/change_points.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "harness/core/tensor/random.h"
#include "harness/stats/base/distributions.h"

namespace nsop::stats {
namespace {

// `count` nights around `base` with relative noise `sd`.
std::vector<HistoryPoint> quiet_nights(size_t count, double base, double sd, uint64_t seed) {
  SplitMix64 generator(seed);
  std::vector<HistoryPoint> history;
  for (size_t i = 0; i < count; ++i) {
    const double u = std::min(std::max(generator.uniform(), 1e-12), 1 - 1e-12);
    history.push_back({base * std::exp(sd * normal_quantile(u)), "host"});
  }
  return history;
}

void scale_from(std::vector<HistoryPoint>& history, size_t index, double factor) {
  for (size_t i = index; i < history.size(); ++i) history[i].value *= factor;
}

TEST(ChangePoints, AStepIsFoundWhereItIs) {
  for (const double factor : {1.05, 1.10, 0.95}) {
    auto history = quiet_nights(100, 1000, 0.005, 1);
    scale_from(history, 60, factor);
    const auto found = change_points(history, {});
    ASSERT_EQ(found.size(), 1u) << factor;
    EXPECT_EQ(found[0].index, 60u);
    EXPECT_NEAR(found[0].ratio, factor, 0.01);
    EXPECT_LT(found[0].lo, factor);
    EXPECT_GT(found[0].hi, factor);
  }
}

// A step of noise right behind a large step once took its place: both were a level of too few
// points away from each other, and the first of them went.
TEST(ChangePoints, AStepOfNoiseBehindItDoesNotMoveALargeStep) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    auto history = quiet_nights(24, 1000, 0.00115, seed);
    scale_from(history, 12, 1.1);
    const auto found = change_points(history, {});
    ASSERT_EQ(found.size(), 1u) << seed;
    ASSERT_EQ(found[0].index, 12u) << seed;
  }
}

TEST(ChangePoints, AHugeStepIsFound) {
  for (const double factor : {3.0, 10.0, 1000.0, 0.01}) {
    auto history = quiet_nights(100, 1000, 0.002, 1);
    scale_from(history, 90, factor);
    const auto found = change_points(history, {});
    ASSERT_EQ(found.size(), 1u) << factor;
    EXPECT_EQ(found[0].index, 90u);
  }
}

TEST(ChangePoints, AQuietHistoryHasNone) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_TRUE(change_points(quiet_nights(120, 50, 0.01, seed), {}).empty()) << seed;
  }
}

TEST(ChangePoints, AWildNightIsNoLevel) {
  auto history = quiet_nights(100, 1000, 0.005, 2);
  history[50].value *= 3;
  history[99].value *= 2;
  EXPECT_TRUE(change_points(history, {}).empty());
  EXPECT_TRUE(trips(history));  // worth measuring again, not worth an alert
}

TEST(ChangePoints, ANewHostRebasesTheLevel) {
  auto history = quiet_nights(100, 1000, 0.005, 3);
  scale_from(history, 50, 1.3);
  EXPECT_EQ(change_points(history, {}).size(), 1u);
  for (size_t i = 50; i < history.size(); ++i) history[i].segment = "other";
  EXPECT_TRUE(change_points(history, {}).empty());
  scale_from(history, 80, 1.1);
  const auto found = change_points(history, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].index, 80u);
}

TEST(ChangePoints, TheFirstNightsOfANewToolchainAreNoAlarm) {
  for (const double factor : {1.3, 0.7}) {
    for (const size_t nights : {1, 2, 3, 4}) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        auto history = quiet_nights(40 + nights, 1000, 0.005, seed);
        scale_from(history, 40, factor);
        for (size_t i = 40; i < history.size(); ++i) history[i].segment = "new";
        EXPECT_FALSE(trips(history)) << factor << " after " << nights;
        EXPECT_TRUE(change_points(history, {}).empty()) << factor << " after " << nights;
      }
    }
  }
}

TEST(ChangePoints, ANightOfANewToolchainThatStandsOutTripsFromTheFourthOn) {
  for (const size_t nights : {3, 4, 8}) {
    auto history = quiet_nights(40 + nights, 1000, 0.005, 1);
    scale_from(history, 40, 1.3);
    for (size_t i = 40; i < history.size(); ++i) history[i].segment = "new";
    history.back().value *= 1.1;
    EXPECT_EQ(trips(history), nights >= 4) << nights;
    EXPECT_NEAR(trip_ratio(history).value_or(1.1), 1.1, 0.02);
  }
}

TEST(ChangePoints, AToolchainOfAFewNightsBetweenTwoOthersIsNoAlarm) {
  for (const size_t nights : {1, 3, 5}) {
    auto history = quiet_nights(80, 1000, 0.005, 2);
    scale_from(history, 40, 1.5);
    scale_from(history, 40 + nights, 0.8);
    for (size_t i = 40; i < history.size(); ++i) history[i].segment = i < 40 + nights ? "b" : "c";
    EXPECT_TRUE(change_points(history, {}).empty()) << nights;
    EXPECT_FALSE(trips(history)) << nights;
  }
}

TEST(ChangePoints, AChangeJustBeforeANewToolchainStaysWhereItIs) {
  auto history = quiet_nights(100, 1000, 0.005, 3);
  scale_from(history, 45, 1.1);
  scale_from(history, 50, 1.3);
  for (size_t i = 50; i < history.size(); ++i) history[i].segment = "other";
  scale_from(history, 58, 1.1);
  const auto found = change_points(history, {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].index, 45u);
  EXPECT_EQ(found[1].index, 58u);
}

TEST(ChangePoints, AShortReturnToAnEarlierLevelIsAMode) {
  auto history = quiet_nights(100, 1000, 0.003, 4);
  scale_from(history, 40, 1.06);
  scale_from(history, 70, 1 / 1.06);
  EXPECT_EQ(change_points(history, {}).size(), 2u);  // a regression and its repair, 30 nights long
  auto late = quiet_nights(100, 1000, 0.003, 4);
  scale_from(late, 40, 1.06);
  scale_from(late, 94, 1 / 1.06);
  EXPECT_EQ(change_points(late, {}).size(), 1u);
}

TEST(ChangePoints, ShortHistoriesAndConstantOnes) {
  EXPECT_TRUE(change_points({}, {}).empty());
  EXPECT_TRUE(change_points(quiet_nights(11, 5, 0.5, 5), {}).empty());
  EXPECT_TRUE(change_points(std::vector<HistoryPoint>(40, {7.0, "host"}), {}).empty());
}

RC_GTEST_PROP(ChangePointsProperty, TheUnitDoesNotMatter, (uint64_t seed)) {
  auto history = quiet_nights(60, 1, 0.01, seed);
  scale_from(history, 20 + seed % 20, 1.08);
  auto scaled = history;
  for (HistoryPoint& p : scaled) p.value *= 1024;
  const auto a = change_points(history, {}), b = change_points(scaled, {});
  RC_ASSERT(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) RC_ASSERT(a[i].index == b[i].index);
}

// Faster is slower in a mirror: the same places, the inverse ratios.
RC_GTEST_PROP(ChangePointsProperty, AMirroredHistoryHasMirroredChanges, (uint64_t seed)) {
  auto history = quiet_nights(100, 1000, 0.005, seed);
  scale_from(history, 60, 1.0 + 0.01 * static_cast<double>(seed % 20));
  auto mirrored = history;
  for (HistoryPoint& p : mirrored) p.value = 1e6 / p.value;
  const auto a = change_points(history, {}), b = change_points(mirrored, {});
  RC_ASSERT(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    // Levels of a grid that is not symmetric: a tie may fall one night to the other side.
    RC_ASSERT(std::max(a[i].index, b[i].index) - std::min(a[i].index, b[i].index) <= 1u);
    RC_ASSERT(std::abs(a[i].ratio * b[i].ratio - 1) < 2e-3);
  }
  RC_ASSERT(trips(history) == trips(mirrored));
}

// A newest night further out stands out as well, in whatever unit, and in the mirror.
RC_GTEST_PROP(TripProperty, FurtherOutStillTrips, (uint64_t seed)) {
  auto history = quiet_nights(40, 1000, 0.01, seed);
  const double level = 1000;
  bool tripped = false;
  for (const double factor : {1.01, 1.03, 1.06, 1.12, 1.5, 20.0}) {
    history.back().value = level * factor;
    const bool now = trips(history);
    RC_ASSERT(now || !tripped);
    tripped = now;
    auto scaled = history, mirrored = history;
    for (HistoryPoint& p : scaled) p.value *= 1024;
    for (HistoryPoint& p : mirrored) p.value = 1e6 / p.value;
    RC_ASSERT(trips(scaled) == now);
    RC_ASSERT(trips(mirrored) == now);
  }
  RC_ASSERT(tripped);
}

RC_GTEST_PROP(ChangePointsProperty, ALargerStepIsNotLost, (uint64_t seed)) {
  const auto quiet = quiet_nights(100, 1000, 0.005, seed);
  bool found = false;
  for (const double factor : {1.02, 1.04, 1.08, 1.2, 2.0, 10.0}) {
    auto history = quiet;
    scale_from(history, 60, factor);
    const bool now = !change_points(history, {}).empty();
    RC_ASSERT(now || !found);
    found = now;
  }
  RC_ASSERT(found);
}

TEST(ChangePoints, AReturnIsHeldUnlessAStepOfItsSizeWasConfirmed) {
  auto history = quiet_nights(78, 1000, 0.003, 1);
  scale_from(history, 40, 1.06);
  scale_from(history, 70, 1 / 1.06);
  const auto indices = [&](const std::vector<size_t>& confirmed) {
    std::vector<size_t> found;
    for (const ChangePoint& c : change_points(history, {}, confirmed)) found.push_back(c.index);
    return found;
  };
  const std::vector<size_t> one = {40}, both = {40, 70};
  EXPECT_EQ(indices({}), one);
  EXPECT_EQ(indices({40}), both);
  EXPECT_EQ(indices({43}), both) << "a detector may be off";
  EXPECT_EQ(indices({55}), one) << "of something else";
}

TEST(ChangePoints, AConfirmedStepOfAnotherSizeLeavesModesHeld) {
  auto history = quiet_nights(100, 1000, 0.002, 1);
  scale_from(history, 30, 1.20);
  scale_from(history, 60, 1.04);  // another mode, and back for too short a time
  scale_from(history, 90, 1 / 1.04);
  for (const ChangePoint& c : change_points(history, {}, {30})) EXPECT_LT(c.index, 80u);
}

// The looks at a history, one point at a time; the first that tells of a change at 60.
size_t told_after(const std::vector<HistoryPoint>& history) {
  for (size_t count = 61; count <= history.size(); ++count) {
    const std::vector<HistoryPoint> seen(history.begin(),
                                         history.begin() + static_cast<std::ptrdiff_t>(count));
    for (const ChangePoint& c : told_changes(seen, {})) {
      if (c.index == 60) return count - 60;
    }
  }
  return 0;
}

TEST(ToldChanges, ALargeStepNeedsOneLookASmallOneMore) {
  auto large = quiet_nights(100, 1000, 0.005, 1), small = large;
  scale_from(large, 60, 1.10);
  scale_from(small, 60, 1.022);
  const size_t shortest = ChangePolicy().shortest;
  EXPECT_EQ(told_after(large), shortest);
  const size_t first = [&] {
    for (size_t count = 61;; ++count) {
      const auto end = small.begin() + static_cast<std::ptrdiff_t>(count);
      if (!change_points({small.begin(), end}, {}).empty()) return count - 60;
    }
  }();
  const size_t told = told_after(small);
  EXPECT_GE(told, first + 1);
  EXPECT_LE(told, first + 2) << "as long as every look shows it";
}

TEST(ToldChanges, WhatTheLookBeforeDidNotShowIsNotTold) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto history = quiet_nights(60, 1000, 0.01, seed);
    scale_from(history, 50, 1.03);
    for (const ChangePoint& c : told_changes(history, {})) {
      const auto before = change_points({history.begin(), history.end() - 1}, {});
      const double clear = (std::abs(std::log(c.ratio)) - 0.01) / (std::log(c.hi / c.ratio) / 3.3);
      const bool shown = std::any_of(before.begin(), before.end(), [&](const ChangePoint& b) {
        return std::max(b.index, c.index) - std::min(b.index, c.index) <= 5 &&
               (b.ratio > 1) == (c.ratio > 1);
      });
      const bool is_new = history.size() - c.index < TellPolicy().late;
      EXPECT_TRUE(shown || (clear >= 7 && is_new)) << seed;
    }
  }
}

TEST(ToldChanges, OneThatIsLateTakesALookMore) {
  TellPolicy never_late;
  never_late.late = 1000;
  size_t told = 0, as_if_new = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto history = quiet_nights(60, 1000, 0.01, seed);
    scale_from(history, 50, 1.03);
    const size_t late = told_changes(history, {}).size();
    EXPECT_LE(late, told_changes(history, {}, {}, never_late).size()) << seed;
    told += late;
    as_if_new += told_changes(history, {}, {}, never_late).size();
    const auto end = history.begin() + 50 + static_cast<std::ptrdiff_t>(TellPolicy().late) - 1;
    const std::vector<HistoryPoint> earlier(history.begin(), end);
    for (const ChangePoint& c : told_changes(earlier, {}, {}, never_late)) {
      if (earlier.size() - c.index >= TellPolicy().late) continue;
      EXPECT_FALSE(told_changes(earlier, {}).empty()) << "that one is new yet, seed " << seed;
    }
  }
  EXPECT_GT(told, 0u);
  EXPECT_LT(told, as_if_new);
}

TEST(ToldChanges, AnOldOneIsNot) {
  auto history = quiet_nights(100, 1000, 0.005, 1);
  scale_from(history, 60, 1.05);
  EXPECT_EQ(change_points(history, {}).size(), 1u);
  EXPECT_TRUE(told_changes(history, {}).empty());
  history.resize(60 + TellPolicy().oldest);
  EXPECT_EQ(told_changes(history, {}).size(), 1u);
  history.push_back(history.back());
  EXPECT_TRUE(told_changes(history, {}).empty());
}

TEST(ToldChanges, OfTooFewPointsThereAreNone) {
  EXPECT_TRUE(told_changes({}, {}).empty());
  EXPECT_TRUE(told_changes(quiet_nights(11, 1000, 0.005, 1), {}).empty());
  EXPECT_TRUE(told_changes(quiet_nights(12, 1000, 0.005, 1), {}).empty());
}

}  // namespace
}  // namespace nsop::stats
