#include "harness/audit/checks/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tables, SpeedupOfTheColumnsBeforeAndAfter) {
  EXPECT_THAT(kinds_of("|Op|Before (ns)|After (ns)|Speedup|Change|\n|-|-|-|-|-|\n"
                       "|a|100.0|50.0|2.0x|-50.0 %|\n"
                       "|b|100.0|50.0|1.5x|+50.0 %|\n"),
              ElementsAre("3 right", "3 right", "4 wrong", "4 direction"));
}

TEST(Tables, OfTheColumnsThatAHeaderNames) {
  EXPECT_THAT(kinds_of("|Op|Ours|NumPy|Torch|Ours vs NumPy|Ours vs Torch|\n|-|-|-|-|-|-|\n"
                       "|a|1.00 us|2.00 us|4.00 us|2.00x faster|4.00x faster|\n"
                       "|b|1.00 us|2.00 us|4.00 us|4.00x faster|2.00x slower|\n"),
              ElementsAre("3 right", "3 right", "4 wrong", "4 wrong"));
}

TEST(Tables, OfAnArrowInACell) {
  EXPECT_THAT(kinds_of("|Op|Allocations|Alloc reduction|\n|-|-|-|\n"
                       "|a|20 \u2192 5|75.0 %|\n|b|20 \u2192 5|70.0 %|\n"),
              ElementsAre("3 right", "4 wrong"));
  EXPECT_THAT(kinds_of("|Op|Speedup|\n|-|-|\n|a|2.0x (from 10.0 ms \u2192 5.0 ms)|\n"
                       "|b|3.0x (10.0 ms \u2192 5.0 ms)|\n"),
              ElementsAre("3 right", "4 wrong"));
}

TEST(Tables, OfColumnsThatBeginWithTheNamesOfTheHeader) {
  EXPECT_THAT(kinds_of("|Op|Ours time|NumPy time|NumPy allocs|Ours vs NumPy|\n|-|-|-|-|-|\n"
                       "|a|1.00 us|2.00 us|4|2.00x faster|\n|b|1.00 us|2.00 us|4|4.00x faster|\n"),
              ElementsAre("3 right", "4 wrong"));
}

TEST(Tables, ARowAsFastAsTheBaselineIsNone) {
  EXPECT_THAT(kinds_of("|Op|Time|Speedup|\n|-|-|-|\n|a|10.0 us|1.00x (baseline)|\n"
                       "|b|10.0 us|1.00x|\n|c|5.00 us|2.00x|\n|d|5.00 us|1.00x|\n"),
              ElementsAre("4 right", "5 right", "6 wrong"));
}

TEST(Tables, ARowWhoseFigureIsABoundIsNoBaseline) {
  const std::string before = "## Before\n\n|Op|ns/op|\n|-|-|\n|a|100|\n|b|74431|\n\n";
  EXPECT_THAT(kinds_of(before + "## After\n\n|Op|ns/op|Speedup|\n|-|-|-|\n"
                                "|a|100|>2.70x|\n|b|66655|>1.00x|\n"),
              ElementsAre("12 wrong", "13 right"));
}

TEST(Tables, OfTheSameRowBefore) {
  const std::string before = "## Before\n\n|Op|ns/op|\n|-|-|\n|a|100|\n\n";
  const std::string after = "## After\n\n|Op|ns/op|Speedup|\n|-|-|-|\n|a|50|1.5x|\n|b|50|1.5x|\n";
  EXPECT_THAT(kinds_of(before + after), ElementsAre("11 wrong", "12 not_checkable"));
  // Which of two earlier tables is meant isn't known: nobody is accused.
  EXPECT_THAT(kinds_of("## Some\n\n" + before.substr(11) + after),
              ElementsAre("11 not_checkable", "12 not_checkable"));
}

TEST(Tables, OfWhatThePageDoesNotShow) {
  const std::vector<Finding> found =
      audit("|Op|Before|After|vs previous run|\n|-|-|-|-|\n|a|100 ns|50 ns|+3.0 %|\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kNotCheckable);
  EXPECT_THAT(found[0].note, HasSubstr("isn't on the page"));
}

TEST(Tables, AnEstimateOfPairsIsNoQuotientOfMedians) {
  const std::string head = "|Op|Before|After|Speedup|\n|-|-|-|-|\n";
  EXPECT_THAT(
      kinds_of(head + "|a|100 ns [99, 101]|50.0 ns [49.0, 51.0]|2.30x faster [2.25, 2.35]|\n"),
      ElementsAre("3 not_checkable"));
  EXPECT_THAT(
      kinds_of(head + "|a|100 ns [99, 101]|50.0 ns [49.0, 51.0]|5.30x faster [5.25, 5.35]|\n"),
      ElementsAre("3 wrong"));
}

TEST(Tables, OneValueInTwoUnits) {
  EXPECT_THAT(
      kinds_of(
          "|Op|Time (ns)|Time (us)|\n|-|-|-|\n|a|1,234|1.23|\n|b|1,239|1.23|\n|c|1,234|1.32|\n"),
      ElementsAre("3 right", "4 rounded", "5 wrong"));
}

TEST(Tables, TotalsAndMeans) {
  EXPECT_THAT(
      kinds_of("|Part|ms|Share|\n|-|-|-|\n|a|10.0 ms|10 %|\n|b|30.0 ms|35 %|\n|c|60.0 ms|60 %|\n"
               "|Total|100.0 ms|100 %|\n"),
      ElementsAre("3 right", "4 wrong", "5 right", "6 right", "6 wrong", "6 right"));
  EXPECT_THAT(kinds_of("|Op|ms|\n|-|-|\n|a|10.0 ms|\n|b|40.0 ms|\n|Mean|25.0 ms|\n"),
              ElementsAre("5 right"));
  EXPECT_THAT(kinds_of("|Op|ms|\n|-|-|\n|a|10.0 ms|\n|b|40.0 ms|\n|Mean|20.0 ms|\n"),
              ElementsAre("5 right"));
  EXPECT_THAT(kinds_of("|Op|ms|\n|-|-|\n|a|10.0 ms|\n|b|40.0 ms|\n|Mean|30.0 ms|\n"),
              ElementsAre("5 wrong"));
  // An operation of that name is none.
  EXPECT_THAT(kinds_of("|Op|n|ms|\n|-|-|-|\n|max|1|10.0 ms|\n|min|1|40.0 ms|\n|sum|1|30.0 ms|\n"),
              ElementsAre());
}

TEST(Tables, SharesOfNothingOnThePage) {
  EXPECT_THAT(kinds_of("|Op|ms|% of peak|\n|-|-|-|\n|a|10.0 ms|45 %|\n|b|40.0 ms|12 %|\n"),
              ElementsAre("1 share_without_parts"));
}

}  // namespace
}  // namespace nsop::audit
