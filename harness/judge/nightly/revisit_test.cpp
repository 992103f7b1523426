#include "harness/judge/nightly/revisit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/judge/testing/lab_support.h"
#include "harness/judge/testing/nights_support.h"

namespace nsop::judge {
namespace {

using test::FakeLab;
using test::kRelu;
using test::kTanh;
using test::quiet_line;
using test::scale_from;
using testing::HasSubstr;
using testing::IsEmpty;

// An alert of a change between the nights 29 and 30 of sixty.
class RevisitTest : public testing::Test {
 protected:
  RevisitTest() {
    alert_.host_id = options_.host_id;
    alert_.kind = "step";
    alert_.direction = "worse";
    alert_.last_good = "c029";
    alert_.first_bad = "c030";
    alert_.good_run = "run-28";
    alert_.bad_run = "run-31";
    alert_.rows = {{kRelu, 1.08, 1.07, 1.09, ""}};
    alert_.state = AlertState::kOpen;
    alert_.id = alert_id(alert_);
    alert_.changed_utc = alert_.opened_utc = "2026-02-04T03:00:00Z";
    scale_from(lines_[kRelu], 30, 1.08);
    lab_.changes["c030"][kRelu] = 1.08;
  }

  std::vector<Alert> go(Lab* lab) {
    return revisit(
        {alert_}, lines_, options_, [&](const Alert&) { return last_measured_; }, lab,
        [&](const store::AlertEvent& event) { events_.push_back(event); });
  }
  std::string only_event() const {
    return events_.size() == 1 ? events_[0].action + " " + events_[0].body : "not one event";
  }
  void fix_at(size_t night) {
    scale_from(lines_[kRelu], night, 1 / 1.08);
    lab_.changes[fmt::format("c{:03}", night)][kRelu] = 1 / 1.08;
  }

  std::map<RowKey, Line> lines_ = {{kRelu, quiet_line(60)}};
  RevisitOptions options_{"host-a", "2026-03-05T03:00:00Z", "run-59", "c059", {}, {}};
  std::optional<std::string> last_measured_ = "2026-03-04T03:00:00Z";
  FakeLab lab_;
  Alert alert_;
  std::vector<store::AlertEvent> events_;
};

TEST_F(RevisitTest, NothingHappensWhileTheLevelStays) {
  EXPECT_THAT(go(&lab_), IsEmpty());
  EXPECT_TRUE(events_.empty());
  EXPECT_EQ(lab_.compared, 0);
}

// The alert is of a change that the fastest repetitions never showed.
TEST_F(RevisitTest, WhatIsHiddenMustBeBackAsWell) {
  Line& line = lines_[kRelu];
  line = quiet_line(60);
  test::add_hidden(line);
  alert_.rows = {{kRelu, 1.5, 1.4, 1.6, ""}};
  for (size_t i = 30; i < line.size(); ++i) line[i].excess = *line[i].excess + std::log(1.5);
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
  for (size_t i = 55; i < line.size(); ++i) line[i].excess = *line[i].excess - std::log(1.5);
  EXPECT_EQ(reason_to_look(alert_, lines_), "as before the change for 5 nights");
  for (size_t i = 30; i < line.size(); ++i) line[i].first_ns = *line[i].first_ns * 3;
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
  for (size_t i = 55; i < line.size(); ++i) line[i].first_ns = *line[i].first_ns / 3;
  EXPECT_EQ(reason_to_look(alert_, lines_), "as before the change for 5 nights");
}

TEST_F(RevisitTest, ALevelThatIsBackForFiveNightsIsMeasuredAndThenClosed) {
  fix_at(58);
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
  fix_at(55);
  scale_from(lines_[kRelu], 58, 1.08);
  lab_.changes.erase("c058");
  EXPECT_EQ(reason_to_look(alert_, lines_), "as before the change for 5 nights");
  const auto changed = go(&lab_);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].state, AlertState::kClosed);
  EXPECT_EQ(changed[0].reason,
            "as before the change for 5 nights; c059 against c029: the change is gone");
  EXPECT_THAT(only_event(), HasSubstr("\"by\":\"nsop check\""));
}

TEST_F(RevisitTest, AFailedNightDoesNotHideTheLevelBeforeTheChange) {
  Line& line = lines_[kRelu];
  line[28].ns *= 0.9;  // a night out of order, which alone would be the level
  line[27].status = Status::kError;
  line[27].segment = "gcc | ";
  line[27].ns = 0;
  fix_at(55);
  EXPECT_EQ(reason_to_look(alert_, lines_), "as before the change for 5 nights");
}

TEST_F(RevisitTest, AHistoryAloneClosesNothing) {
  scale_from(lines_[kRelu], 50, 1 / 1.08);  // the machine got faster, the code did not
  EXPECT_THAT(go(&lab_), IsEmpty());
  EXPECT_THAT(only_event(), HasSubstr("look "));
  EXPECT_THAT(only_event(), HasSubstr("worse"));
  EXPECT_EQ(lab_.compared, 1);
  events_.clear();
  EXPECT_THAT(go(nullptr), IsEmpty());
  lab_.noise = 0.2;
  EXPECT_THAT(go(&lab_), IsEmpty());
  EXPECT_THAT(only_event(), HasSubstr("inconclusive"));
  events_.clear();
  lab_.broken["c029"] = "commit c029 does not build";
  EXPECT_THAT(go(&lab_), IsEmpty());
  EXPECT_THAT(only_event(), HasSubstr("does not build"));
}

