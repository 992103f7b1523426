#include "harness/judge/nightly/suspects.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/judge/testing/nights_support.h"

namespace nsop::judge {
namespace {

using test::add_hidden;
using test::kRelu;
using test::quiet_line;
using test::scale_from;

Alert alert_of(const Suspect& s, const Line& line, AlertState state) {
  Alert alert;
  alert.kind = kind_text(s.kind);
  alert.direction = s.worse ? "worse" : "better";
  alert.rows = {{s.row, s.ratio, 1, 1, ""}};
  alert.good_run = line[s.good].run_id;
  alert.bad_run = line[s.bad].run_id;
  alert.state = state;
  return alert;
}

TEST(Suspects, AQuietHistoryHasNone) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_TRUE(suspects_of(kRelu, quiet_line(90, 0.004, seed), {}).empty()) << seed;
  }
}

TEST(Suspects, AStepIsHeldByItsRange) {
  Line line = quiet_line(60);
  scale_from(line, 40, 1.08);
  const auto found = open_suspects(kRelu, line, {}, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kStep);
  EXPECT_TRUE(found[0].worse);
  EXPECT_EQ(found[0].good, 38u);
  EXPECT_EQ(found[0].bad, 42u);
  EXPECT_NE(found[0].why.find("2026-02-13"), std::string::npos) << found[0].why;
}

TEST(Suspects, TheRepairOfAConfirmedStepIsToldAtOnce) {
  Line line = quiet_line(60);
  scale_from(line, 40, 1.08);
  const Alert confirmed = alert_of(suspects_of(kRelu, line, {}).at(0), line, AlertState::kOpen);
  line = quiet_line(68);
  scale_from(line, 40, 1.08);
  scale_from(line, 60, 1 / 1.08);
  const auto repairs = [&](const Alert& alert) {
    size_t count = 0;
    for (const Suspect& s : suspects_of(kRelu, line, {}, {alert})) {
      count += s.kind == SuspectKind::kStep && !s.worse && s.good < 60 && s.bad >= 60 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(repairs(confirmed), 1u);
  Alert other = confirmed;
  other.state = AlertState::kNoise;
  EXPECT_EQ(repairs(other), 0u);
  other = confirmed;
  other.confirmed = false;
  EXPECT_EQ(repairs(other), 0u);
  other = confirmed;
  other.rows[0].row = test::kTanh;
  EXPECT_EQ(repairs(other), 0u);
}

TEST(Suspects, TheNewestNightAloneIsATrip) {
  Line line = quiet_line(60);
  scale_from(line, 59, 1.10);
  const auto found = suspects_of(kRelu, line, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kTrip);
  EXPECT_EQ(found[0].bad, 59u);
  EXPECT_EQ(kind_text(found[0].kind), "step");
}

TEST(Suspects, ATripOfSeveralNightsIsHeldWhereItBegan) {
  for (const size_t nights : {1, 2, 3}) {
    Line line = quiet_line(60 + nights);
    scale_from(line, 60, 0.9);
    const auto found = suspects_of(kRelu, line, {});
    ASSERT_EQ(found.size(), 1u) << nights;
    EXPECT_FALSE(found[0].worse);
    EXPECT_EQ(found[0].good, 58u);
    EXPECT_EQ(found[0].bad, std::min<size_t>(62, 59 + nights));
    EXPECT_NEAR(found[0].ratio, 0.9, 0.02);
  }
}

TEST(Suspects, AnotherToolchainOrTooShortAHistoryIsNoAlarm) {
  Line line = quiet_line(60);
  scale_from(line, 40, 1.5);
  for (size_t i = 40; i < line.size(); ++i) line[i].segment = "gcc 13 | inputs";
  EXPECT_TRUE(suspects_of(kRelu, line, {}).empty());
  EXPECT_TRUE(suspects_of(kRelu, quiet_line(11), {}).empty());
  EXPECT_TRUE(suspects_of(kRelu, {}, {}).empty());
}

TEST(Suspects, AQuietHistoryHasNoHiddenOnes) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Line line = quiet_line(90, 0.004, seed);
    add_hidden(line, 0.01, seed + 100);
    EXPECT_TRUE(suspects_of(kRelu, line, {}).empty()) << seed;
  }
}

