// Learning-rate schedules at the steps that matter.
#include "layers/training/schedule.h"

#include <gtest/gtest.h>

#include <limits>

#include "harness/core/error.h"

namespace nsop::layers {
namespace {

TEST(Schedule, ConstantStaysThere) {
  const Schedule s = Schedule::constant(0.1);
  EXPECT_EQ(s.at(0), 0.1);
  EXPECT_EQ(s.at(1'000'000'000), 0.1);
}

TEST(Schedule, StepFallsEverySoManySteps) {
  const Schedule s = Schedule::step(0.8, 3, 0.5);
  EXPECT_DOUBLE_EQ(s.at(2), 0.8);
  EXPECT_DOUBLE_EQ(s.at(3), 0.4);
  EXPECT_DOUBLE_EQ(s.at(5), 0.4);
  EXPECT_DOUBLE_EQ(s.at(9), 0.1);
}

TEST(Schedule, ExponentialFallsEveryStep) {
  const Schedule s = Schedule::exponential(1, 0.9);
  EXPECT_DOUBLE_EQ(s.at(0), 1);
  EXPECT_NEAR(s.at(10), 0.34867844010, 1e-11);
}

TEST(Schedule, CosineEndsAtItsLeastAndStays) {
  const Schedule s = Schedule::cosine(1, 100, 0.2);
  EXPECT_DOUBLE_EQ(s.at(0), 1);
  EXPECT_NEAR(s.at(25), 0.2 + 0.8 * (1 + 0.70710678118654752) / 2, 1e-12);
  EXPECT_NEAR(s.at(50), 0.6, 1e-12);
  EXPECT_NEAR(s.at(100), 0.2, 1e-12);
  EXPECT_NEAR(s.at(1000), 0.2, 1e-12);
}

TEST(Schedule, WarmUpGrowsInEqualPartsThenTheScheduleStarts) {
  const Schedule s = Schedule::step(1, 2, 0.5).after_warm_up(3);
  const double expected[] = {0.25, 0.5, 0.75, 1, 1, 0.5, 0.5, 0.25};
  for (int64_t step = 0; step < 8; ++step) EXPECT_DOUBLE_EQ(s.at(step), expected[step]) << step;
  EXPECT_DOUBLE_EQ(Schedule::constant(2).after_warm_up(0).at(0), 2);
}

TEST(Schedule, RefusesNumbersOutOfRange) {
  EXPECT_THROW(Schedule::constant(-1), Error);
  EXPECT_THROW(Schedule::constant(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(Schedule::step(1, 0, 0.5), Error);
  EXPECT_THROW(Schedule::step(1, 1, 0), Error);
  EXPECT_THROW(Schedule::exponential(1, 1.5), Error);
  EXPECT_THROW(Schedule::cosine(1, 0), Error);
  EXPECT_THROW(Schedule::cosine(1, 10, 2), Error);
  EXPECT_THROW(Schedule::constant(1).after_warm_up(-1), Error);
}

}  // namespace
}  // namespace nsop::layers
