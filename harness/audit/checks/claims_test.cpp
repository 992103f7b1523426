#include "harness/audit/checks/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

using testing::ElementsAre;

TEST(Claims, OfThePairBesideThem) {
  for (const char* right : {
           "It takes 7.7 s, 2.69x faster (20.7 s \u2192 7.7 s).",
           "Allocations fell from 60 allocations to 6 allocations, a 90 % reduction.",
           "Now 3.8 ms (was 38.0 ms), a 10.0x improvement.",
           "11 allocations (99.9 % reduction from the original 16,403 allocations).",
           "5.59x slower than NumPy (194.29 \u00b5s vs 34.78 \u00b5s).",
           "91.1 % improvement (350.7 \u00b5s vs 3.95 ms).",
           "155x faster (3.35 \u2192 520 eps/sec).",
       }) {
    EXPECT_THAT(kinds_of(right), ElementsAre("1 right")) << right;
  }
  for (const char* wrong : {
           "It takes 7.7 s, 3.69x faster (20.7 s \u2192 7.7 s).",
           "Allocations fell from 60 allocations to 6 allocations, an 80 % reduction.",
           "Now 3.8 ms (was 38.0 ms), a 12.0x improvement.",
           "4.59x slower than NumPy (194.29 \u00b5s vs 34.78 \u00b5s).",
       }) {
    EXPECT_THAT(kinds_of(wrong), ElementsAre("1 wrong")) << wrong;
  }
}

TEST(Claims, DirectionOfAPair) {
  EXPECT_THAT(kinds_of("2.0x faster (5.0 s \u2192 10.0 s)."), ElementsAre("1 direction"));
  EXPECT_THAT(kinds_of("It uses less memory (1.1 KB vs 0.4-1.3 KB)."), ElementsAre("1 direction"));
  EXPECT_THAT(kinds_of("It uses less memory (1.1 KB vs 2.4-3.3 KB)."), ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("It is close to it (1.1 KB vs 0.4-1.3 KB)."), ElementsAre());
}

TEST(Claims, BoundsHoldOrDont) {
  EXPECT_THAT(kinds_of("It is more than 20x faster (25.0 s \u2192 1.00 s)."),
              ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("It is up to 30x faster (25.0 s \u2192 1.00 s)."), ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("It is about 27x faster (25.0 s \u2192 1.00 s)."), ElementsAre("1 right"));
  EXPECT_THAT(kinds_of("It is over 30x faster (25.0 s \u2192 1.00 s)."), ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("It is up to 20x faster (25.0 s \u2192 1.00 s)."), ElementsAre("1 wrong"));
  EXPECT_THAT(kinds_of("It is about 50x faster (25.0 s \u2192 1.00 s)."), ElementsAre("1 wrong"));
}

TEST(Claims, CountsSayNothingOfSpeed) {
  EXPECT_THAT(kinds_of("From 4 to 8 threads it is 1.9x faster."), ElementsAre("1 not_checkable"));
  EXPECT_THAT(kinds_of("From 4 to 8 threads it takes 40 % less time."),
              ElementsAre("1 not_checkable"));
}

TEST(Claims, WithTheDigitsOfTheRowsTheyName) {
  const std::string tables =
      "## Before\n\n|Op|ns/op|\n|-|-|\n|a b|20,706,564,862|\n\n"
      "## After\n\n|Op|ns/op|\n|-|-|\n|a b|7,708,476,288|\n\n";
  EXPECT_THAT(kinds_of(tables + "- **a_b**: 2.67x faster (20.7 s \u2192 7.7 s)\n"),
              ElementsAre("13 wrong"));
  EXPECT_THAT(kinds_of(tables + "- **c**: 2.67x faster (20.7 s \u2192 7.7 s)\n"),
              ElementsAre("13 right"));
}

TEST(Claims, AgainstTheItemThatIsTheBaseline) {
  EXPECT_THAT(
      kinds_of("- a: 10.0 us (baseline)\n- b: 20.0 us (2.0x slower)\n- c: 5.0 us (3.0x faster)\n"),
      ElementsAre("2 right", "3 wrong"));
}

TEST(Claims, GoalsAndSettingsClaimNothing) {
  EXPECT_THAT(kinds_of("Expected: 2-4x faster."), ElementsAre("1 not_checkable"));
  EXPECT_THAT(kinds_of("A loop unrolled 4x, a confidence of 95 %."), ElementsAre());
}

TEST(Claims, SharesNeedTheirParts) {
  EXPECT_THAT(kinds_of("88.5 % of the rows are done."), ElementsAre("1 share_without_parts"));
  EXPECT_THAT(kinds_of("23 of 26 rows, 88.5 % of all."), ElementsAre("1 right"));
}

TEST(Claims, PairsOfAStatement) {
  const auto count = [](const std::string& text) { return pairs_of(text, scan(text)).size(); };
  EXPECT_EQ(count("5 ms -> 3 ms"), 1u);
  EXPECT_EQ(count("5 ms to 3 ms"), 0u);
  EXPECT_EQ(count("from 5 ms to 3 ms"), 1u);
  EXPECT_EQ(count("5 ms vs 3 MB"), 0u);
  EXPECT_EQ(count("5 ms and 3 ms"), 0u);
}

}  // namespace
}  // namespace nsop::audit
