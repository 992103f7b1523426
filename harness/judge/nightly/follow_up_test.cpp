#include "harness/judge/nightly/follow_up.h"

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
using testing::HasSubstr;

class FollowUpTest : public testing::Test {
 protected:
  FollowUp go(const std::vector<Suspect>& suspects) {
    return follow_up(suspects, lines_, alerts_, options_, lab_,
                     [&](const store::AlertEvent& event) { events_.push_back(event); });
  }
  std::vector<std::string> actions() const {
    std::vector<std::string> list;
    for (const auto& event : events_) list.push_back(event.action);
    return list;
  }

  std::vector<Alert> now() const { return alerts_of(events_, options_.now_utc); }

  std::map<RowKey, Line> lines_ = {{kRelu, quiet_line(60)}, {kTanh, quiet_line(60)}};
  std::vector<Alert> alerts_;
  FollowUpOptions options_{"host-a", "2026-06-01T00:00:00Z", {}, true};
  FakeLab lab_;
  std::vector<store::AlertEvent> events_;
  const Suspect step_{kRelu, SuspectKind::kStep, true, 30, 40, 1.06, "the level changed"};
};

TEST_F(FollowUpTest, AConfirmedStepIsSearchedForAndBecomesAnAlert) {
  lab_.changes["c036"][kRelu] = 1.06;
  const FollowUp result = go({step_});
  ASSERT_EQ(result.found.size(), 1u);
  const Alert& alert = result.found[0];
  EXPECT_EQ(alert.state, AlertState::kOpen);
  EXPECT_EQ(alert.last_good, "c035");
  EXPECT_EQ(alert.first_bad, "c036");
  EXPECT_EQ(alert.subject, "Subject of c036");
  EXPECT_NEAR(alert.rows.at(0).ratio, 1.06, 1e-9);
  EXPECT_EQ(actions(), std::vector<std::string>{"open"});
  EXPECT_LE(lab_.compared, 1 + bisect_steps(11));  // one to confirm, the rest to search
  EXPECT_EQ(lab_.steps, lab_.compared - 1) << "only a finding pays for a second session";
}

TEST_F(FollowUpTest, WhatIsNotConfirmedIsNoise) {
  const FollowUp result = go({step_});
  ASSERT_EQ(result.found.size(), 1u);
  EXPECT_EQ(result.found[0].state, AlertState::kNoise);
  EXPECT_THAT(result.found[0].reason, HasSubstr("same"));
  EXPECT_EQ(actions(), std::vector<std::string>{"noise"});
}

TEST_F(FollowUpTest, TwoRowsOfOneCommitAreOneAlert) {
  lab_.changes["c036"] = {{kRelu, 1.06}, {kTanh, 1.2}};
  Suspect other = step_;
  other.row = kTanh;
  const FollowUp result = go({step_, other});
  ASSERT_EQ(result.found.size(), 1u);
  EXPECT_EQ(result.found[0].rows.size(), 2u);
  EXPECT_LE(lab_.compared, 1 + bisect_steps(11));
}

TEST_F(FollowUpTest, TwoCommitsAreTwoAlerts) {
  lab_.changes["c033"][kRelu] = 1.06;
  lab_.changes["c039"][kTanh] = 1.2;
  Suspect other = step_;
  other.row = kTanh;
  const FollowUp result = go({step_, other});
  ASSERT_EQ(result.found.size(), 2u);
  std::set<std::string> culprits = {result.found[0].first_bad, result.found[1].first_bad};
  EXPECT_EQ(culprits, (std::set<std::string>{"c033", "c039"}));
}

TEST_F(FollowUpTest, AnImprovementIsNotedNotOpen) {
  lab_.changes["c036"][kRelu] = 0.9;
  Suspect better = step_;
  better.worse = false;
  const FollowUp result = go({better});
  EXPECT_EQ(result.found.at(0).state, AlertState::kNoted);
  EXPECT_EQ(result.found[0].direction, "better");
  EXPECT_EQ(actions(), std::vector<std::string>{"noted"});
}