TEST(Suspects, WhatTheFastestRepetitionsHideIsAStep) {
  Line line = quiet_line(60);
  add_hidden(line);
  for (size_t i = 40; i < line.size(); ++i) line[i].excess = *line[i].excess + std::log(1.5);
  const auto found = open_suspects(kRelu, line, {}, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kHidden);
  EXPECT_EQ(kind_text(found[0].kind), "step");
  EXPECT_TRUE(found[0].worse);
  EXPECT_EQ(found[0].good, 38u);
  EXPECT_EQ(found[0].bad, 42u);
  EXPECT_NEAR(found[0].ratio, 1.5, 0.02);
  EXPECT_EQ(found[0].why.find("the mean repetition over the fastest changed by +"), 0u)
      << found[0].why;
  // One measurement answers it: it is not asked for again.
  EXPECT_TRUE(
      open_suspects(kRelu, line, {}, {alert_of(found[0], line, AlertState::kNoise)}).empty());
}

TEST(Suspects, ASlowerFirstOperationIsAStep) {
  Line line = quiet_line(60);
  add_hidden(line);
  for (size_t i = 40; i < line.size(); ++i) line[i].first_ns = *line[i].first_ns * 3;
  const auto found = suspects_of(kRelu, line, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kHidden);
  EXPECT_EQ(found[0].why.find("the first operation of a process changed by +"), 0u);
}

TEST(Suspects, HiddenOnesThatABetterOrVisibleChangeExplainsAreNone) {
  Line line = quiet_line(60);
  add_hidden(line);
  for (size_t i = 40; i < line.size(); ++i) line[i].excess = *line[i].excess + std::log(1.5);
  Line both = line;
  scale_from(both, 40, 0.9);
  const auto found = suspects_of(kRelu, both, {});
  ASSERT_EQ(found.size(), 1u) << "the gate of the visible change looks at all of it";
  EXPECT_EQ(found[0].kind, SuspectKind::kStep);
  // Gone again: a level of less is nothing to measure.
  Line better = quiet_line(60);
  add_hidden(better);
  for (size_t i = 0; i < 40; ++i) better[i].excess = *better[i].excess + std::log(1.5);
  EXPECT_TRUE(suspects_of(kRelu, better, {}).empty());
}

TEST(Suspects, NightsThatDoNotSayCountForNothingHidden) {
  Line line = quiet_line(60);
  add_hidden(line);
  for (size_t i = 40; i < line.size(); ++i) line[i].excess = *line[i].excess + std::log(1.5);
  for (size_t i = 0; i < line.size(); i += 3) line[i].excess = std::nullopt;
  EXPECT_EQ(suspects_of(kRelu, line, {}).size(), 1u);
  line.back().excess = std::nullopt;
  EXPECT_TRUE(suspects_of(kRelu, line, {}).empty()) << "tonight doesn't say";
  for (size_t i = 0; i + 12 < line.size(); ++i) line[i].excess = std::nullopt;
  line.back().excess = 0.1;
  EXPECT_TRUE(suspects_of(kRelu, line, {}).empty()) << "a history that only begins";
}

TEST(Suspects, MoreAllocationsNeedOneNight) {
  Line line = quiet_line(3);
  line[2].allocs = 1;
  auto found = suspects_of(kRelu, line, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kCount);
  EXPECT_EQ(found[0].why, "1 allocs/op, were 0");
  // A night that could not decide it leaves it to the next.
  line = quiet_line(5);
  for (size_t i = 2; i < 5; ++i) line[i].allocs = 1;
  found = suspects_of(kRelu, line, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].good, 1u);
  EXPECT_EQ(found[0].bad, 2u);
  EXPECT_TRUE(is_dealt_with(found[0], line, {alert_of(found[0], line, AlertState::kOpen)}));
  for (size_t i = 2; i < 5; ++i) line[i].segment = "gcc 13 | inputs";
  EXPECT_TRUE(suspects_of(kRelu, line, {}).empty());
}

