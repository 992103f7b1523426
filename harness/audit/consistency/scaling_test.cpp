#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/consistency/consistency.h"
#include "harness/audit/testing/audit_support.h"

namespace nsop::audit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSizes =
    "# Report\n\n## Op\n\n### Results\n\n|n|Ours|Theirs|\n|-|-|-|\n"
    "|1K|2.00 us|8.00 us|\n|10K|20.0 us|40.0 us|\n|100K|800 us|100 us|\n\n";

TEST(Scaling, GrowthFromOneSizeToAnother) {
  EXPECT_THAT(kinds_of(kSizes + "- 10K \u2192 100K: 10x elements, 40x time\n"),
              ElementsAre("13 right"));
  EXPECT_THAT(kinds_of(kSizes + "- 10K \u2192 100K: 10x elements, 2.5x time\n"),
              ElementsAre("13 right"));  // theirs
  EXPECT_THAT(kinds_of(kSizes + "- 10K \u2192 100K: 10x elements, 50x time\n"),
              ElementsAre("13 wrong"));
  EXPECT_THAT(audit(kSizes + "- 10K \u2192 100K: 50.0x time\n")[0].note,
              HasSubstr("give 40.0x, 2.5x"));
  EXPECT_THAT(kinds_of(kSizes + "- 10K \u2192 1M: 50x time\n"), ElementsAre());  // no such row
  EXPECT_THAT(kinds_of(kSizes + "# Other\n\n## Op\n\n- 10K \u2192 100K: 50x time\n"),
              ElementsAre());
}

TEST(Scaling, WhatDegradesWithSize) {
  const std::string flat =
      "# Report\n\n## Op\n\n|n|Ours|Theirs|\n|-|-|-|\n"
      "|100|273 ns|1.08 us|\n|1K|2.01 us|1.16 us|\n|10K|19.2 us|4.33 us|\n\n";
  const std::string claim = "Performance degrades as size increases\n";
  EXPECT_THAT(kinds_of(flat + claim), ElementsAre("11 not_checkable"));
  EXPECT_THAT(audit(flat + claim)[0].note,
              HasSubstr("2.73, 2.01, 1.92 ns (Ours); 10.8, 1.16, 0.433 ns (Theirs)"));
  EXPECT_THAT(kinds_of(kSizes + claim), ElementsAre());  // 2, 2, 8 ns: it does
  EXPECT_THAT(kinds_of(flat + "Performance holds as size increases\n"), ElementsAre());
}

TEST(Scaling, CellsThatAreMarked) {
  const auto page = [](const char* cell) {
    return kinds_of(std::string("|n|Ours|\n|-|-|\n|a|2.0 us|\n|b|") + cell + "|\n|c|9.0 us|\n");
  };
  EXPECT_THAT(page("5.0 us (Scalar!)"), ElementsAre("4 not_checkable"));
  EXPECT_THAT(page("5.0 us (baseline)"), ElementsAre());
  EXPECT_THAT(page("5.0 us (2 runs)"), ElementsAre());
  EXPECT_THAT(page("5.0 us"), ElementsAre());
}

}  // namespace
}  // namespace nsop::audit
