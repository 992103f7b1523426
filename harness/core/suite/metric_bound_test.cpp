#include "harness/core/suite/metric_bound.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

using testing::HasSubstr;

MetricBound bound(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  EXPECT_TRUE(looks_like_metric_bound(words)) << text;
  return parse_metric_bound(words);
}

std::string refusal_of(const std::string& text) {
  try {
    bound(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage) << text;
    return error.what();
  }
  ADD_FAILURE() << text << " is taken";
  return "";
}

TEST(MetricBound, NumbersAreInTheBaseUnit) {
  EXPECT_EQ(bound("allocs = 0").number, 0);
  EXPECT_EQ(bound("peak_bytes <= 64 MB").number, 64e6);
  EXPECT_EQ(bound("peak_bytes <= 64 MiB").number, 64 << 20);
  EXPECT_EQ(bound("bytes <= 64").number, 64);
  EXPECT_EQ(bound("ns <= 500").number, 500);
  EXPECT_EQ(bound("ms <= 2.5").number, 2.5e6);
  EXPECT_EQ(bound("ms <= 2.5 us").number, 2500);  // a unit that is written counts
  EXPECT_EQ(bound("train_call_ns <= 0.87 ms").number, 870'000);
  EXPECT_EQ(bound("episodes_per_s >= 100").number, 100);
}

TEST(MetricBound, ARateIsOfWhatIsCounted) {
  const MetricBound rate = bound("moves_per_s >= 100");
  EXPECT_EQ(rate.metric.quantity, Quantity::kRate);
  EXPECT_EQ(rate.metric.counted, "moves");
  EXPECT_FALSE(rate.metric.exact);
  EXPECT_THAT(refusal_of("allocs_per_s >= 1"), HasSubstr("unknown metric 'allocs_per_s'"));
  EXPECT_THAT(refusal_of("train_call_ns_per_s >= 1"), HasSubstr("unknown metric"));
  EXPECT_THAT(refusal_of("_per_s >= 1"), HasSubstr("unknown metric"));
}

TEST(MetricBound, AnUnknownMetricIsToldAllThatAreKnown) {
  const std::string message = refusal_of("speed >= 100");
  for (const GoalMetric& one : goal_metrics()) EXPECT_THAT(message, HasSubstr(one.name));
  EXPECT_THAT(message, HasSubstr("NAME_per_s"));
}

TEST(MetricBound, UnitsMustFit) {
  EXPECT_THAT(refusal_of("peak_bytes <= 64 ms"), HasSubstr("expected B, kB, MB, GB, KiB"));
  EXPECT_THAT(refusal_of("ns <= 64 MB"), HasSubstr("expected ns, us"));
  EXPECT_THAT(refusal_of("allocs <= 64 B"), HasSubstr("a number alone"));
  EXPECT_THAT(refusal_of("episodes_per_s >= 64 s"), HasSubstr("a number alone"));
}

TEST(MetricBound, WhatIsSampledEqualsNoNumber) {
  EXPECT_THAT(refusal_of("ns = 12"), HasSubstr("sampled"));
  EXPECT_THAT(refusal_of("episodes_per_s = 12"), HasSubstr("sampled"));
  EXPECT_THAT(refusal_of("peak_rss_bytes = 12"), HasSubstr("sampled"));
}

TEST(MetricBound, OnlyItsFormLooksLikeOne) {
  for (const char* text : {"", "allocs", "allocs =", "allocs 0", "allocs < 3", "allocs == 0",
                           "allocs = -1", "allocs = none", "allocs = 1e3", "allocs = nan",
                           "allocs = 1 B per op", "hwy <= 2.0 x numpy", "hwy <= numpy"}) {
    EXPECT_FALSE(looks_like_metric_bound(split(text, ' '))) << text;
  }
}

RC_GTEST_PROP(MetricBound, HoldsOnItsGoodSideOnly, ()) {
  const int number = *rc::gen::inRange(0, 1000), value = *rc::gen::inRange(0, 1000);
  const std::string text = std::to_string(number);
  RC_ASSERT(holds(bound("allocs >= " + text), value) == (value >= number));
  RC_ASSERT(holds(bound("allocs <= " + text), value) == (value <= number));
  RC_ASSERT(holds(bound("allocs = " + text), value) == (value == number));
}

RC_GTEST_PROP(MetricBound, EveryMetricTakesANumberAndItsUnits, ()) {
  const GoalMetric metric = goal_metrics()[*rc::gen::inRange<size_t>(0, goal_metrics().size())];
  const int number = *rc::gen::inRange(0, 1'000'000);
  const MetricBound read = bound(metric.name + " <= " + std::to_string(number));
  RC_ASSERT(read.metric.name == metric.name);
  RC_ASSERT(read.number == number * metric.unit);
}

}  // namespace
}  // namespace nsop
