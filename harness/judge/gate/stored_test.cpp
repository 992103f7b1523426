#include "harness/judge/gate/stored.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/tensor/random.h"
#include "harness/judge/gate/verdict.h"
#include "harness/judge/testing/machine_support.h"

namespace nsop::judge {
namespace {

using stats::Verdict;
using testing::HasSubstr;

struct Recorded {
  GatePlan plan;
  GateResult live;
  std::vector<Invocation> invocations;
};

Recorded record(FakeMachine machine, const std::vector<GateRow>& rows,
                const GateOptions& options = {}) {
  Recorded r;
  r.plan.rows = rows;
  r.plan.layouts = options.layouts;
  r.plan.fresh_layouts = options.fresh_layouts;
  r.live = run_gate(rows, options, machine, [&](Arm, Invocation invocation) {
    r.invocations.push_back(std::move(invocation));
  });
  return r;
}

void expect_equal_sessions(const SessionRow& a, const SessionRow& b) {
  EXPECT_EQ(a.decision.verdict, b.decision.verdict);
  EXPECT_EQ(a.decision.change().ratio, b.decision.change().ratio);
  EXPECT_EQ(a.decision.change().lo, b.decision.change().lo);
  EXPECT_EQ(a.decision.change().hi, b.decision.change().hi);
  EXPECT_EQ(a.decision.note, b.decision.note);
  EXPECT_EQ(a.decision.by, b.decision.by);
  EXPECT_EQ(a.decision.of(stats::Statistic::kExcess).hi,
            b.decision.of(stats::Statistic::kExcess).hi);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.rounds.size(), b.rounds.size());
}

TEST(StoredGate, FollowsFromItsInvocationsInAnyOrder) {
  FakeMachine machine;
  machine.rows = {{"control", {}},
                  {"same", {}},
                  {"worse", {.head_ns = 1050}},
                  {"better", {.head_ns = 900}},
                  {"noisy", {.noise = 0.2}},
                  {"now and then", {.repetitions = 5, .slow_repetitions = 0.5, .slow_factor = 2}},
                  {"allocates", {.head_allocs = 1}},
                  {"dies", {.head_fails_from_round = 3}},
                  {"kept", {.head_allocs = 2}},
                  {"new", {.head_allocs = 1}},
                  {"new but dies", {.head_cannot_count = true}},
                  {"fixed", {.base_fails_from_round = 2}}};
  std::vector<GateRow> rows =
      rows_named({"control", "same", "worse", "better", "noisy", "allocates", "dies", "gone",
                  "kept", "new", "new but dies", "fixed", "now and then"});
  rows[0].canary = true;
  rows[7].kind = RowKind::kLost;
  rows[7].untimed = "head: no such op";
  rows[8].kind = RowKind::kIdentical;
  rows[9].kind = rows[10].kind = RowKind::kNew;
  const Recorded r = record(machine, rows);
  std::vector<Invocation> shuffled = r.invocations;
  SplitMix64 generator(7);
  for (size_t i = shuffled.size(); i > 1; --i) {
    std::swap(shuffled[i - 1], shuffled[generator.next() % i]);
  }
  const GateResult again = replay_gate(parse_gate_plan(gate_plan_text(r.plan)), shuffled);
  ASSERT_EQ(again.rows.size(), r.live.rows.size());
  EXPECT_EQ(again.void_reason, r.live.void_reason);
  for (size_t i = 0; i < rows.size(); ++i) {
    const GateRowResult &a = r.live.rows[i], &b = again.rows[i];
    EXPECT_EQ(a.verdict, b.verdict) << a.row.key.text();
    EXPECT_EQ(a.note, b.note);
    EXPECT_EQ(a.row.key, b.row.key);
    expect_equal_sessions(a.first, b.first);
    ASSERT_EQ(a.second.has_value(), b.second.has_value());
    if (a.second) expect_equal_sessions(*a.second, *b.second);
  }
  EXPECT_EQ(again.rows[7].verdict, Verdict::kWorse);
  EXPECT_EQ(again.rows[7].note, "head: no such op");
}

// So does what rows tell each other of their noise. In gates of before each row spoke for itself,
// and they are judged as they were.
TEST(StoredGate, RowsTellEachOtherTheirNoiseAgain) {
  FakeMachine machine;
  std::vector<std::string> names;
  for (int i = 0; i < 24; ++i) {
    names.push_back(std::to_string(i));
    machine.rows[names.back()] = {.noise = i % 2 == 0 ? 0.007 : 0.012};
  }
  GateOptions options;
  options.budget_s = 0;
  Recorded r = record(machine, rows_named(names), options);
  const GateResult again = replay_gate(parse_gate_plan(gate_plan_text(r.plan)), r.invocations);
  r.plan.policy.most_prior_df = 0;
  const GateResult alone = replay_gate(parse_gate_plan(gate_plan_text(r.plan)), r.invocations);
  int others = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    expect_equal_sessions(r.live.rows[i].first, again.rows[i].first);
    const stats::GateDecision &a = again.rows[i].first.decision, &b = alone.rows[i].first.decision;
    others += a.rounds == b.rounds && a.change().hi != b.change().hi ? 1 : 0;
  }
  EXPECT_GT(others, 0);
  auto plan = parse_json(gate_plan_text(r.plan), "plan");
  plan["policy"].erase("most_prior_df");
  EXPECT_EQ(parse_gate_plan(plan.dump()).policy.most_prior_df, 0);
}

