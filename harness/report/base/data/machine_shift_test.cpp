#include "harness/report/base/data/machine_shift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace nsop::report {
namespace {

using stats::Verdict;

stats::Comparison judged(Verdict verdict, double lo, double hi) {
  stats::Comparison c;
  c.ratio = (lo + hi) / 2;
  c.lo = lo;
  c.hi = hi;
  c.verdict = verdict;
  c.note = "said";
  return c;
}

Verdict beside(double ratio, const stats::Comparison& c) {
  return beside_machine(c, MachineShift{ratio, 9}).verdict;
}

TEST(MachineShift, IsTheMedianOfAtLeastFiveRows) {
  EXPECT_FALSE(machine_shift({}).has_value());
  EXPECT_FALSE(machine_shift({0.9, 0.9, 0.9, 0.9}).has_value());
  const auto shift = machine_shift({0.5, 0.87, 0.88, 0.89, 2.0});
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->ratio, 0.88);
  EXPECT_EQ(shift->rows, 5U);
  EXPECT_TRUE(shift->moved());
  EXPECT_FALSE((MachineShift{1.015, 5}.moved()));
}

TEST(MachineShift, AFasterMachineMakesNoRowBetter) {
  EXPECT_EQ(beside(0.88, judged(Verdict::kBetter, 0.85, 0.91)), Verdict::kInconclusive);
  EXPECT_EQ(beside(0.88, judged(Verdict::kBetter, 0.7, 0.8)), Verdict::kBetter);
  EXPECT_EQ(beside(0.88, judged(Verdict::kWorse, 1.05, 1.1)), Verdict::kWorse);
  EXPECT_EQ(beside(0.88, judged(Verdict::kSame, 0.99, 1.01)), Verdict::kInconclusive)
      << "beside a faster machine it is slower";
}

TEST(MachineShift, ASlowerMachineMakesNoRowWorse) {
  EXPECT_EQ(beside(1.2, judged(Verdict::kWorse, 1.1, 1.3)), Verdict::kInconclusive);
  EXPECT_EQ(beside(1.2, judged(Verdict::kWorse, 1.3, 1.4)), Verdict::kWorse);
  EXPECT_EQ(beside(1.2, judged(Verdict::kBetter, 0.9, 0.95)), Verdict::kBetter);
}

TEST(MachineShift, ASteadyMachineChangesNothing) {
  const stats::Comparison same = judged(Verdict::kSame, 0.99, 1.01);
  EXPECT_EQ(beside(1.01, same), Verdict::kSame);
  EXPECT_EQ(beside_machine(same, MachineShift{1.01, 9}).note, "said");
}

TEST(MachineShift, AnUnknownMachineMayBeALittleFasterOrSlower) {
  const auto unknown = [](Verdict verdict, double lo, double hi) {
    return beside_machine(judged(verdict, lo, hi), std::nullopt);
  };
  EXPECT_EQ(unknown(Verdict::kBetter, 0.85, 0.9).verdict, Verdict::kInconclusive);
  EXPECT_EQ(unknown(Verdict::kBetter, 0.8, 0.86).verdict, Verdict::kBetter);
  EXPECT_EQ(unknown(Verdict::kWorse, 1.1, 1.2).verdict, Verdict::kInconclusive);
  EXPECT_EQ(unknown(Verdict::kWorse, 1.16, 1.2).verdict, Verdict::kWorse);
  EXPECT_EQ(unknown(Verdict::kWorse, 1.16, 1.2).note, "said");
  const stats::Comparison same = unknown(Verdict::kSame, 0.99, 1.01);
  EXPECT_EQ(same.verdict, Verdict::kInconclusive) << "a slower machine would make it faster";
  EXPECT_THAT(same.note, testing::HasSubstr("within 15 % it may be the machine's"));
}

TEST(MachineShift, OtherVerdictsStay) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(beside(0.5, judged(Verdict::kInconclusive, 0, infinity)), Verdict::kInconclusive);
  EXPECT_EQ(beside(0.5, judged(Verdict::kIncomparable, 1, 1)), Verdict::kIncomparable);
}

}  // namespace
}  // namespace nsop::report
