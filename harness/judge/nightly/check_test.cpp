#include "harness/judge/nightly/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/testing/lab_support.h"
#include "harness/judge/testing/stored_nights_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using test::kRelu;
using test::kTanh;
using testing::ElementsAre;
using testing::HasSubstr;

class CheckTest : public testing::Test {
 protected:
  CheckReport check(const Night& night, bool confirm = true) {
    Past past(dir_.file("t.db"), nights_);
    CheckRules rules{{dir_.path(), {}}, "release", {}, confirm, true};
    const BuildNote note = [&](const std::string& text) { notes_.push_back(text); };
    return check_night(night, rules, {store_, past, ours_, lab_, note});
  }

  store::test::TempDir dir_;
  std::string nights_ = dir_.file("nights");
  store::Store store_{dir_.file("t.db")};
  run::Hello ours_ = [] {
    run::Hello hello;
    run::VariantInfo relu, tanh;
    relu.op = "relu";
    tanh.op = "tanh";
    relu.name = tanh.name = "hwy";
    relu.role = tanh.role = Role::kOurs;
    hello.variants = {relu, tanh};
    return hello;
  }();
  test::FakeLab lab_;
  std::vector<std::string> notes_;
};

TEST_F(CheckTest, WithoutHistoryNothingIsJudged) {
  const CheckReport report = check(test::write_nights(nights_, 2));
  EXPECT_EQ(report.rows, 1u);
  EXPECT_EQ(report.judged, 0u);
  EXPECT_EQ(exit_of(report), ExitCode::kInconclusive);
}

TEST_F(CheckTest, WhatWasMeasuredAfterwardsIsNotTheNightBefore) {
  Night old = test::night_ago(1, 77, 1000, kTanh);
  old.started_utc = utc_text(*utc_seconds(utc_now()) - 3600);
  write_night(nights_, old);
  const Night tonight = test::write_nights(nights_, 2);
  EXPECT_THAT(check(tonight).gone, ElementsAre(kTanh.text()));
  old.backfilled = true;
  write_night(nights_, old);
  EXPECT_TRUE(check(tonight).gone.empty());
}

TEST_F(CheckTest, WithoutGitWhatWasMeasuredAfterwardsHasNoPlace) {
  const Night tonight = test::write_nights(nights_, 30);
  for (Night& night : read_nights(nights_)) {
    night.backfilled = night.run_id != "run-0000";
    write_night(nights_, night);
  }
  const CheckReport report = check(tonight);
  EXPECT_EQ(report.rows, 1u);
  EXPECT_EQ(report.judged, 0u);
}

TEST_F(CheckTest, AQuietHistoryPasses) {
  const CheckReport report = check(test::write_nights(nights_, 30));
  EXPECT_EQ(report.judged, 1u);
  EXPECT_TRUE(report.suspects.empty());
  EXPECT_EQ(exit_of(report), ExitCode::kOk);
  EXPECT_EQ(lab_.compared, 0);
}

TEST_F(CheckTest, AConfirmedStepIsAnOpenAlertOfItsCommit) {
  const Night night = test::write_nights(nights_, 30, 3, 1.10);
  lab_.changes["c027"][kRelu] = 1.10;
  const CheckReport report = check(night);
  ASSERT_EQ(report.open.size(), 1u);
  EXPECT_EQ(report.open[0].first_bad, "c027");
  EXPECT_EQ(exit_of(report), ExitCode::kFailed);
  EXPECT_THAT(notes_, testing::Contains(HasSubstr("suspect: relu n=1")));
  // It stays open, and is not searched for again.
  const int compared = lab_.compared;
  EXPECT_EQ(check(night).open.size(), 1u);
  EXPECT_EQ(lab_.compared, compared);
}

TEST_F(CheckTest, WhatIsNotToBeConfirmedStaysASuspect) {
  const CheckReport report = check(test::write_nights(nights_, 30, 3, 1.10), false);
  EXPECT_EQ(report.suspects.size(), 1u);
  EXPECT_TRUE(report.open.empty());
  EXPECT_EQ(exit_of(report), ExitCode::kInconclusive);
  EXPECT_EQ(lab_.compared, 0);
}

TEST_F(CheckTest, ARowThatNeverWorkedFails) {
  Night night;
  for (int i = 0; i < 3; ++i) {
    night = test::night_ago(2 - i, i, 0);
    write_night(nights_, night);
  }
  const CheckReport report = check(night);
  EXPECT_THAT(report.failing, ElementsAre(kRelu.text()));
  EXPECT_EQ(exit_of(report), ExitCode::kFailed);
  EXPECT_FALSE(never_worked(test::quiet_line(3)));
}

TEST_F(CheckTest, ARowThatTonightLacksIsGoneAndAPeersRowIsNotJudged) {
  test::write_nights(nights_, 3);
  Night night = test::night_ago(0, 9, 1000, kTanh);
  night.rows.push_back(
      {{"tanh n=1", "numpy", "python", 1}, Status::kOk, "", 5, 5, 6, {}, {}, {}, {}});
  night.started_utc = utc_now();
  write_night(nights_, night);
  const CheckReport report = check(night);
  EXPECT_THAT(report.gone, ElementsAre(kRelu.text()));
  EXPECT_EQ(report.rows, 1u);
}

}  // namespace
}  // namespace nsop::judge