TEST(StoredGate, ControlsSpeakForTheirOwnNoiseAlone) {
  FakeMachine machine;
  std::vector<std::string> names = {"control"};
  for (int i = 0; i < 12; ++i) names.push_back(std::to_string(i));
  for (const std::string& name : names) machine.rows[name] = {.noise = 0.012};
  std::vector<GateRow> rows = rows_named(names);
  rows[0].canary = true;
  GateOptions options;
  options.budget_s = 0;
  const Recorded r = record(machine, rows, options);
  const SessionRow& control = r.live.rows[0].first;
  const stats::GateDecision own = stats::decide_gate(control.rounds, options.policy);
  EXPECT_EQ(control.decision.change().hi, own.change().hi);
}

TEST(StoredGate, ADeclaredRegressionIsSaidButIsNoFailure) {
  FakeMachine machine;
  machine.rows = {{"worse", {.head_ns = 1050}},
                  {"allocates", {.head_allocs = 1}},
                  {"same", {}},
                  {"same too", {}}};
  std::vector<GateRow> rows = rows_named({"worse", "allocates", "same", "same too"});
  for (GateRow& row : rows) row.declared = "declared in nsop-known.toml:1: meant";
  rows[0].declared_percent = 10;
  const Recorded r = record(machine, rows);
  const GateResult again = replay_gate(parse_gate_plan(gate_plan_text(r.plan)), r.invocations);
  for (const GateResult* result : {&r.live, &again}) {
    EXPECT_EQ(result->rows[0].verdict, Verdict::kWorse);
    EXPECT_TRUE(result->rows[0].is_declared);
    EXPECT_EQ(result->rows[0].note, "declared in nsop-known.toml:1: meant");
    EXPECT_TRUE(result->rows[1].is_declared);
    EXPECT_FALSE(result->rows[2].is_declared);
    EXPECT_EQ(outcome_of(*result), GateOutcome::kPassed);
  }
  // More than was declared is another change; a crash or a lost row is never meant.
  rows[0].declared_percent = 2;
  EXPECT_EQ(outcome_of(record(machine, rows).live), GateOutcome::kWorse);
  rows[0].declared_percent = 0;
  // A size is one of time: it says nothing of memory.
  rows[1].declared_percent = 50;
  const GateResult allocates = record(machine, rows).live;
  EXPECT_FALSE(allocates.rows[1].is_declared);
  EXPECT_EQ(allocates.rows[1].note,
            "more memory is allocated per operation; declared in nsop-known.toml:1: meant, but of "
            "at most 50 % of time");
  EXPECT_EQ(outcome_of(allocates), GateOutcome::kWorse);
  rows[1].declared_percent = 0;
  machine.rows["same"].head_fails_from_round = 2;
  const GateResult crashed = record(machine, rows).live;
  EXPECT_TRUE(crashed.rows[0].is_declared);
  EXPECT_FALSE(crashed.rows[2].is_declared);
  EXPECT_EQ(outcome_of(crashed), GateOutcome::kWorse);
}

TEST(StoredGate, WhatWasInterruptedHasNoVerdict) {
  FakeMachine machine;
  machine.rows = {{"a", {.head_ns = 1100}}};
  Recorded r = record(machine, rows_named({"a"}));
  r.invocations.resize(7);  // two of the counting pass, five of timing: two rounds and a half
  const GateResult again = replay_gate(r.plan, r.invocations);
  EXPECT_EQ(again.rows[0].verdict, Verdict::kInconclusive);
  EXPECT_EQ(again.rows[0].first.rounds.size(), 2u);
}

