#include "harness/stats/history/creep.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace nsop::stats {
namespace {

// `count` nights that get slower by `per_night` each.
std::vector<HistoryPoint> creeping(size_t count, double per_night) {
  std::vector<HistoryPoint> history;
  for (size_t i = 0; i < count; ++i) {
    history.push_back({1000 * std::pow(1 + per_night, static_cast<double>(i)), "host"});
  }
  return history;
}

TEST(Creep, SmallStepsAddUp) {
  const auto history = creeping(90, 0.001);
  EXPECT_TRUE(change_points({history.begin(), history.begin() + 30}, {}).empty());
  const auto found = creep_since_best(history, 0, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->since, 7u);  // the last of the first eight nights
  EXPECT_NEAR(found->ratio, std::pow(1.001, 82), 1e-3);
}

TEST(Creep, ALevelHistoryHasNone) {
  EXPECT_FALSE(creep_since_best(creeping(90, 0), 0, {}).has_value());
  EXPECT_FALSE(creep_since_best(creeping(90, 0.0004), 0, {}).has_value());
  EXPECT_FALSE(creep_since_best(creeping(90, -0.002), 0, {}).has_value());
}

TEST(Creep, OneWildNightIsNoLevel) {
  auto history = creeping(40, 0);
  history[10].value /= 2;
  history[39].value *= 2;
  EXPECT_FALSE(creep_since_best(history, 0, {}).has_value());
}

TEST(Creep, OnlyTheNewestSegmentCounts) {
  auto history = creeping(60, 0.002);
  for (size_t i = 0; i < 45; ++i) history[i].segment = "other toolchain";
  EXPECT_FALSE(creep_since_best(history, 0, {}).has_value());
}

TEST(Creep, FromAGivenNightOn) {
  const auto history = creeping(90, 0.001);
  EXPECT_FALSE(creep_since_best(history, 60, {}).has_value());
  EXPECT_FALSE(creep_since_best(history, 80, {}).has_value());
  EXPECT_FALSE(creep_since_best({}, 0, {}).has_value());
}

TEST(Creep, SinceARelease) {
  const auto history = creeping(90, 0.001);
  const auto found = creep_since(history, 10, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->since, 10u);
  EXPECT_NEAR(found->ratio, std::pow(1.001, 75.5), 2e-3);
  EXPECT_FALSE(creep_since(history, 60, {}).has_value());  // too little since
  EXPECT_FALSE(creep_since(history, 85, {}).has_value());  // too near
  EXPECT_FALSE(creep_since(history, 90, {}).has_value());
}

RC_GTEST_PROP(CreepProperty, TheUnitDoesNotMatterAndTheRatioIsAboveTheLeast, ()) {
  const double per_night = *rc::gen::inRange(-300, 300) * 1e-5;
  auto history = creeping(60, per_night);
  const auto found = creep_since_best(history, 0, {});
  for (HistoryPoint& p : history) p.value *= 1e-6;
  const auto scaled = creep_since_best(history, 0, {});
  RC_ASSERT(found.has_value() == scaled.has_value());
  if (!found) return;
  RC_ASSERT(found->since == scaled->since);
  RC_ASSERT(found->ratio >= 1.05);
}

}  // namespace
}  // namespace nsop::stats
