#include "harness/report/base/goals/metric_goals.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const std::string kLoop = "dqn2048 updates=1 episodes=100";

Suite with_goal(const std::string& that) {
  return parse_suite(R"([report]
name = "dqn"
title = "A training loop"
form = "workload"
before = "functional"
after = "batched"

[[cases]]
label = "Loop"
case = "dqn2048 updates=1 episodes=100"

[[goals]]
on = "dqn2048"
that = ")" + that + "\"\n",
                     "goals.toml", suite_forms());
}

// Ours takes 4 ms for 100 episodes, allocates 3 times and 96 bytes, and has 5 KiB at most.
FakeRun loop_run(int invocations = 8, double spread = 0.01, bool steady = true) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const RowKey ours{kLoop, "batched", "AVX3", 1};
  AllocCounts counts = allocs(3, 96);
  counts.peak_live_bytes = 5 * 1024;
  counts.steady = steady;
  fake.count(ours, counts).time(ours, 4e6, invocations, spread);
  fake.metric("episodes", 100, 0).metric("train_call_ns", 25000, spread);
  fake.metric("moves", 12000, 0.1);  // a program that does not do the same each time
  fake.time({kLoop, "functional", "x86-64", 1}, 4e8);
  return fake;
}

GoalRow judged(const std::string& that, const FakeRun& fake = loop_run()) {
  static Suite suite;  // that the row refers to
  suite = with_goal(that);
  const RunData data = fake.data();
  return judge_goals(Context(suite, data, nullptr)).front();
}

GoalResult result_of(const std::string& that) { return judged(that).result; }

TEST(MetricGoals, WhatIsCountedIsComparedExactly) {
  EXPECT_EQ(result_of("allocs = 3"), GoalResult::kMet);
  EXPECT_EQ(result_of("allocs = 0"), GoalResult::kMissed);
  EXPECT_EQ(result_of("allocs <= 2"), GoalResult::kMissed);
  EXPECT_EQ(result_of("bytes <= 96 B"), GoalResult::kMet);
  EXPECT_EQ(result_of("bytes <= 95"), GoalResult::kMissed);
  EXPECT_EQ(result_of("peak_bytes <= 5 KiB"), GoalResult::kMet);
  EXPECT_EQ(result_of("peak_bytes <= 5 kB"), GoalResult::kMissed);
  EXPECT_EQ(result_of("episodes = 100"), GoalResult::kMet);
  EXPECT_EQ(judged("allocs = 3").value, 3);
}

TEST(MetricGoals, ZeroIsANumber) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const RowKey ours{kLoop, "batched", "AVX3", 1};
  fake.count(ours, allocs(0, 0)).time(ours, 4e6);
  const GoalRow row = judged("allocs = 0", fake);
  EXPECT_EQ(row.result, GoalResult::kMet);
  EXPECT_EQ(metric_value_cell(row)["text"], "0");
}

TEST(MetricGoals, ThePeakHoldsTheWorkspace) {
  FakeRun fake = loop_run();
  RunData data = fake.data();
  for (stats::RowSummary& row : data.rows) row.workspace_bytes = 1024;
  const Suite suite = with_goal("peak_bytes <= 5 KiB");
  const GoalRow row = judge_goals(Context(suite, data, nullptr)).front();
  EXPECT_EQ(row.result, GoalResult::kMissed);
  EXPECT_EQ(row.value, 6 * 1024);
}

TEST(MetricGoals, WhatWasNotCountedOrNotSteadyIsNotJudged) {
  const GoalRow never = judged("functional: allocs = 0");
  EXPECT_EQ(never.result, GoalResult::kNotJudged);
  EXPECT_EQ(never.remark, "allocations of functional@x86-64 were not counted");
  for (const char* that : {"allocs = 3", "bytes = 96", "peak_bytes <= 1 MiB"}) {
    const GoalRow unsteady = judged(that, loop_run(8, 0.01, false));
    EXPECT_EQ(unsteady.result, GoalResult::kNotJudged) << that;
    EXPECT_EQ(unsteady.remark, "allocations per operation are not steady") << that;
  }
  const GoalRow moves = judged("moves >= 1");
  EXPECT_EQ(moves.result, GoalResult::kNotJudged);
  EXPECT_EQ(moves.remark, "moves differs from invocation to invocation");
}

TEST(MetricGoals, WhatAStepDoesNotTellIsNotJudged) {
  for (const char* that :
       {"pool_misses = 0", "functional: train_call_ns <= 1", "functional: episodes_per_s >= 1"}) {
    const GoalRow row = judged(that);
    EXPECT_EQ(row.result, GoalResult::kNotJudged) << that;
    EXPECT_THAT(row.remark, testing::HasSubstr("does not tell")) << that;
    EXPECT_FALSE(row.value) << that;
    EXPECT_EQ(metric_value_cell(row)["text"], "n/a");
  }
}