TEST(StoredGate, NumbersOfAPlanAreReadAsTheyStandOrRefused) {
  const Json whole = Json::parse(gate_plan_text(GatePlan{}));
  const auto message = [&](auto change) {
    Json strange = whole;
    change(strange);
    try {
      parse_gate_plan(strange.dump());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  for (const Json& number : {Json(1e55), Json(1.5), Json(int64_t{1} << 40), Json("6"), Json()}) {
    EXPECT_THAT(message([&](Json& plan) { plan["policy"]["further"][0][0] = number; }),
                testing::StartsWith("gate plan: a look is"))
        << number;
    EXPECT_THAT(message([&](Json& plan) { plan["layouts"] = number; }),
                testing::StartsWith("gate plan: field 'layouts'"))
        << number;
  }
}

TEST(StoredGate, APlanThatIsNoneSaysSo) {
  const auto message = [](const std::string& text) {
    try {
      parse_gate_plan(text);
      return std::string("accepted");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      return std::string(error.what());
    }
  };
  EXPECT_THAT(message("{}"), HasSubstr("no gate"));
  EXPECT_THAT(message("7"), HasSubstr("no gate"));
  EXPECT_THAT(message("[1"), HasSubstr("gate plan"));
  EXPECT_THAT(message(R"({"schema": "nsop.plan/1"})"), HasSubstr("no gate"));
  GatePlan plan;
  plan.layouts = 0;
  EXPECT_THAT(message(gate_plan_text(plan)), HasSubstr("link orders"));
  plan.layouts = 1;
  const auto with = [&](auto change) {
    GatePlan strange = plan;
    change(strange);
    return message(gate_plan_text(strange));
  };
  for (const double alpha : {3.0, 1.0, 0.0, -1.0}) {
    EXPECT_THAT(with([&](GatePlan& p) { p.policy.looks[1].alpha = alpha; }), HasSubstr("alphas"));
    EXPECT_THAT(with([&](GatePlan& p) { p.policy.further[0].alpha = alpha; }), HasSubstr("alphas"));
    EXPECT_THAT(with([&](GatePlan& p) { p.policy.worth = alpha; }), HasSubstr("margins"));
    EXPECT_THAT(with([&](GatePlan& p) { p.policy.same = alpha; }), HasSubstr("margins"));
    EXPECT_THAT(with([&](GatePlan& p) { p.policy.excess_worth = alpha; }), HasSubstr("or both 0"));
    EXPECT_THAT(with([&](GatePlan& p) { p.false_discovery_rate = alpha; }), HasSubstr("rate"));
  }
  EXPECT_THAT(with([](GatePlan& p) { p.policy.looks[0].rounds = 0; }), HasSubstr("rounds"));
  EXPECT_THAT(with([](GatePlan& p) { p.policy.looks[1].rounds = 6; }), HasSubstr("rounds"));
  EXPECT_THAT(with([](GatePlan& p) { p.policy.further[0].rounds = 20; }), HasSubstr("rounds"));
  EXPECT_EQ(with([](GatePlan& p) { p.policy.looks[0].rounds = 1; }), "accepted");
  EXPECT_THAT(with([](GatePlan& p) { p.policy.same_rounds = -1; }), HasSubstr("for the same"));
  EXPECT_THAT(with([](GatePlan& p) { p.policy.excess_worth = -1; }), HasSubstr("or both 0"));
  for (const double times : {0.5, 11.0, -1.0}) {
    EXPECT_THAT(with([&](GatePlan& p) { p.policy.confirming = times; }), HasSubstr("1 to 10"));
  }
  std::string text = gate_plan_text(plan);
  text.replace(text.find("\"rows\":[]"), 9, "\"rows\":[{\"case\":1}]");
  EXPECT_THAT(message(text), HasSubstr("gate plan"));
}

// Gates of versions that looked at the fastest repetitions alone keep the verdicts that they had.
TEST(StoredGate, AGateOfBeforeIsJudgedAsItWas) {
  FakeMachine machine;
  machine.rows = {{"a", {.repetitions = 10, .slow_repetitions = 0.5, .slow_factor = 2}}};
  const Recorded r = record(machine, rows_named({"a"}));
  EXPECT_EQ(r.live.rows[0].verdict, Verdict::kWorse);
  Json plan = Json::parse(gate_plan_text(r.plan));
  for (const char* later : {"excess_worth", "excess_same", "first_worth", "first_same",
                            "same_rounds", "most_prior_df", "quickest_firsts"}) {
    plan["policy"].erase(later);
  }
  const GateResult again = replay_gate(parse_gate_plan(plan.dump()), r.invocations);
  EXPECT_EQ(again.rows[0].first.decision.verdict, Verdict::kSame);
  EXPECT_EQ(again.rows[0].first.decision.by, stats::Statistic::kFastest);
}

}  // namespace
}  // namespace nsop::judge
