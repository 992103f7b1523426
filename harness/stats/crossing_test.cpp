#include "harness/stats/crossing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <vector>

namespace nsop::stats {
namespace {

Comparison interval(double lo, double hi) {
  Comparison c;
  c.ratio = (lo + hi) / 2;
  c.lo = lo;
  c.hi = hi;
  return c;
}

const Comparison kWins = interval(0.5, 0.6);
const Comparison kOpen = interval(0.85, 1.1);
const Comparison kDoubtful = interval(0.95, 1.1);  // may well be slower
const Comparison kLoses = interval(1.2, 1.4);
const Comparison kUnknown = interval(0, std::numeric_limits<double>::infinity());

TEST(VerdictOfInterval, NeedsTheWholeIntervalOnOneSide) {
  EXPECT_EQ(verdict_of_interval(kWins), Verdict::kBetter);
  EXPECT_EQ(verdict_of_interval(kLoses), Verdict::kWorse);
  EXPECT_EQ(verdict_of_interval(kOpen), Verdict::kInconclusive);
  EXPECT_EQ(verdict_of_interval(interval(1, 1.2)), Verdict::kInconclusive);
  EXPECT_EQ(verdict_of_interval(interval(0.8, 1)), Verdict::kInconclusive);
}

TEST(VerdictOfInterval, IsOpenWithoutAnInterval) {
  EXPECT_EQ(verdict_of_interval(kUnknown), Verdict::kInconclusive);
  Comparison unlike = kWins;
  unlike.verdict = Verdict::kIncomparable;
  EXPECT_EQ(verdict_of_interval(unlike), Verdict::kInconclusive);
}

TEST(FirstLastingWin, IsTheSmallestSizeThatWinsAndNeverLosesAgain) {
  const std::vector<Comparison> clean = {kLoses, kOpen, kWins, kWins};
  EXPECT_EQ(first_lasting_win(clean), 2U);
  const std::vector<Comparison> twice = {kWins, kLoses, kOpen, kWins, kOpen};
  EXPECT_EQ(first_lasting_win(twice), 3U);
  EXPECT_EQ(first_lasting_win(std::vector{kWins, kDoubtful, kWins}), 2U);
}

TEST(FirstLastingWin, NeedsASureWin) {
  EXPECT_EQ(first_lasting_win({}), std::nullopt);
  EXPECT_EQ(first_lasting_win(std::vector{kLoses, kOpen, kOpen}), std::nullopt);
  EXPECT_EQ(first_lasting_win(std::vector{kWins, kWins, kLoses}), std::nullopt);
  EXPECT_EQ(first_lasting_win(std::vector{kWins, kWins, kDoubtful}), std::nullopt);
}

TEST(FirstLastingWin, ComparisonsWithoutAnIntervalDecideNothing) {
  EXPECT_EQ(first_lasting_win(std::vector{kUnknown, kWins, kUnknown}), 1U);
  Comparison failed = kLoses;
  failed.verdict = Verdict::kIncomparable;
  EXPECT_EQ(first_lasting_win(std::vector{kWins, failed, kWins}), 0U);
}

RC_GTEST_PROP(FirstLastingWin, NothingSlowerLiesAtOrAboveIt, ()) {
  const auto kinds = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5));
  std::vector<Comparison> all;
  for (const int kind : kinds) {
    const std::vector<Comparison> each = {kWins, kOpen, kLoses, kDoubtful, kUnknown};
    all.push_back(each[static_cast<size_t>(kind)]);
  }
  const auto first = first_lasting_win(all);
  if (!first) return;
  RC_ASSERT(kinds[*first] == 0);
  for (size_t i = *first; i < kinds.size(); ++i) RC_ASSERT(kinds[i] < 2 || kinds[i] == 4);
}

}  // namespace
}  // namespace nsop::stats