TEST(Suspects, MoreAllocationsAfterAFailedNightAreSeen) {
  Line line = quiet_line(6);
  line[3].status = Status::kError;  // what inputs it would have had is not known
  line[3].segment = "gcc | ";
  line[3].allocs = line[3].bytes = std::nullopt;
  line[3].ns = 0;
  line[4].allocs = line[5].allocs = 1;
  const auto found = suspects_of(kRelu, line, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kCount);
  EXPECT_EQ(found[0].good, 2u);
  EXPECT_EQ(found[0].bad, 4u);  // the failed one's commit would answer another question
}

TEST(Suspects, AFailureNeedsOneNight) {
  Line line = quiet_line(3);
  line[2].status = Status::kError;
  line[2].ns = 0;
  const auto found = suspects_of(kRelu, line, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kFailure);
  EXPECT_EQ(found[0].why, "was ok, is error");
}

TEST(Suspects, AFailureStaysOneUntilItIsAnsweredOrWorksAgain) {
  Line line = quiet_line(6);
  for (size_t i = 3; i < 6; ++i) line[i].status = Status::kError;
  const Suspect now = suspects_of(kRelu, line, {}).at(0);
  EXPECT_EQ(now.good, 2u);
  EXPECT_EQ(now.bad, 5u);
  const Suspect first = {kRelu, SuspectKind::kFailure, true, 2, 3, 1, ""};
  EXPECT_TRUE(is_dealt_with(now, line, {alert_of(first, line, AlertState::kOpen)}));
  // It was gone when it was measured again, and has come back since.
  EXPECT_FALSE(is_dealt_with(now, line, {alert_of(first, line, AlertState::kNoise)}));
  EXPECT_TRUE(is_dealt_with(first, line, {alert_of(first, line, AlertState::kNoise)}));
  EXPECT_FALSE(is_dealt_with(now, line, {alert_of(first, line, AlertState::kInconclusive)}));
  EXPECT_NE(inconclusive_of(now, line, {alert_of(first, line, AlertState::kInconclusive)}),
            nullptr);
  line[5].status = Status::kOk;
  EXPECT_TRUE(suspects_of(kRelu, line, {}).empty());
}

TEST(Suspects, CreepIsItsOwnKind) {
  Line line = quiet_line(90, 0.002);
  for (size_t i = 0; i < line.size(); ++i) line[i].ns *= std::pow(1.0008, static_cast<double>(i));
  SuspectPolicy policy;
  policy.change.least = 10;  // no step explains it
  auto found = suspects_of(kRelu, line, policy);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kCreep);
  EXPECT_EQ(found[0].bad, 89u);
  EXPECT_NE(found[0].why.find("best level of 90 days"), std::string::npos);
  policy.baseline_run = "run-5";
  found = suspects_of(kRelu, line, policy);
  EXPECT_EQ(found.at(0).good, 5u);
  EXPECT_NE(found[0].why.find("release baseline"), std::string::npos);
  policy.baseline_run = {};
  policy.creep_days = 30;
  EXPECT_TRUE(suspects_of(kRelu, line, policy).empty());
}

TEST(Suspects, CreepSinceAReleaseOlderThanTheWindowIsSeen) {
  Line line = quiet_line(240, 0.002);
  // By 6 % over the first 100 nights; the newest 90 are level.
  for (size_t i = 0; i < line.size(); ++i) {
    line[i].ns *= 1 + 0.0006 * static_cast<double>(std::min<size_t>(i, 100));
  }
  SuspectPolicy policy;
  policy.change.least = 10;  // no step explains it
  EXPECT_TRUE(suspects_of(kRelu, line, policy).empty());
  policy.baseline_run = "run-5";
  const auto found = suspects_of(kRelu, line, policy);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, SuspectKind::kCreep);
  EXPECT_EQ(found[0].good, 5u);
  EXPECT_EQ(found[0].bad, 239u);
  EXPECT_NE(found[0].why.find("release baseline"), std::string::npos);
}

