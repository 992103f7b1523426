#include "harness/core/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nsop {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr Tolerance kTolerance = {.absolute = 0.01, .relative = 0.1};

CheckResult check(const std::vector<float>& got, const std::vector<double>& expected,
                  Tolerance tolerance = kTolerance) {
  const TensorF64 want{{static_cast<int64_t>(expected.size())}, expected};
  return check_output("y", got, want, tolerance);
}

TEST(CheckOutput, AcceptsErrorsUpToTheTolerance) {
  const CheckResult result = check({1.1F, -2.0F, 0.0F}, {1.0, -2.0, 0.005});
  EXPECT_TRUE(result.ok);
  EXPECT_NEAR(result.max_abs_error, 0.1, 1e-6);
  EXPECT_NEAR(result.worst_over_tolerance, 0.1 / 0.11, 1e-5);
  EXPECT_EQ(result.message, "");
}

TEST(CheckOutput, NamesTheWorstElementByItsPosition) {
  const TensorF64 want{{2, 3}, {1, 1, 1, 1, 1, 1}};
  const CheckResult result =
      check_output("dx", std::vector<float>{1, 1, 1.5F, 1, 3, 1}, want, kTolerance);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.message, testing::HasSubstr("output dx[1,1]: got 3, expected 1"));
  EXPECT_THAT(result.message, testing::HasSubstr("2 of 6 elements are wrong"));
  EXPECT_DOUBLE_EQ(result.max_abs_error, 2);
  EXPECT_DOUBLE_EQ(result.max_rel_error, 2);
}

TEST(CheckOutput, RelativeErrorIgnoresElementsNearZero) {
  EXPECT_DOUBLE_EQ(check({1000, 0.005F}, {1000, 0.001}).max_rel_error, 0);
}

TEST(CheckOutput, NanOrInfinityWhereAFiniteValueIsExpectedIsWrong) {
  for (const float bad : {kNan, kInf, -kInf}) {
    const CheckResult result = check({1, bad}, {1, 2});
    EXPECT_FALSE(result.ok);
    EXPECT_TRUE(std::isfinite(result.max_abs_error));
    EXPECT_TRUE(std::isfinite(result.max_rel_error));
    EXPECT_TRUE(std::isfinite(result.worst_over_tolerance));
  }
}

TEST(CheckOutput, ExpectedNanAndInfinityMustBeMet) {
  EXPECT_TRUE(check({kNan, kInf}, {kNan, kInf}).ok);
  EXPECT_FALSE(check({0.0F, kInf}, {kNan, kInf}).ok);
  EXPECT_FALSE(check({kNan, -kInf}, {kNan, kInf}).ok);
  EXPECT_FALSE(check({kNan, 1.0F}, {kNan, kInf}).ok);
}

TEST(CheckOutput, ExactOpsAllowNothing) {
  EXPECT_TRUE(check({0.5F, -0.0F}, {0.5, 0.0}, {}).ok);
  EXPECT_FALSE(check({0.5F}, {0.5 + 1e-12}, {}).ok);
}

TEST(CheckOutput, AWrongNumberOfElementsIsWrong) {
  const CheckResult result = check({1, 2}, {1, 2, 3});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message, "output y: 2 elements, expected 3");
}

TEST(Merge, KeepsTheWorse) {
  const CheckResult good = check({1.05F}, {1.0});
  const CheckResult bad = check({3}, {1});
  const CheckResult worse = check({9}, {1});
  EXPECT_TRUE(merge(passed(), good).ok);
  EXPECT_DOUBLE_EQ(merge(passed(), good).max_abs_error, good.max_abs_error);
  EXPECT_FALSE(merge(good, bad).ok);
  EXPECT_EQ(merge(good, bad).message, bad.message);
  EXPECT_EQ(merge(bad, worse).message, worse.message);
  EXPECT_EQ(merge(worse, bad).message, worse.message);
  EXPECT_DOUBLE_EQ(merge(bad, worse).max_rel_error, 8);
}

}  // namespace
}  // namespace nsop
