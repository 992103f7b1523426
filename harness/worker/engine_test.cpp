#include "harness/worker/engine.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/metered.h"
#include "harness/worker/clock.h"
#include "harness/worker/engine_check.h"

namespace nsop::worker {
namespace {

// Counts its runs; each may first wait, busily or asleep.
class FakeStep : public Step {
 public:
  void run() override {
    ++runs;
    if (runs == throw_at) throw environment_error("the step broke");
    if (runs == 1 && first_sleep_ns > 0) sleep(first_sleep_ns);
    if (sleep_ns > 0) sleep(sleep_ns);
    for (const int64_t end = monotonic_ns() + busy_ns; busy_ns > 0 && monotonic_ns() < end;) {
    }
  }
  std::span<const float> output(size_t) const override { return {}; }

  int64_t runs = 0, throw_at = -1, first_sleep_ns = 0, sleep_ns = 0, busy_ns = 0;

 private:
  static void sleep(int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }
};

RC_GTEST_PROP(TimePlan, RunsExactlyWhatIsPlanned, ()) {
  FakeStep step;
  const Plan plan{*rc::gen::inRange<int64_t>(1, 200), *rc::gen::inRange(1, 12)};
  const auto repetitions = time_plan(step, plan);
  RC_ASSERT(step.runs == plan.iterations * plan.repetitions);
  RC_ASSERT(repetitions.size() == static_cast<size_t>(plan.repetitions));
  for (const Repetition& r : repetitions) {
    RC_ASSERT(r.iterations == plan.iterations);
    RC_ASSERT(r.wall_ns > 0);
    // No other thread works here, whatever the system charges between two readings.
    RC_ASSERT(r.process_cpu_ns > 0 && r.process_cpu_ns <= r.thread_cpu_ns);
    RC_ASSERT(r.involuntary_switches >= 0 && r.minor_faults >= 0 && r.major_faults >= 0);
  }
}

class MeteredFakeStep : public MeteredStep {
 public:
  void run() override { ++runs; }
  std::span<const float> output(size_t) const override { return {}; }
  std::map<std::string, double> metrics() const override {
    return {{"moves", static_cast<double>(runs)}};
  }