TEST(OpenSuspects, CreepWaitsForTheStepThatMayExplainIt) {
  Line line = quiet_line(60);
  scale_from(line, 40, 1.08);
  EXPECT_EQ(suspects_of(kRelu, line, {}).size(), 2u);
  const auto open = open_suspects(kRelu, line, {}, {});
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].kind, SuspectKind::kStep);
  const auto after_noise =
      open_suspects(kRelu, line, {}, {alert_of(open[0], line, AlertState::kNoise)});
  ASSERT_EQ(after_noise.size(), 1u);
  EXPECT_EQ(after_noise[0].kind, SuspectKind::kCreep);
  EXPECT_TRUE(open_suspects(kRelu, line, {}, {alert_of(open[0], line, AlertState::kOpen)}).empty());
}

TEST(DealtWith, InWhateverState) {
  Line line = quiet_line(60);
  scale_from(line, 40, 1.08);
  const Suspect suspect = suspects_of(kRelu, line, {}).at(0);
  for (const AlertState state : {AlertState::kNoise, AlertState::kOpen, AlertState::kClosed}) {
    EXPECT_TRUE(is_dealt_with(suspect, line, {alert_of(suspect, line, state)}));
  }
  Suspect shifted = suspect;
  shifted.good += 1;
  shifted.bad += 1;
  EXPECT_TRUE(is_dealt_with(shifted, line, {alert_of(suspect, line, AlertState::kNoise)}));
}

TEST(DealtWith, WhatIsInconclusiveIsNot) {
  Line line = quiet_line(60);
  scale_from(line, 40, 1.08);
  const Suspect suspect = suspects_of(kRelu, line, {}).at(0);
  const std::vector<Alert> inconclusive = {alert_of(suspect, line, AlertState::kInconclusive)};
  EXPECT_FALSE(is_dealt_with(suspect, line, inconclusive));
  EXPECT_EQ(inconclusive_of(suspect, line, inconclusive), &inconclusive[0]);
  Suspect later = suspect;
  later.good += 6;
  later.bad += 6;
  EXPECT_EQ(inconclusive_of(later, line, inconclusive), nullptr);
}

TEST(DealtWith, OtherNightsRowsAndDirectionsAreOtherThings) {
  Line line = quiet_line(60);
  scale_from(line, 40, 1.08);
  const Suspect suspect = suspects_of(kRelu, line, {}).at(0);
  Suspect later = suspect;
  later.good += 6;
  later.bad += 6;
  EXPECT_FALSE(is_dealt_with(later, line, {alert_of(suspect, line, AlertState::kNoise)}));
  Alert other = alert_of(suspect, line, AlertState::kOpen);
  other.direction = "better";
  EXPECT_FALSE(is_dealt_with(suspect, line, {other}));
  other = alert_of(suspect, line, AlertState::kOpen);
  other.rows[0].row = test::kTanh;
  EXPECT_FALSE(is_dealt_with(suspect, line, {other}));
  EXPECT_FALSE(is_dealt_with(suspect, line, {}));
}

TEST(DealtWith, CreepThatAConfirmedStepExplainsIsKnown) {
  const Line line = quiet_line(60);
  const Suspect creep = {kRelu, SuspectKind::kCreep, true, 10, 59, 1.06, ""};
  Suspect step = {kRelu, SuspectKind::kStep, true, 30, 34, 1.06, ""};
  EXPECT_TRUE(is_dealt_with(creep, line, {alert_of(step, line, AlertState::kAccepted)}));
  EXPECT_FALSE(is_dealt_with(creep, line, {alert_of(step, line, AlertState::kNoise)}));
  EXPECT_FALSE(is_dealt_with(creep, line, {alert_of(step, line, AlertState::kClosed)}));
  step.good = 2;
  step.bad = 6;
  EXPECT_FALSE(is_dealt_with(creep, line, {alert_of(step, line, AlertState::kAccepted)}));
}

}  // namespace
}  // namespace nsop::judge
