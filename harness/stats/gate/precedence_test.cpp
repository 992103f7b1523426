#include "harness/stats/gate/precedence.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "harness/core/tensor/random.h"

namespace nsop::stats {
namespace {

// Values from 0 on, half of which something delays.
std::vector<double> delayed(SplitMix64& generator, size_t count, double shift) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    const bool late = generator.uniform() < 0.5;
    values.push_back(shift + 0.3 * generator.uniform() + (late ? 2 + generator.uniform() : 0));
  }
  return values;
}

TEST(Precedence, CountsTheWaysInWhichTheSmallestComeTogether) {
  EXPECT_DOUBLE_EQ(precedence(0, 5, 5), 1);
  EXPECT_DOUBLE_EQ(precedence(1, 5, 5), 0.5);
  EXPECT_DOUBLE_EQ(precedence(2, 2, 2), 1.0 / 6);
  EXPECT_DOUBLE_EQ(precedence(3, 10, 10), 120.0 / 1140);
  EXPECT_EQ(precedence(3, 2, 9), 0);
  EXPECT_LT(precedence(2, 3, 9), precedence(2, 9, 3));
}

TEST(Precedence, SamplesThatNothingRejectsHaveNoInterval) {
  EXPECT_FALSE(precedence_interval({}, {}, 0.01).is_known());
  EXPECT_FALSE(precedence_interval({1, 2, 3}, {1, 2, 3}, 0.01).is_known());
  EXPECT_FALSE(precedence_interval({1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.01).is_known());
}

TEST(Precedence, WhatIsDelayedWidensNothing) {
  std::vector<double> base, head;
  for (int i = 0; i < 20; ++i) base.push_back(0.01 * i), head.push_back(0.5 + 0.01 * i);
  const LogInterval quiet = precedence_interval(base, head, 0.01);
  EXPECT_NEAR(quiet.lo, 0.5 - 0.06, 1e-12);  // seven of 20 come together in 0.4 %
  EXPECT_NEAR(quiet.hi, 0.5 + 0.06, 1e-12);
  for (size_t i = 7; i < 20; ++i) base[i] += 5, head[i] += 9;
  const LogInterval late = precedence_interval(base, head, 0.01);
  EXPECT_DOUBLE_EQ(late.lo, quiet.lo);
  EXPECT_DOUBLE_EQ(late.hi, quiet.hi);
  head[6] += 9;
  EXPECT_GT(precedence_interval(base, head, 0.01).hi, 9);
}

TEST(Precedence, MissesTheShiftAsOftenAsItSays) {
  constexpr int kSamples = 4000;
  constexpr double kShift = 1.1, kAlpha = 0.05;
  SplitMix64 generator(7);
  int missed = 0;
  for (int i = 0; i < kSamples; ++i) {
    const std::vector<double> base = delayed(generator, 20, 0);
    const LogInterval one = precedence_interval(base, delayed(generator, 20, kShift), kAlpha);
    missed += !(one.lo <= kShift && kShift <= one.hi);
  }
  EXPECT_LE(missed, kSamples * kAlpha + 3 * std::sqrt(kSamples * kAlpha));
  EXPECT_GT(missed, kSamples * kAlpha / 4) << "the count can see what it is for";
}

RC_GTEST_PROP(PrecedenceProperty, MirrorsAndMovesWithItsSamples, (uint64_t seed)) {
  SplitMix64 generator(seed);
  const std::vector<double> base = delayed(generator, 12, 0);
  std::vector<double> head = delayed(generator, 15, 0.2);
  const LogInterval there = precedence_interval(base, head, 0.01);
  const LogInterval back = precedence_interval(head, base, 0.01);
  RC_ASSERT(there.lo == -back.hi && there.hi == -back.lo);
  RC_ASSERT(there.lo <= there.middle && there.middle <= there.hi);
  for (double& value : head) value += 1;
  RC_ASSERT(std::abs(precedence_interval(base, head, 0.01).lo - there.lo - 1) < 1e-9);
}

}  // namespace
}  // namespace nsop::stats