TEST_F(RevisitTest, LooksHaveALimit) {
  scale_from(lines_[kRelu], 50, 1 / 1.08);
  alert_.looks = 1;
  alert_.looked_run = "run-57";
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
  alert_.looked_run = "run-54";
  EXPECT_NE(reason_to_look(alert_, lines_), "");
  alert_.looks = kMostAttempts;
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
}

TEST_F(RevisitTest, ANewSegmentIsMeasuredNotBelieved) {
  Line& line = lines_[kRelu];
  for (size_t i = 55; i < line.size(); ++i) line[i].segment = "gcc 13 | inputs";
  EXPECT_EQ(reason_to_look(alert_, lines_), "a new segment for 5 nights");
  EXPECT_THAT(go(&lab_), IsEmpty());
  EXPECT_THAT(only_event(), HasSubstr("look "));
  lab_.changes.clear();
  EXPECT_EQ(go(&lab_).size(), 1u);
}

TEST_F(RevisitTest, NightsThatAForcedPushTookAwayAreMeasuredNotBelieved) {
  alert_.good_run = "run-gone";
  EXPECT_EQ(reason_to_look(alert_, lines_), "a new segment for 5 nights");
  alert_.bad_run = "run-gone-too";
  lab_.broken["c029"] = "'c029' is no revision of this repository";
  EXPECT_THAT(go(&lab_), IsEmpty());
  EXPECT_THAT(only_event(), HasSubstr("no revision"));
  lines_[kRelu] = {lines_[kRelu].begin(), lines_[kRelu].begin() + 4};
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
}

TEST_F(RevisitTest, AllRowsMustBeBack) {
  fix_at(50);
  alert_.rows.push_back({kTanh, 1.2, 1.1, 1.3, ""});
  EXPECT_EQ(reason_to_look(alert_, lines_), "");  // not measured tonight
  lines_[kTanh] = quiet_line(60);
  EXPECT_NE(reason_to_look(alert_, lines_), "");
  lab_.changes["c030"][kTanh] = 1.2;
  EXPECT_THAT(go(&lab_), IsEmpty());
}

TEST_F(RevisitTest, CountsAndFailures) {
  alert_.kind = "count";
  for (size_t i = 30; i < 50; ++i) lines_[kRelu][i].allocs = 1;
  EXPECT_EQ(go(&lab_).size(), 1u);
  lines_[kRelu][57].allocs = 1;
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
  alert_.kind = "failure";
  EXPECT_EQ(go(&lab_).size(), 1u);
  lab_.crashes_from = "c030";
  EXPECT_THAT(go(&lab_), IsEmpty());
  lines_[kRelu][57].status = Status::kError;
  EXPECT_EQ(reason_to_look(alert_, lines_), "");
}

TEST_F(RevisitTest, WhatNobodyMeasuresAnyMoreIsClosedWhicheverHostItIsOf) {
  options_.host_id = "host-b";
  options_.now_utc = "2026-05-05T03:00:00Z";
  EXPECT_EQ(go(nullptr).size(), 1u);
  EXPECT_THAT(only_event(),
              HasSubstr("not measured on host host-a for 60 days (last on 2026-03-04"));
  events_.clear();
  last_measured_ = "2026-04-30T03:00:00Z";
  EXPECT_THAT(go(nullptr), IsEmpty());
  last_measured_.reset();
  alert_.changed_utc = "2026-05-01T03:00:00Z";  // somebody answered
  EXPECT_THAT(go(nullptr), IsEmpty());
  alert_.state = AlertState::kClosed;
  alert_.changed_utc = "2026-01-01T03:00:00Z";
  EXPECT_THAT(go(nullptr), IsEmpty());
  EXPECT_TRUE(events_.empty());
}

TEST_F(RevisitTest, WhatIsDeclaredLaterIsAccepted) {
  KnownChange known;
  known.case_pattern = "relu";
  known.direction = "worse";
  known.reason = "meant";
  known.commit = "c030";
  known.where = "nsop-known.toml:1";
  options_.known = {known};
  ASSERT_EQ(go(nullptr).size(), 1u);
  std::vector<store::AlertEvent> all = {finding_event(alert_, "open", alert_.changed_utc)};
  all.insert(all.end(), events_.begin(), events_.end());
  const Alert now = alerts_of(all, options_.now_utc).at(0);
  EXPECT_EQ(now.state, AlertState::kAccepted);
  EXPECT_EQ(now.reason, "declared in nsop-known.toml:1: meant");
  // Who opens it again knows of the declaration.
  all.push_back(change_event(now, {"reopen", "", "too much", "", "ada"}, options_.now_utc));
  alert_ = alerts_of(all, options_.now_utc).at(0);
  EXPECT_THAT(go(nullptr), IsEmpty());
}

TEST_F(RevisitTest, AnInconclusiveSuspectThatTheHistoryForgotIsClosed) {
  alert_.state = AlertState::kInconclusive;
  lines_[kRelu] = quiet_line(60);
  EXPECT_EQ(go(nullptr).size(), 1u);
  alert_.bad_run = "run-50";  // nine nights ago: it may come back
  EXPECT_THAT(go(nullptr), IsEmpty());
  for (size_t i = 52; i < 60; ++i) lines_[kRelu][i].segment = "gcc 13 | inputs";
  EXPECT_THAT(go(nullptr).at(0).reason, HasSubstr("a new segment"));
  alert_.bad_run = "run-31";
  options_.suspects = {{kRelu, SuspectKind::kStep, true, 28, 32, 1.05, ""}};
  EXPECT_THAT(go(nullptr), IsEmpty());
}

}  // namespace
}  // namespace nsop::judge