// 0 of memory in RAM is what a worker says that can't know it: no bound is met by that.
TEST(MetricGoals, UnknownMemoryIsNotJudged) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.time({kLoop, "batched", "AVX3", 1}, 4e6, 8).metric("peak_rss_bytes", 0, 0);
  EXPECT_EQ(judged("peak_rss_bytes <= 100 MB", fake).result, GoalResult::kNotJudged);
  fake.metric("peak_rss_bytes", 5e7, 0);
  EXPECT_EQ(judged("peak_rss_bytes <= 100 MB", fake).result, GoalResult::kMet);
}

TEST(MetricGoals, WhatIsSampledIsJudgedByTheWholeInterval) {
  EXPECT_EQ(result_of("episodes_per_s >= 10000"), GoalResult::kMet);
  EXPECT_EQ(result_of("episodes_per_s >= 50000"), GoalResult::kMissed);
  EXPECT_EQ(result_of("episodes_per_s <= 10000"), GoalResult::kMissed);
  EXPECT_EQ(result_of("ms <= 5"), GoalResult::kMet);
  EXPECT_EQ(result_of("ns <= 3000 us"), GoalResult::kMissed);
  EXPECT_EQ(result_of("train_call_ns <= 0.87 ms"), GoalResult::kMet);
  const GoalRow row = judged("episodes_per_s >= 25000");
  EXPECT_EQ(row.result, GoalResult::kInconclusive);
  EXPECT_EQ(row.remark, "the interval holds the bound");
  EXPECT_NEAR(*row.value, 25000, 300);
  EXPECT_LE(row.lo, *row.value);
  EXPECT_GE(row.hi, *row.value);
}

TEST(MetricGoals, FewInvocationsDecideNothing) {
  const GoalRow row = judged("ms <= 1000", loop_run(5));
  EXPECT_EQ(row.result, GoalResult::kInconclusive);
  EXPECT_EQ(row.remark, "too few invocations for an interval");
  EXPECT_EQ(judged("allocs = 3", loop_run(5)).result, GoalResult::kMet);
}

TEST(MetricGoals, OursWrongMissesAndOursUnmeasuredDecidesNothing) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.fail({kLoop, "batched", "AVX3", 1}, Status::kWrong, "y[3]");
  EXPECT_EQ(judged("allocs = 0", fake).result, GoalResult::kMissed);
  EXPECT_EQ(judged("functional: allocs = 0", fake).result, GoalResult::kInconclusive);
}

TEST(MetricGoals, AbsoluteNumbersAreOfTheMachineOfTheRun) {
  EXPECT_EQ(judged("ms <= 5").against, "this machine");
  EXPECT_EQ(judged("allocs = 3").against, "");
  const auto notes = [](const std::string& that) {
    const Json report = build_report(with_goal(that), loop_run().data(), std::nullopt);
    for (const Json& section : report["sections"]) {
      if (section["title"] == "Goals") return section["notes"].dump();
    }
    return std::string();
  };
  EXPECT_THAT(notes("ms <= 5"), testing::HasSubstr("on the machine of this run"));
  EXPECT_THAT(notes("allocs = 3"), testing::Not(testing::HasSubstr("on the machine of this run")));
}

TEST(MetricGoals, ASourceIsShownBesideItsGoal) {
  Suite suite = with_goal("allocs = 3");
  const auto sources = [&] {
    const Json report = build_report(suite, loop_run().data(), std::nullopt);
    for (const Json& section : report["sections"]) {
      if (section["title"] == "Goals") return table_with(section, "source")["rows"].dump();
    }
    return std::string();
  };
  EXPECT_THROW(sources(), std::runtime_error);
  suite.goals[0].source = "phase 2 of a log";
  EXPECT_THAT(sources(), testing::HasSubstr("phase 2 of a log"));
}

TEST(MetricGoals, CellsHaveUnitsAndIntervals) {
  const Json rate = metric_value_cell(judged("episodes_per_s >= 10000"));
  EXPECT_EQ(rate["unit"], "episodes/s");
  EXPECT_NEAR(rate["value"].get<double>(), 25000 / 1e9, 1e-6);
  EXPECT_THAT(rate["interval_text"], testing::MatchesRegex("\\[2[45],[0-9]+, 2[56],[0-9]+\\]"));
  EXPECT_EQ(metric_value_cell(judged("peak_bytes <= 5 KiB"))["text"], "5 KiB");
  EXPECT_THAT(metric_value_cell(judged("ns <= 5 ms"))["text"], testing::EndsWith(" ms"));
}

// Met, missed and inconclusive tell the three places that a bound can have.
RC_GTEST_PROP(MetricGoals, ResultsFollowTheInterval, ()) {
  const int bound_us = *rc::gen::inRange(3800, 4200);
  const GoalRow row = judged("ns <= " + std::to_string(bound_us) + " us");
  const double bound = 1e3 * bound_us;
  RC_ASSERT((row.result == GoalResult::kMet) == (row.hi <= bound));
  RC_ASSERT((row.result == GoalResult::kMissed) == (row.lo > bound));
}

}  // namespace
}  // namespace nsop::report