TEST_F(FollowUpTest, TheOtherDirectionConfirmsNothing) {
  lab_.changes["c036"][kRelu] = 0.9;
  EXPECT_EQ(go({step_}).found.at(0).state, AlertState::kNoise);
}

TEST_F(FollowUpTest, CommitsThatDoNotBuildLeaveCandidates) {
  lab_.changes["c036"][kRelu] = 1.06;
  for (const char* commit : {"c035", "c036"}) lab_.broken[commit] = "does not build";
  const FollowUp result = go({step_});
  EXPECT_EQ(result.found.at(0).last_good, "c034");
  EXPECT_EQ(result.found[0].first_bad, "c037");
  EXPECT_EQ(result.found[0].candidates, (std::vector<std::string>{"c035", "c036"}));
}

TEST_F(FollowUpTest, WhatCannotBeMeasuredAgainIsNeitherNoiseNorAlert) {
  lab_.broken["c030"] = "commit c030 does not build: a.cpp:1: error: x";
  FollowUp result = go({step_});
  EXPECT_TRUE(result.found.empty());
  ASSERT_EQ(result.unresolved.size(), 1u);
  EXPECT_THAT(result.unresolved[0].reason, HasSubstr("does not build"));
  lab_.broken.clear();
  lab_.void_reason = "the control row moved";
  EXPECT_THAT(go({step_}).unresolved.at(0).reason, HasSubstr("the control row moved"));
  lab_.void_reason.clear();
  lab_.noise = 0.2;
  EXPECT_THAT(go({step_}).unresolved.at(0).reason, HasSubstr("inconclusive"));
  EXPECT_EQ(actions(), (std::vector<std::string>{"inconclusive", "inconclusive", "inconclusive"}));
}

TEST_F(FollowUpTest, NightsOfOneCommitAccuseTheMachine) {
  for (Point& p : lines_[kRelu]) p.commit = "c001";
  const FollowUp result = go({step_});
  EXPECT_EQ(result.found.at(0).state, AlertState::kNoise);
  EXPECT_THAT(result.found[0].reason, HasSubstr("the machine changed"));
  for (Point& p : lines_[kRelu]) p.commit = "unknown";
  lines_[kRelu][30].commit = "c001";
  EXPECT_THAT(go({step_}).unresolved.at(0).reason, HasSubstr("no commit"));
  EXPECT_EQ(lab_.compared, 0);
}

TEST_F(FollowUpTest, CreepIsConfirmedButHasNoCulprit) {
  for (int i = 31; i <= 40; ++i) lab_.changes[fmt::format("c{:03}", i)][kRelu] = 1.006;
  Suspect creep = step_;
  creep.kind = SuspectKind::kCreep;
  const FollowUp result = go({creep});
  EXPECT_EQ(result.found.at(0).kind, "creep");
  EXPECT_EQ(result.found[0].last_good, "c030");
  EXPECT_EQ(result.found[0].first_bad, "c040");
  EXPECT_EQ(lab_.compared, 1);
}

TEST_F(FollowUpTest, AllocationsAndCrashesAreSearchedForToo) {
  lab_.allocs["c034"][kRelu] = 1;
  Suspect count = step_;
  count.kind = SuspectKind::kCount;
  FollowUp result = go({count});
  EXPECT_EQ(result.found.at(0).first_bad, "c034");
  EXPECT_EQ(result.found[0].kind, "count");
  lab_.allocs.clear();
  lab_.crashes_from = "c038";
  Suspect failure = step_;
  failure.kind = SuspectKind::kFailure;
  result = go({failure});
  EXPECT_EQ(result.found.at(0).first_bad, "c038");
  EXPECT_EQ(result.found[0].kind, "failure");
  EXPECT_THAT(result.found[0].rows.at(0).note, HasSubstr("signal 11"));
}

