#include "harness/audit/read/columns.h"

#include <gtest/gtest.h>

namespace nsop::audit {
namespace {

TEST(Columns, AreWhatHeadersAndCellsSay) {
  const Table table{
      1,
      "",
      "",
      {"Layer", "Operation", "Duration (ns/op)", "Old allocations", "New allocations", "Speedup",
       "vs Prev Run", "Share", "Status"},
      {{3, {"Conv", "Forward", "5,502", "28", "21", "**3.77x**", "+1.0%", "40 %", "FIXED"}},
       {4, {"Pool", "Forward", "N/A", "N/A", "3", "N/A", "N/A", "60 %", "OK"}}}};
  const std::vector<Column> c = columns_of(table);
  ASSERT_EQ(c.size(), 9u);
  EXPECT_EQ(c[0].role, Role::kKey);
  EXPECT_EQ(c[1].role, Role::kKey);
  EXPECT_EQ(c[2].role, Role::kMeasure);
  EXPECT_EQ(c[2].name, "duration");
  EXPECT_EQ(c[2].dimension, Dimension::kTime);
  EXPECT_EQ(c[3].side, Side::kBefore);
  EXPECT_EQ(c[4].side, Side::kAfter);
  EXPECT_EQ(c[3].metric, Metric::kAllocs);
  EXPECT_EQ(c[6].role, Role::kDerived);
  EXPECT_TRUE(c[6].against_previous);
  EXPECT_EQ(c[7].role, Role::kShare);
  EXPECT_EQ(c[8].role, Role::kOther);
}

TEST(Columns, ANameOfALayerMayHeadTimes) {
  const Table table{1, "", "", {"Row", "layer"}, {{3, {"a", "5 ms"}}}};
  EXPECT_EQ(columns_of(table)[1].role, Role::kMeasure);
}

TEST(Columns, OneHeadingOverSeveral) {
  const Table table{1,
                    "",
                    "",
                    {"Op", "Time (us)", "", "Allocations", ""},
                    {{3, {"", "Before", "After", "Before", "After"}},
                     {4, {"a", "5.0", "2.5", "28", "21"}},
                     {5, {"b", "7.0", "2.5", "28", "21"}}}};
  const std::vector<Column> c = columns_of(table);
  EXPECT_EQ(c[1].side, Side::kBefore);
  EXPECT_EQ(c[2].side, Side::kAfter);
  EXPECT_EQ(c[2].unit.dimension, Dimension::kTime);
  EXPECT_EQ(c[2].name, "after time");
  EXPECT_EQ(c[3].metric, Metric::kAllocs);
  EXPECT_EQ(c[4].metric, Metric::kAllocs);
  EXPECT_EQ(c[4].unit.dimension, Dimension::kCount);
  // Without the names, the unit holds for the next column, too.
  const Table bare{1, "", "", {"Op", "Time (us)", ""}, {{3, {"a", "5.0", "2.5"}}}};
  EXPECT_EQ(columns_of(bare)[2].unit.dimension, Dimension::kTime);
}

TEST(Columns, Words) {
  EXPECT_EQ(words_of("**Conv2D_Matched**, Forward!"), "conv2d matched forward");
  EXPECT_TRUE(has_word("vs-Prev run", "prev"));
  EXPECT_FALSE(has_word("previous", "prev"));
  EXPECT_TRUE(says_before("BEFORE Optimization (Element-wise)"));
  EXPECT_FALSE(says_before("AFTER"));
}

}  // namespace
}  // namespace nsop::audit