  int64_t runs = 0;
};

TEST(TimePlan, AMeteredStepTellsOfTheLastOperationOfEachRepetition) {
  MeteredFakeStep step;
  const auto repetitions = time_plan(step, {3, 2});
  ASSERT_EQ(repetitions.size(), 2u);
  EXPECT_EQ(repetitions[0].metrics.at("moves"), 3);
  EXPECT_EQ(repetitions[1].metrics.at("moves"), 6);
  EXPECT_GT(repetitions[1].metrics.at("peak_rss_bytes"), 1 << 20);
}

TEST(TimePlan, AnotherStepHasNoMetrics) {
  FakeStep step;
  for (const Repetition& r : time_plan(step, {3, 2})) EXPECT_TRUE(r.metrics.empty());
}

TEST(TimePlan, WallTimeCoversTheOperationsAndCpuTimeDoesNotCoverSleep) {
  FakeStep step;
  step.sleep_ns = 2'000'000;
  for (const Repetition& r : time_plan(step, {3, 2})) {
    EXPECT_GE(r.wall_ns, 3 * step.sleep_ns);
    EXPECT_LT(r.process_cpu_ns, r.wall_ns);
  }
}

TEST(TimePlan, AnExceptionPassesThroughAndTheEngineGoesOn) {
  FakeStep step;
  step.throw_at = 5;
  EXPECT_THROW(time_plan(step, {3, 4}), Error);
  step = {};
  EXPECT_EQ(time_plan(step, {3, 4}).size(), 4u);
  EXPECT_EQ(step.runs, 12);
}

TEST(WarmUp, ASlowOperationRunsOnceAndGetsSlowRepetitions) {
  FakeStep step;
  step.busy_ns = 2'000;
  const Plan plan = warm_up(step, {.min_time_ns = 1'000, .slow_repetitions = 4});
  EXPECT_EQ(step.runs, 1);
  EXPECT_EQ(plan.iterations, 1);
  EXPECT_EQ(plan.repetitions, 4);
}

TEST(WarmUp, MeasuringASlowOperationRunsItOncePerRepetitionAndOnceBefore) {
  FakeStep step;
  step.busy_ns = 2'000;
  const auto repetitions = measure(step, {.min_time_ns = 1'000, .slow_repetitions = 3});
  ASSERT_EQ(repetitions.size(), 3u);
  for (const Repetition& r : repetitions) EXPECT_EQ(r.iterations, 1);
  EXPECT_EQ(step.runs, 4);
}

TEST(WarmUp, IsLeftOutOnceASlowOperationHasWarmedUp) {
  FakeStep step;
  const Plan plan = warm_up(step, {.warmup_ns = 0,
                                   .min_time_ns = 1'000'000,
                                   .slow_repetitions = 1,
                                   .known_step_ns = 2'000'000});
  EXPECT_EQ(step.runs, 0);
  EXPECT_EQ(plan.iterations, 1);
  EXPECT_EQ(plan.repetitions, 1);
}

TEST(WarmUp, OnePreemptedOperationDoesNotMakeAFastStepSlow) {
  for (const int64_t known_step_ns : {0, 100}) {
    FakeStep step;
    step.first_sleep_ns = 20'000'000;
    const Plan plan = warm_up(step, {.warmup_ns = 0,
                                     .repetitions = 7,
                                     .min_time_ns = 10'000'000,
                                     .known_step_ns = known_step_ns});
    EXPECT_EQ(plan.repetitions, 7);
    EXPECT_GT(plan.iterations, 1);
  }
}

TEST(WarmUp, AStepThatWaitsLongIsSlow) {
  FakeStep step;
  step.sleep_ns = 3'000'000;
  const Plan plan =
      warm_up(step, {.warmup_ns = 0, .min_time_ns = 2'000'000, .slow_repetitions = 4});
  EXPECT_EQ(plan.iterations, 1);
  EXPECT_EQ(plan.repetitions, 4);
}

TEST(WarmUp, IterationsNeverExceedWhatFillsARepetition) {
  FakeStep step;
  step.busy_ns = 50'000;
  const Plan plan = warm_up(
      step, {.warmup_ns = 100'000, .min_time_ns = 100'000'000, .known_step_ns = step.busy_ns});
  // An operation takes 50 us at least, so 1.1 x 100 ms hold 2200 at most.
  EXPECT_LE(plan.iterations, 2200);
  EXPECT_GE(plan.iterations, 1);
  EXPECT_EQ(plan.repetitions, MeasureOptions{}.repetitions);
}

TEST(WarmUp, SpendsTheProcessCpuTimeThatWasAskedFor) {
  FakeStep step;
  step.busy_ns = 1'000;
  const int64_t start = process_cpu_ns(), wall = monotonic_ns();
  warm_up(step, {.warmup_ns = 5'000'000, .min_time_ns = 1'000'000, .known_step_ns = 1'000});
  // Either that, or the machine was so busy that ten times as much wall time went by.
  EXPECT_TRUE(process_cpu_ns() - start >= 5'000'000 || monotonic_ns() - wall >= 50'000'000);
}

TEST(WarmUp, EndsForAStepThatUsesNoCpu) {
  FakeStep step;
  step.sleep_ns = 100'000;
  const Plan plan =
      warm_up(step, {.warmup_ns = 1'000'000, .min_time_ns = 1'000'000'000, .known_step_ns = 1});
  EXPECT_GE(plan.iterations, 1);
  EXPECT_GE(step.runs, 2);
}

// ---- what is believed ----

constexpr Plan kPlan{100, 2};
constexpr const char* kName = "nsop_step/iterations:100";

std::vector<EngineRun> good_runs() {
  return {{kName, 100, 1e6, false}, {kName, 100, 1.1e6, false}};
}
std::vector<Repetition> good_repetitions() {
  return {{.iterations = 100, .wall_ns = 1'000'500}, {.iterations = 100, .wall_ns = 1'100'500}};
}

TEST(EngineCheck, AcceptsWhatWasAskedFor) {
  EXPECT_NO_THROW(check_runs(good_runs(), good_repetitions(), kPlan, kName, 1));
  EXPECT_NO_THROW(cross_check(good_runs(), good_repetitions()));
}

TEST(EngineCheck, NoMatchAndManyMatchesAreErrors) {
  EXPECT_THROW(check_runs({}, {}, kPlan, kName, 0), Error);
  EXPECT_THROW(check_runs(good_runs(), good_repetitions(), kPlan, kName, 2), Error);
}

TEST(EngineCheck, AnyDifferenceIsAnError) {
  auto runs = good_runs();
  runs.pop_back();
  EXPECT_THROW(check_runs(runs, good_repetitions(), kPlan, kName, 1), Error);
  runs = good_runs();
  runs[1].failed = true;
  EXPECT_THROW(check_runs(runs, good_repetitions(), kPlan, kName, 1), Error);
  runs = good_runs();
  runs[0].iterations = 99;
  EXPECT_THROW(check_runs(runs, good_repetitions(), kPlan, kName, 1), Error);
  runs = good_runs();
  runs[0].name = std::string(kName) + "_mean";
  EXPECT_THROW(check_runs(runs, good_repetitions(), kPlan, kName, 1), Error);
  auto ours = good_repetitions();
  ours[1].iterations = 101;
  EXPECT_THROW(check_runs(good_runs(), ours, kPlan, kName, 1), Error);
  ours = good_repetitions();
  ours.push_back(ours.back());
  EXPECT_THROW(check_runs(good_runs(), ours, kPlan, kName, 1), Error);
}

TEST(EngineCheck, WallTimeDividedByThreadsIsAnError) {
  auto runs = good_runs();
  for (EngineRun& run : runs) run.wall_ns /= 4;
  EXPECT_THROW(cross_check(runs, good_repetitions()), Error);
}

TEST(EngineCheck, OnePreemptionBetweenTheClocksIsNone) {
  std::vector<EngineRun> runs(10, {kName, 100, 1e6, false});
  std::vector<Repetition> ours(10, {.iterations = 100, .wall_ns = 1'000'500});
  ours[3].wall_ns = 5'000'000;
  EXPECT_NO_THROW(cross_check(runs, ours));
}

TEST(EngineCheck, PausesThatNobodyToldOfAreNoOtherClock) {
  std::vector<EngineRun> runs(10, {kName, 100, 1e6, false});
  std::vector<Repetition> ours(10, {.iterations = 100, .wall_ns = 1'000'500});
  for (size_t i = 0; i < 7; ++i) ours[i].wall_ns = 1'900'000;  // as seen on a crowded host
  EXPECT_NO_THROW(cross_check(runs, ours));
  ours[7].wall_ns = 1'900'000;
  EXPECT_THROW(cross_check(runs, ours), Error);
}

TEST(EngineCheck, APreemptedRepetitionProvesNothing) {
  std::vector<EngineRun> runs(2, {kName, 100, 1e6, false});
  std::vector<Repetition> ours(2, {.iterations = 100, .wall_ns = 5'000'000});
  for (Repetition& r : ours) r.involuntary_switches = 1;
  EXPECT_NO_THROW(cross_check(runs, ours));
}

TEST(EngineCheck, TwentyMicrosecondsAreTheCostOfReadingTheClocks) {
  const std::vector<EngineRun> runs(2, {kName, 1, 50, false});
  const auto ours = [](int64_t wall_ns) {
    return std::vector<Repetition>(2, {.iterations = 1, .wall_ns = wall_ns});
  };
  EXPECT_NO_THROW(cross_check(runs, ours(20'050)));
  EXPECT_THROW(cross_check(runs, ours(20'051)), Error);
}

TEST(EngineCheck, OneRepetitionAloneIsNotJudged) {
  EXPECT_NO_THROW(cross_check({{kName, 1, 50, false}}, {{.iterations = 1, .wall_ns = 5'000'000}}));
}

TEST(Engine, NamesItsVersion) {
  EXPECT_EQ(engine_version().rfind("google-benchmark 1.", 0), 0u) << engine_version();
}

}  // namespace
}  // namespace nsop::worker