TEST_F(FollowUpTest, ADeclaredChangeIsAcceptedAndSaysWhere) {
  lab_.changes["c036"][kRelu] = 1.06;
  KnownChange known;
  known.case_pattern = "relu";
  known.direction = "worse";
  known.reason = "meant";
  known.commit = "c036";
  known.where = "nsop-known.toml:3";
  options_.known = {known};
  const FollowUp result = go({step_});
  EXPECT_EQ(result.found.at(0).state, AlertState::kAccepted);
  EXPECT_EQ(result.found[0].reason, "declared in nsop-known.toml:3: meant");
  EXPECT_EQ(actions(), std::vector<std::string>{"declared"});
  options_.known[0].commit = "c035";
  EXPECT_EQ(go({step_}).found.at(0).state, AlertState::kOpen);
}

TEST_F(FollowUpTest, AKnownAlertGetsAnUpdateAndAClosedOneOpensAgain) {
  lab_.changes["c036"] = {{kRelu, 1.06}, {kTanh, 1.1}};
  Alert alert = go({step_}).found.at(0);
  alerts_ = {alert};
  Suspect other = step_;
  other.row = kTanh;
  go({other});
  ASSERT_EQ(now().size(), 1u);
  EXPECT_EQ(now()[0].rows.size(), 2u);
  events_.push_back(change_event(now()[0], {"close", "", "fixed", "", "ada"}, options_.now_utc));
  alerts_ = now();
  EXPECT_EQ(alerts_[0].state, AlertState::kClosed);
  go({other});
  EXPECT_EQ(now()[0].state, AlertState::kOpen);
}

TEST_F(FollowUpTest, AnAcceptanceIsOfTheRowsThatItSaw) {
  lab_.changes["c036"] = {{kRelu, 1.06}, {kTanh, 1.1}};
  go({step_});
  events_.push_back(change_event(now()[0], {"accept", "", "exact", "", "ada"}, options_.now_utc));
  alerts_ = now();
  go({step_});  // another machine found the same at the same time
  EXPECT_EQ(now().at(0).state, AlertState::kAccepted);
  Suspect other = step_;
  other.row = kTanh;
  go({other});
  EXPECT_EQ(now().at(0).state, AlertState::kOpen);
  EXPECT_EQ(now()[0].rows.size(), 2u);
}

TEST_F(FollowUpTest, OneDeclaredRowDeclaresNoOther) {
  lab_.changes["c036"] = {{kRelu, 1.06}, {kTanh, 1.1}};
  KnownChange known;
  known.case_pattern = "relu";
  known.direction = "worse";
  known.commit = "c036";
  options_.known = {known};
  Suspect other = step_;
  other.row = kTanh;
  EXPECT_EQ(go({step_, other}).found.at(0).state, AlertState::kOpen);
  // Nor does a night that finds the declared row later.
  events_.clear();
  go({other});
  alerts_ = now();
  go({step_});
  EXPECT_EQ(now().at(0).state, AlertState::kOpen);
  EXPECT_EQ(now()[0].rows.size(), 2u);
  options_.known[0].case_pattern = "*";
  go({step_});
  EXPECT_EQ(now().at(0).state, AlertState::kAccepted);
}

TEST_F(FollowUpTest, ACrashCannotBeDeclared) {
  KnownChange known;
  known.case_pattern = "relu";
  known.direction = "worse";
  known.expires = "2999-12-31";
  options_.known = {known};
  lab_.crashes_from = "c038";
  EXPECT_EQ(go({step_}).found.at(0).state, AlertState::kOpen);
}

