#include "harness/judge/history/row_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/identity.h"
#include "harness/judge/testing/stored_nights_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using test::kRelu;
using testing::HasSubstr;

std::vector<RowHistory> histories_of(const Past& past, const RowPattern& pattern,
                                     const std::string& host_id) {
  std::vector<RowHistory> rows;
  each_history(past, pattern, host_id, [&](RowHistory&& row) { rows.push_back(std::move(row)); });
  return rows;
}

class RowHistoryTest : public testing::Test {
 protected:
  RowHistoryTest() { test::write_nights(nights_, 40, 10, 1.10); }
  std::vector<RowHistory> followed(const std::string& now) {
    Past past(dir_.file("none.db"), nights_);
    std::vector<RowHistory> rows = histories_of(past, {"relu n=*", "", 0}, "host-a");
    FollowedBranch branch({dir_.path(), {}}, "HEAD", now, past.commits("host-a"));
    EXPECT_EQ(branch.head(), "");
    for (RowHistory& row : rows) branch.follow(row);
    EXPECT_EQ(branch.left_out(), "");
    return rows;
  }
  store::test::TempDir dir_;
  std::string nights_ = dir_.file("nights");
};

TEST_F(RowHistoryTest, AChangeIsFoundAtItsPlace) {
  const std::vector<RowHistory> rows = followed(utc_now());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].row, kRelu);
  ASSERT_EQ(rows[0].changes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(rows[0].changes[0].index), 30, 2);
}

TEST_F(RowHistoryTest, WhatIsLaterThanNowCountsForNothing) {
  const std::string before = utc_text(*utc_seconds(utc_now()) - 11 * 86400);
  const std::vector<RowHistory> rows = followed(before);
  EXPECT_TRUE(rows[0].changes.empty());
  EXPECT_EQ(rows[0].left_out.back(), "later than now");
  EXPECT_EQ(rows[0].left_out.front(), "");
}

TEST_F(RowHistoryTest, WhoAsksForNothingThatIsThereGetsASuggestion) {
  const Past past(dir_.file("none.db"), nights_);
  const auto wrong = outcome([&] { histories_of(past, {"rleu n=1", "", 0}, "host-a"); });
  EXPECT_EQ(wrong.code, ExitCode::kUsage);
  EXPECT_THAT(wrong.message, HasSubstr("did you mean 'relu n=1'?"));
  EXPECT_THAT(outcome([&] {
                histories_of(past, {"relu n=1", "", 0}, "host-b");
              }).message,
              HasSubstr("--host: host-a (EPYC)"));
  EXPECT_EQ(outcome([&] {
              histories_of(past, {"relu n=1", "onednn", 0}, "host-a");
            }).code,
            ExitCode::kUsage);
  EXPECT_EQ(histories_of(past, {"relu n=1", "hwy@AVX2", 1}, "host-a").size(), 1u);
}

}  // namespace
}  // namespace nsop::judge
