#include "harness/judge/history/alert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/judge/testing/nights_support.h"

namespace nsop::judge {
namespace {

using test::kRelu;
using test::kTanh;
using testing::HasSubstr;

constexpr const char* kNow = "2026-06-01T00:00:00Z";

Alert example_alert() {
  Alert alert;
  alert.host_id = "host-a";
  alert.kind = "step";
  alert.direction = "worse";
  alert.last_good = "aaaa";
  alert.first_bad = "bbbb";
  alert.subject = "Rewrite relu";
  alert.rows = {{kRelu, 1.06, 1.05, 1.07, ""}};
  alert.good_run = "run-1";
  alert.bad_run = "run-2";
  alert.id = alert_id(alert);
  return alert;
}

std::string refusal(const Alert& alert, const AlertChange& change) {
  try {
    change_event(alert, change, kNow);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(Alert, AFindingComesBackFromItsEvent) {
  const Alert finding = example_alert();
  const auto alerts = alerts_of({finding_event(finding, "open", kNow)}, kNow);
  ASSERT_EQ(alerts.size(), 1u);
  EXPECT_EQ(alerts[0].id, finding.id);
  EXPECT_EQ(alerts[0].state, AlertState::kOpen);
  EXPECT_EQ(alerts[0].rows.at(0).row, kRelu);
  EXPECT_EQ(alerts[0].rows.at(0).ratio, 1.06);
  EXPECT_EQ(alerts[0].subject, "Rewrite relu");
  EXPECT_EQ(alerts[0].opened_utc, kNow);
}

TEST(Alert, NumbersOfAnEventAreReadAsTheyStandOrRefused) {
  for (const Json& threads : {Json(5e37), Json(1.5), Json("1"), Json()}) {
    store::AlertEvent event = finding_event(example_alert(), "open", kNow);
    Json body = Json::parse(event.body);
    body["rows"][0]["threads"] = threads;
    event.body = body.dump();
    EXPECT_THAT([&] { alerts_of({event}, kNow); },
                testing::ThrowsMessage<Error>(HasSubstr("field 'threads'")))
        << threads;
  }
}

TEST(Alert, ALifeOfEvents) {
  std::vector<store::AlertEvent> events = {finding_event(example_alert(), "open", kNow)};
  const auto now = [&] { return alerts_of(events, kNow).at(0); };
  events.push_back(change_event(
      now(), {"accept", "ada", "needed for exact rounding", "2026-12-31", "ada"}, kNow));
  EXPECT_EQ(now().state, AlertState::kAccepted);
  EXPECT_EQ(now().owner, "ada");
  EXPECT_EQ(now().expires, "2026-12-31");
  EXPECT_EQ(alerts_of(events, "2027-01-01T00:00:00Z").at(0).state, AlertState::kOpen);
  events.push_back(change_event(now(), {"close", "", "fixed by cccc", "", "bob"}, kNow));
  EXPECT_EQ(now().state, AlertState::kClosed);
  EXPECT_EQ(now().owner, "ada");  // stays until somebody else takes it
  events.push_back(change_event(now(), {"reopen", "bob", "it came back", "", "bob"}, kNow));
  EXPECT_EQ(now().state, AlertState::kOpen);
  EXPECT_EQ(now().owner, "bob");
}

TEST(Alert, AnUpdateAddsRowsAndRefreshesThem) {
  Alert more = example_alert();
  more.rows = {{kRelu, 1.08, 1.07, 1.09, ""}, {kTanh, 1.1, 1.09, 1.11, ""}};
  const auto alerts = alerts_of(
      {finding_event(example_alert(), "open", kNow), finding_event(more, "update", kNow)}, kNow);
  ASSERT_EQ(alerts.at(0).rows.size(), 2u);
  EXPECT_EQ(alerts[0].rows[0].ratio, 1.08);
  EXPECT_EQ(alerts[0].state, AlertState::kOpen);
}

TEST(Alert, OneCommitIsOneAlertButNoiseIsPerRow) {
  Alert a = example_alert(), b = example_alert();
  b.rows = {{kTanh, 1.1, 1.09, 1.11, ""}};
  b.last_good = "a0a0";
  EXPECT_EQ(alert_id(a), alert_id(b));
  a.state = b.state = AlertState::kNoise;
  EXPECT_NE(alert_id(a), alert_id(b));
  b = example_alert();
  b.direction = "better";
  EXPECT_NE(alert_id(example_alert()), alert_id(b));
}

TEST(Alert, RefusalsSayWhy) {
  Alert alert = example_alert();
  EXPECT_THAT(refusal(alert, {"accept", "", " ", "", ""}), HasSubstr("--reason"));
  EXPECT_THAT(refusal(alert, {"accept", "", "x", "tomorrow", ""}), HasSubstr("2026-12-31"));
  EXPECT_THAT(refusal(alert, {"accept", "", "x", "2026-13-01", ""}), HasSubstr("expected a day"));
  EXPECT_THAT(refusal(alert, {"accept", "", "x", "2026-05-31", ""}), HasSubstr("in the past"));
  EXPECT_THAT(refusal(alert, {"reopen", "", "x", "", ""}), HasSubstr("is open"));
  alert.state = AlertState::kClosed;
  EXPECT_THAT(refusal(alert, {"close", "", "x", "", ""}), HasSubstr("is closed"));
}

TEST(Alert, IsFoundByTheStartOfItsId) {
  Alert a = example_alert(), b = example_alert();
  a.id = "abcd1";
  b.id = "abce2";
  const std::vector<Alert> alerts = {a, b};
  EXPECT_EQ(find_alert(alerts, "abcd").id, "abcd1");
  EXPECT_THROW(find_alert(alerts, "abc"), Error);
  EXPECT_THROW(find_alert(alerts, ""), Error);
  EXPECT_THROW(find_alert(alerts, "ffff"), Error);
}

TEST(Alert, EventsOfANewerVersionChangeNothingAndBrokenOnesAreSaid) {
  const auto open = finding_event(example_alert(), "open", kNow);
  auto later = open;
  later.action = "escalate";
  EXPECT_EQ(alerts_of({open, later}, kNow).at(0).state, AlertState::kOpen);
  auto broken = open;
  broken.body = "{}";
  EXPECT_THROW(alerts_of({broken}, kNow), Error);
}

TEST(Alert, WhatHasNoFindingIsNoAlertAndIsSaid) {
  auto escalate = finding_event(example_alert(), "escalate", kNow);
  Alert open = example_alert();
  const auto accept = change_event(open, {"accept", "", "x", "", "ada"}, kNow);
  EXPECT_TRUE(alerts_of({escalate, escalate, accept}, kNow).empty());
  EXPECT_THAT(strange_events({escalate, escalate, accept}),
              testing::UnorderedElementsAre(
                  "left out 2 events 'escalate' (of a newer nsop?)",
                  "left out 1 event 'accept' of alerts whose finding isn't there"));
  EXPECT_TRUE(strange_events({finding_event(open, "open", kNow), accept}).empty());
}

TEST(Alert, TheOrderOfTimeIsTheOrderOfWhatHappened) {
  std::vector<store::AlertEvent> events = {finding_event(example_alert(), "open", kNow)};
  const auto now = [&] { return alerts_of(events, kNow).at(0); };
  // The same second, then a machine whose clock is a day behind.
  events.push_back(change_event(now(), {"accept", "", "x", "", "ada"}, kNow));
  events.push_back(change_event(now(), {"close", "", "y", "", "bob"}, "2026-05-31T00:00:00Z"));
  EXPECT_EQ(events[1].at_utc, "2026-06-01T00:00:01Z");
  EXPECT_EQ(events[2].at_utc, "2026-06-01T00:00:02Z");
  EXPECT_EQ(now().state, AlertState::kClosed);
}

TEST(Alert, WhatEarlierVersionsCalledUndecidedIsInconclusiveAndKeepsItsId) {
  Alert finding = example_alert();
  finding.state = AlertState::kInconclusive;
  EXPECT_EQ(alert_id(finding), "f9ccacaa32e7");
  const Alert read = alerts_of({finding_event(finding, "undecided", kNow)}, kNow).at(0);
  EXPECT_EQ(state_text(read.state), "inconclusive");
  EXPECT_FALSE(read.confirmed);
  EXPECT_EQ(read.attempts, 1);
}

TEST(Alert, InconclusiveIsNoRegressionAndNeverBecomesOneByAWord) {
  Alert finding = example_alert();
  finding.state = AlertState::kInconclusive;
  finding.reason = "inconclusive";
  finding.id = alert_id(finding);
  EXPECT_NE(finding.id, example_alert().id);
  std::vector<store::AlertEvent> events = {finding_event(finding, "inconclusive", kNow),
                                           finding_event(finding, "inconclusive", kNow)};
  const auto now = [&] { return alerts_of(events, kNow).at(0); };
  EXPECT_EQ(now().attempts, 2);
  EXPECT_THAT(refusal(now(), {"accept", "", "x", "", ""}), HasSubstr("is inconclusive"));
  events.push_back(change_event(now(), {"close", "", "old machine", "", "ada"}, kNow));
  EXPECT_EQ(now().state, AlertState::kClosed);
  events.push_back(change_event(now(), {"reopen", "", "look again", "", "ada"}, kNow));
  EXPECT_EQ(now().state, AlertState::kInconclusive);
  EXPECT_EQ(now().attempts, 0);
}

TEST(Alert, ALookChangesNothingButIsKept) {
  std::vector<store::AlertEvent> events = {finding_event(example_alert(), "open", kNow)};
  const auto now = [&] { return alerts_of(events, kNow).at(0); };
  events.push_back(look_event(now(), "run-9", "still worse", kNow));
  EXPECT_EQ(now().state, AlertState::kOpen);
  EXPECT_EQ(now().looks, 1);
  EXPECT_EQ(now().looked_run, "run-9");
}

TEST(Alert, WaitsUntilItIsDealtWith) {
  for (const AlertState state :
       {AlertState::kOpen, AlertState::kAccepted, AlertState::kInconclusive}) {
    EXPECT_TRUE(is_waiting(state)) << state_text(state);
  }
  for (const AlertState state : {AlertState::kNoise, AlertState::kNoted, AlertState::kClosed}) {
    EXPECT_FALSE(is_waiting(state)) << state_text(state);
  }
}

}  // namespace
}  // namespace nsop::judge