TEST_F(FollowUpTest, WhatStaysInconclusiveIsMeasuredThreeTimesAndThenWaits) {
  lab_.noise = 0.2;
  lab_.changes["c036"][kRelu] = 1.06;
  for (int night = 0; night < kMostAttempts; ++night) {
    EXPECT_THAT(go({step_}).unresolved.at(0).reason, HasSubstr("inconclusive"));
    alerts_ = now();
    ASSERT_EQ(alerts_.size(), 1u);
    EXPECT_EQ(alerts_[0].state, AlertState::kInconclusive);
    EXPECT_EQ(alerts_[0].attempts, night + 1);
  }
  EXPECT_EQ(lab_.compared, kMostAttempts);
  const FollowUp waits = go({step_});
  EXPECT_EQ(lab_.compared, kMostAttempts);
  EXPECT_THAT(waits.unresolved.at(0).reason, HasSubstr("measured 3 times without a decision"));
  EXPECT_THAT(waits.unresolved[0].reason, HasSubstr("nsop alert close " + alerts_[0].id));
  // Somebody asks for more, and the machine is quiet this time.
  events_.push_back(change_event(alerts_[0], {"reopen", "", "again", "", "ada"}, options_.now_utc));
  alerts_ = now();
  EXPECT_EQ(alerts_[0].state, AlertState::kInconclusive);
  lab_.noise = 0.001;
  EXPECT_EQ(go({step_}).found.at(0).first_bad, "c036");
  ASSERT_EQ(now().size(), 2u);
  EXPECT_EQ(now()[0].state, AlertState::kClosed);
  EXPECT_EQ(now()[0].reason, "confirmed: alert " + now()[1].id);
  EXPECT_EQ(now()[1].state, AlertState::kOpen);
}

TEST_F(FollowUpTest, AnswersOfNoTimeAreNoNoise) {
  lab_.base_fails = true;  // the good commit doesn't run today
  Suspect failure = step_;
  failure.kind = SuspectKind::kFailure;
  for (const Suspect& suspect : {step_, failure}) {
    EXPECT_EQ(go({suspect}).unresolved.size(), 1u);
  }
  EXPECT_EQ(actions(), (std::vector<std::string>{"inconclusive", "inconclusive"}));
}

TEST_F(FollowUpTest, WithoutALineOfCommitsTheRangeIsTold) {
  lab_.changes["c036"][kRelu] = 1.06;
  lab_.lines = false;
  const FollowUp result = go({step_});
  EXPECT_EQ(result.found.at(0).last_good, "c030");
  EXPECT_EQ(result.found[0].first_bad, "c040");
  EXPECT_THAT(result.found[0].reason, HasSubstr("not searched: no ancestor"));
}

TEST(SideOf, HalfOfTheChangeIsTheBorder) {
  GateRowResult r;
  r.first.decision.rounds = 6;
  const auto side = [&](double lo, double hi, double ratio) {
    r.first.decision.intervals[0] = {1, lo, hi};
    stats::GateDecision confirmed;
    confirmed.intervals[0] = {ratio, ratio, ratio};
    return side_of(r, SuspectKind::kStep, confirmed);
  };
  EXPECT_EQ(side(1.04, 1.06, 1.06), Side::kBad);
  EXPECT_EQ(side(0.99, 1.02, 1.06), Side::kGood);
  EXPECT_EQ(side(1.01, 1.05, 1.06), Side::kInconclusive);
  EXPECT_EQ(side(0.90, 0.92, 0.9), Side::kBad);
  EXPECT_EQ(side(0.98, 1.01, 0.9), Side::kGood);
  r.first.decision.rounds = 0;
  EXPECT_EQ(side(1, 1, 1.06), Side::kUnknown);
}

// A commit whose fastest repetitions are as they were is not good by that.
TEST(SideOf, GoesByTheStatisticThatConfirmedTheChange) {
  GateRowResult r;
  r.first.decision.rounds = 10;
  r.first.decision.intervals = {{{1, 0.99, 1.01}, {1.5, 1.4, 1.6}, {1, 0.5, 2}}};
  stats::GateDecision confirmed;
  confirmed.intervals = {{{1.5, 1.4, 1.6}, {1.5, 1.4, 1.6}, {1, 0.5, 2}}};
  EXPECT_EQ(side_of(r, SuspectKind::kStep, confirmed), Side::kGood);
  confirmed.by = stats::Statistic::kExcess;
  EXPECT_EQ(side_of(r, SuspectKind::kStep, confirmed), Side::kBad);
}

}  // namespace
}  // namespace nsop::judge
