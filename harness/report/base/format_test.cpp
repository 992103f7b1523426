#include "harness/report/base/format.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace nsop::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Format, HumanTimeHasThreeSignificantDigits) {
  EXPECT_EQ(human_time(0), "0 ns");
  EXPECT_EQ(human_time(0.4321), "0.432 ns");
  EXPECT_EQ(human_time(9.996), "10.0 ns");
  EXPECT_EQ(human_time(412), "412 ns");
  EXPECT_EQ(human_time(999.4), "999 ns");
  EXPECT_EQ(human_time(999.6), "1.00 µs");
  EXPECT_EQ(human_time(3'809'430), "3.81 ms");
  EXPECT_EQ(human_time(999'600'000), "1.00 s");
  EXPECT_EQ(human_time(1.25e9), "1.25 s");
  EXPECT_EQ(human_time(20.706e9), "20.7 s");
  EXPECT_EQ(human_time(1234e9), "1,234 s");
  EXPECT_EQ(human_time(kNan), "n/a");
  EXPECT_EQ(human_time(-1), "n/a");
}

TEST(Format, NanosecondsHaveSeparators) {
  EXPECT_EQ(ns_per_op(3'809'430.4), "3,809,430");
  EXPECT_EQ(ns_per_op(100), "100");
  EXPECT_EQ(ns_per_op(99.96), "100");
  EXPECT_EQ(ns_per_op(99.94), "99.9");
  EXPECT_EQ(ns_per_op(41.53), "41.5");
  EXPECT_EQ(ns_per_op(20'706'564'862), "20,706,564,862");
}

TEST(Format, CountsAndSizes) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(221'280), "221,280");
  EXPECT_EQ(count_text(1.5), "1.50");
  EXPECT_EQ(count_text(3'214'028'776), "3,214,028,776");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(48 * 1024), "48 KiB");
  EXPECT_EQ(human_bytes(1.25 * 1024 * 1024), "1.25 MiB");
}

TEST(Format, SignificantNeverHasAnExponent) {
  EXPECT_EQ(significant(0.02731), "0.0273");
  EXPECT_EQ(significant(12.36), "12.4");
  EXPECT_EQ(significant(0.0000123456), "0.0000123");
  EXPECT_EQ(significant(123456), "123,456");
}

TEST(Format, AnIntervalOfATimeIsInTheUnitOfTheTime) {
  EXPECT_EQ(time_interval_text(556e6, 515e6, 1024e6), "[515, 1,024]");
  EXPECT_EQ(time_interval_text(1.0e3, 999, 1010), "[0.999, 1.01]");
  EXPECT_EQ(time_interval_text(41.5, 41.25, 43), "[41.2, 43.0]");
  EXPECT_EQ(time_interval_text(0, 0, 1), "n/a");
  EXPECT_EQ(time_interval_text(2, 3, 1), "n/a");
}

TEST(Format, TicksHaveNoTrailingZeros) {
  EXPECT_EQ(time_tick(1), "1 ns");
  EXPECT_EQ(time_tick(10'000), "10 µs");
  EXPECT_EQ(time_tick(200e6), "200 ms");
  EXPECT_EQ(number_tick(0.5), "0.5");
  EXPECT_EQ(number_tick(1'000'000), "1,000,000");
}

TEST(Format, RatesAndMultiples) {
  EXPECT_EQ(flop_rate_text(118.24), "118 GFLOP/s");
  EXPECT_EQ(byte_rate_text(97.54), "97.5 GB/s");
  EXPECT_EQ(byte_rate_text(kNan), "n/a");
  EXPECT_EQ(multiple_text(0.4213), "0.42x");
  EXPECT_EQ(multiple_text(0), "n/a");
  EXPECT_EQ(interval_text(0.401, 1.0249), "[0.40, 1.02]");
  EXPECT_EQ(interval_text(0, 1), "n/a");
  EXPECT_EQ(bytes_tick(10'000), "10 kB");
  EXPECT_EQ(bytes_tick(2e6), "2 MB");
  EXPECT_EQ(bytes_tick(500), "500 B");
  EXPECT_EQ(bytes_tick(-1), "n/a");
}

TEST(Format, SpeedNamesItsDirection) {
  EXPECT_EQ(speed_text(3.8721), "3.87x faster");
  EXPECT_EQ(speed_text(2), "2.00x faster");
  EXPECT_EQ(speed_text(0.5), "2.00x slower");
  EXPECT_EQ(speed_text(1.9999), "2.00x faster");  // not beside `50.0 % less time`
  EXPECT_EQ(speed_text(1 / 1.9999), "2.00x slower");
  EXPECT_EQ(speed_text(1.994), "49.8 % less time");
  EXPECT_EQ(speed_text(57'723.0 / 631'850), "10.9x slower");
  EXPECT_EQ(speed_text(20.706564862 / 7.708476288), "2.69x faster");
  EXPECT_EQ(speed_text(2000), "2,000x faster");
  EXPECT_EQ(speed_text(0), "n/a");
  EXPECT_EQ(speed_text(kInfinity), "n/a");
  EXPECT_EQ(speed_text(kNan), "n/a");
}

TEST(Format, SpeedBelowTwoIsAChangeOfTheTimeInPerCent) {
  EXPECT_EQ(speed_text(1), "the same time");
  EXPECT_EQ(speed_text(1.0004), "the same time");
  EXPECT_EQ(speed_text(0.9996), "the same time");
  EXPECT_EQ(speed_text(1.25), "20.0 % less time");
  EXPECT_EQ(speed_text(0.8), "25.0 % more time");
  EXPECT_EQ(speed_text(1 / 1.001), "0.1 % more time");
}

TEST(Format, IntervalSpeaksTheDirectionOfItsRatio) {
  EXPECT_EQ(speed_interval_text(3.87, 3.71, 4.02), "[3.71, 4.02]");
  EXPECT_EQ(speed_interval_text(0.5, 0.4, 0.625), "[1.60, 2.50]");
  EXPECT_EQ(speed_interval_text(1.25, 1, 1.6), "[0.0 %, 37.5 %]");
  EXPECT_EQ(speed_interval_text(0.8, 0.6, 1.25), "[-20.0 %, 66.7 %]");
  EXPECT_EQ(speed_interval_text(1, 0, 2), "n/a");
}

// Below two it is per cent, above factors, and no factor is below one.
TEST(Format, IntervalThatLeavesTheScaleOfItsRatioNamesBothEnds) {
  EXPECT_EQ(speed_interval_text(1 / 1.938, 1 / 5.736, 1 / 0.655),
            "[5.74x slower, 34.5 % less time]");
  EXPECT_EQ(speed_interval_text(1.16, 1 / 3.043, 4.098), "[3.04x slower, 4.10x faster]");
  EXPECT_EQ(speed_interval_text(1 / 2.34, 1 / 11.3, 1 / 0.48), "[11.3x slower, 2.08x faster]");
  EXPECT_EQ(speed_interval_text(1.9, 1.8, 2.1), "[44.4 % less time, 2.10x faster]");
}

TEST(Format, Percent) {
  EXPECT_EQ(change_text(0.031), "+3.1 %");
  EXPECT_EQ(change_text(-0.003), "-0.3 %");
  EXPECT_EQ(change_text(-0.0001), "0.0 %");
  EXPECT_EQ(change_text(12.34), "+1,234.0 %");
  EXPECT_EQ(share_text(0), "0 %");
  EXPECT_EQ(share_text(0.0042), "0.42 %");
  EXPECT_EQ(share_text(0.00001), "<0.01 %");
  EXPECT_EQ(share_text(0.00996), "1.0 %");
  EXPECT_EQ(share_text(0.534), "53.4 %");
  EXPECT_EQ(share_text(0.9999), "100 %");
  EXPECT_EQ(share_text(1), "100 %");
}

TEST(Format, ReductionComesFromUnroundedCounts) {
  EXPECT_EQ(reduction_text(221'280, 92), "99.96 %");
  EXPECT_EQ(reduction_text(28, 21), "25.0 %");
  EXPECT_EQ(reduction_text(25, 26), "4.0 % more");
  EXPECT_EQ(reduction_text(200'829'122, 62), ">99.99 %");
  EXPECT_EQ(reduction_text(3, 0), "100 %");
  EXPECT_EQ(reduction_text(7, 7), "0 %");
  EXPECT_EQ(reduction_text(100'000, 99'999), "<0.1 %");
  EXPECT_EQ(reduction_text(0, 0), "none to reduce");
  EXPECT_EQ(reduction_text(0, 3), "3 more (from 0)");
  EXPECT_EQ(reduction_text(std::nullopt, 3), "n/a");
  EXPECT_EQ(reduction_text(3, std::nullopt), "n/a");
}

// A positive number between e^-15 and e^15, spread evenly over the orders of magnitude.
double spread(int step) { return std::exp(step / 1000.0); }

RC_GTEST_PROP(FormatProperty, FasterOnlyAboveOneAndSlowerOnlyBelow, ()) {
  const double speed = spread(*rc::gen::inRange(-15'000, 15'000));
  const std::string text = speed_text(speed);
  const auto says = [&](const char* what) { return text.find(what) != std::string::npos; };
  if (speed < 1) RC_ASSERT(!says("faster") && !says("less"));
  if (speed >= 1) RC_ASSERT(!says("slower") && !says("more"));
  RC_ASSERT(text[0] != '0' || says("%"));  // never `0.09x slower`
}

RC_GTEST_PROP(FormatProperty, SpeedAndItsInverseShowTheSameFactor, ()) {
  const double speed = spread(*rc::gen::inRange(700, 15'000));  // from a factor of two on
  const std::string faster = speed_text(speed);
  const std::string slower = speed_text(1 / speed);
  RC_ASSERT(faster.substr(0, faster.find('x')) == slower.substr(0, slower.find('x')));
}

RC_GTEST_PROP(FormatProperty, HundredPercentOnlyWhenNothingIsLeft, ()) {
  const double before = *rc::gen::inRange<int64_t>(1, int64_t{1} << 50);
  const double after = *rc::gen::inRange<int64_t>(0, int64_t{1} << 30);
  const bool says_all = reduction_text(before, after) == "100 %";
  RC_ASSERT(says_all == (after == 0));
}

RC_GTEST_PROP(FormatProperty, HumanTimeNeverReachesTheNextUnit, ()) {
  const double ns = spread(*rc::gen::inRange(0, 20'000));
  const std::string text = human_time(ns);
  if (!text.ends_with(" s")) RC_ASSERT(text.substr(0, 4) != "1000");
  RC_ASSERT(text.find('e') == std::string::npos);
  RC_ASSERT(text.size() <= 8);  // `x.xx µs`; µ is two bytes
}

}  // namespace
}  // namespace nsop::report
