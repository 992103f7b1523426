#include "harness/stats/summary.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace nsop::stats {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const RowKey kRow{"relu pass=forward n=1000 range=-3:3", "hwy", "AVX2", 1};

// A repetition of 1000 operations.
Repetition repetition(double wall_per_op, double cpu_per_op) {
  Repetition r;
  r.iterations = 1000;
  r.wall_ns = static_cast<int64_t>(wall_per_op * 1000);
  r.process_cpu_ns = r.thread_cpu_ns = static_cast<int64_t>(cpu_per_op * 1000);
  return r;
}

Invocation timed(int round, std::vector<Repetition> repetitions) {
  Invocation i;
  i.id = "id" + std::to_string(round);
  i.round = round;
  i.row = kRow;
  i.build_id = "build";
  i.inputs_sha256 = "inputs";
  i.check.ok = true;
  i.repetitions = std::move(repetitions);
  return i;
}

Invocation failed(int round, Status status, const std::string& reason) {
  Invocation i = timed(round, {});
  i.status = status;
  i.reason = reason;
  return i;
}

Invocation counted(int round, double allocs, double bytes) {
  Invocation i = timed(round, {});
  i.phase = Phase::kCount;
  i.allocs = AllocCounts{};
  i.allocs->allocs_per_op = allocs;
  i.allocs->bytes_per_op = bytes;
  return i;
}

std::vector<Invocation> rounds(int n, double wall = 100, double cpu = 99) {
  std::vector<Invocation> all;
  for (int i = 0; i < n; ++i) all.push_back(timed(i, {repetition(wall + i, cpu + i)}));
  return all;
}

RowSummary only(const std::vector<Invocation>& invocations) {
  const auto rows = summarize(invocations);
  EXPECT_THAT(rows, SizeIs(1));
  return rows.at(0);
}

TEST(Summarize, MinimumInsideMedianBetween) {
  const RowSummary row = only({timed(0, {repetition(120, 110), repetition(100, 105)}),
                               timed(1, {repetition(200, 190)}),
                               timed(2, {repetition(101, 99), repetition(103, 98)})});
  EXPECT_EQ(row.status, Status::kOk);
  EXPECT_THAT(row.wall_values, ElementsAre(100, 200, 101));
  EXPECT_EQ(row.wall_ns, 101);
  EXPECT_THAT(row.verdict_values, ElementsAre(105, 190, 98));  // CPU at one thread
  EXPECT_EQ(row.verdict_ns, 105);
  EXPECT_EQ(row.invocations, 3);
  EXPECT_EQ(row.repetitions, 5);
}

TEST(Summarize, PageFaultsAreThoseOfEveryOperation) {
  Repetition stray = repetition(100, 100), steady = repetition(100, 100);
  stray.minor_faults = 3 * stray.iterations;
  steady.minor_faults = 2 * steady.iterations;
  EXPECT_EQ(only({timed(0, {stray, repetition(100, 100)})}).faults_per_op, 0);
  EXPECT_EQ(only({timed(0, {stray, steady}), timed(1, {steady}), timed(2, {steady})}).faults_per_op,
            2);
}

TEST(Summarize, RowsAreSortedByKey) {
  auto all = rounds(2);
  all[0].row.variant = "z";
  all[1].row.variant = "a";
  const auto rows = summarize(all);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].row.variant, "a");
  EXPECT_THAT(summarize({}), IsEmpty());
}

TEST(Summarize, IntervalIsTheRangeBelowSixInvocations) {
  const RowSummary few = only(rounds(5));
  EXPECT_EQ(few.wall_lo_ns, 100);
  EXPECT_EQ(few.wall_hi_ns, 104);
  EXPECT_THAT(few.warnings, Contains("fewer than 6 invocations: interval is the range"));
  const RowSummary enough = only(rounds(9));
  EXPECT_EQ(enough.wall_lo_ns, 101);
  EXPECT_EQ(enough.wall_hi_ns, 107);
  EXPECT_THAT(enough.warnings, IsEmpty());
}

TEST(Summarize, ManyThreadsUseUnpreemptedWallTime) {
  Repetition dirty = repetition(50, 400);
  dirty.involuntary_switches = 1;
  auto all = std::vector{timed(0, {dirty, repetition(80, 300)}), timed(1, {dirty})};
  for (Invocation& i : all) i.row.threads = 4;
  const RowSummary row = only(all);
  EXPECT_THAT(row.verdict_values, ElementsAre(80, 50));
  EXPECT_THAT(row.wall_values, ElementsAre(50, 50));
  EXPECT_DOUBLE_EQ(row.preempted_share, 2.0 / 3);
  EXPECT_DOUBLE_EQ(row.interrupted_share, 0.5);
  EXPECT_EQ(row.lost_share, 0);
  EXPECT_THAT(row.warnings, ElementsAre("fewer than 6 invocations: interval is the range"));
}

TEST(Summarize, WithoutCpuClockTheVerdictUsesWallTime) {
  const RowSummary row = only({timed(0, {repetition(70, 0)})});
  EXPECT_EQ(row.verdict_ns, 70);
  EXPECT_THAT(row.warnings, Contains("no CPU clock: the verdict uses wall time"));
}

TEST(Summarize, TheMeanOverTheFastestIsOfAllRepetitionsByCpuTime) {
  Repetition preempted = repetition(900, 150);
  preempted.involuntary_switches = 1;
  const RowSummary s =
      summarize({timed(0, {repetition(110, 100), repetition(200, 110), preempted})})[0];
  EXPECT_THAT(s.excess_values, ElementsAre(testing::DoubleNear(std::log(1.2), 1e-12)));
}

TEST(Summarize, AboveOneThreadTheMeanOverTheFastestIsOfUnpreemptedRepetitions) {
  Repetition preempted = repetition(900, 150);
  preempted.involuntary_switches = 1;
  std::vector<Repetition> all = {repetition(100, 1), repetition(120, 1), repetition(140, 1)};
  Invocation enough = timed(0, all), few = timed(1, all), single = timed(2, {all[1]});
  enough.repetitions.push_back(preempted);
  few.repetitions[2] = preempted;
  for (Invocation* i : {&enough, &few, &single}) i->row.threads = 2;
  const RowSummary s = summarize({enough, few, single})[0];
  ASSERT_THAT(s.excess_values, SizeIs(3));
  EXPECT_NEAR(s.excess_values[0], std::log(1.2), 1e-12);
  EXPECT_TRUE(std::isnan(s.excess_values[1]));
  EXPECT_EQ(s.excess_values[2], 0) << "of one repetition there is no more to know";
  ASSERT_TRUE(s.excess.has_value());
  EXPECT_NEAR(*s.excess, std::log(1.2), 1e-12) << "of the one invocation that can say";
}

TEST(Summarize, WhatIsHiddenIsTheMedianOverWhatIsKnown) {
  const auto three = [](int64_t last) {
    return std::vector{repetition(100, 100), repetition(100, 100), repetition(last, last)};
  };
  Invocation a = timed(0, three(160)), b = timed(1, three(100)), c = timed(2, three(220));
  EXPECT_FALSE(summarize({a, b, c})[0].first_ns.has_value());
  a.first_ns = 7000;
  c.first_ns = 9000;
  const RowSummary s = summarize({a, b, c})[0];
  EXPECT_NEAR(s.excess.value(), std::log(1.2), 1e-12);
  EXPECT_EQ(s.first_ns, 8000);
  EXPECT_FALSE(only({timed(0, {repetition(100, 100)})}).excess.has_value()) << "a thinned run";
}

TEST(Summarize, WrongIsNeverShownWithATime) {
  auto all = rounds(8);
  all.push_back(failed(8, Status::kError, "broken pipe"));
  all.push_back(failed(9, Status::kWrong, "output 0 index 3"));
  const RowSummary row = only(all);
  EXPECT_EQ(row.status, Status::kWrong);
  EXPECT_EQ(row.reason, "output 0 index 3");
  EXPECT_EQ(row.wall_ns, 0);
  EXPECT_THAT(row.verdict_values, IsEmpty());
  auto counting = rounds(8);
  counting.push_back(counted(0, 0, 0));
  counting.back().status = Status::kWrong;
  EXPECT_EQ(only(counting).status, Status::kWrong);
}

TEST(Summarize, SomeFailuresAreAWarning) {
  auto all = rounds(7);
  all.push_back(failed(7, Status::kTimeout, "30 s"));
  const RowSummary row = only(all);
  EXPECT_EQ(row.status, Status::kOk);
  EXPECT_EQ(row.invocations, 7);
  EXPECT_THAT(row.warnings, ElementsAre("1 of 8 invocations failed: timeout: 30 s"));
}

TEST(Summarize, MetricsAreTheLeastOfAnInvocationWhereAllHaveThem) {
  auto all = rounds(3);
  for (Invocation& i : all) {
    i.repetitions.push_back(i.repetitions.front());
    i.repetitions[0].metrics = {{"train_call_ns", 20.0 + i.round}, {"moves", 7}};
    i.repetitions[1].metrics = {{"train_call_ns", 10.0 + i.round}, {"moves", 7}};
  }
  all[1].repetitions[0].metrics.erase("moves");
  all[1].repetitions[1].metrics.erase("moves");
  const auto metrics = summarize(all).front().metrics;
  EXPECT_THAT(metrics.at("train_call_ns"), ElementsAre(10, 11, 12));
  EXPECT_FALSE(metrics.contains("moves"));
}

TEST(Summarize, TheWorstFailureNamesTheRow) {
  EXPECT_EQ(only({failed(0, Status::kUnsupported, "k=4"), failed(1, Status::kLost, ""),
                  failed(2, Status::kTimeout, ""), failed(3, Status::kError, "signal 11")})
                .reason,
            "signal 11");
  EXPECT_EQ(only({failed(0, Status::kUnsupported, "k=4")}).status, Status::kUnsupported);
  EXPECT_EQ(only({counted(0, 1, 2)}).status, Status::kLost);
  EXPECT_EQ(only({timed(0, {})}).status, Status::kError);
  EXPECT_EQ(only({timed(0, {Repetition{}})}).status, Status::kError);
}

TEST(Summarize, ARowThatDiedWhileCountedSaysHow) {
  Invocation died = counted(0, 0, 0);
  died.status = Status::kError;
  died.reason = "signal 11";
  const RowSummary row = only({died});
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_EQ(row.reason, "signal 11");
  died.status = Status::kUnsupported;  // allocations only: the run ended before it was timed
  EXPECT_EQ(only({died}).status, Status::kLost);
}

TEST(Summarize, AnotherThreadAtOneThreadIsAnError) {
  Repetition offloaded = repetition(1000, 1000);  // 1 ms of thread CPU time
  offloaded.process_cpu_ns += 25000;              // 2.5 %, 25 us
  const RowSummary row = only({timed(0, {offloaded, offloaded, offloaded, offloaded})});
  EXPECT_EQ(row.status, Status::kError);
  EXPECT_THAT(row.reason, AllOf(HasSubstr("another thread worked"), HasSubstr("4 of 4")));
  EXPECT_EQ(row.wall_ns, 0);

  const Repetition alone = repetition(1000, 1000);
  const RowSummary once = only({timed(0, {alone, offloaded, alone, alone})});
  EXPECT_EQ(once.status, Status::kOk);
  EXPECT_THAT(once.warnings, Contains(HasSubstr("1 of 4 repetitions")));

  auto threaded = std::vector{timed(0, {offloaded, offloaded})};
  threaded[0].row.threads = 2;
  EXPECT_EQ(only(threaded).status, Status::kOk);
}

TEST(Summarize, ADeviceWorksBesideTheThreadAndIsJudgedByWallTime) {
  Repetition one = repetition(1000, 1000);
  one.process_cpu_ns += 2 * one.process_cpu_ns;
  one.metrics = {{"device_ns", 400}, {"transfer_ns", 100}};
  Repetition other = one;
  other.metrics["device_ns"] = 300;
  const RowSummary row = only({timed(0, {one, other})});
  EXPECT_EQ(row.status, Status::kOk);
  EXPECT_TRUE(row.on_device);
  EXPECT_EQ(row.verdict_values, row.wall_values);
  EXPECT_EQ(row.lost_share, 0);
  EXPECT_THAT(row.metrics.at("device_ns"), ElementsAre(300));
  other.metrics.clear();
  EXPECT_EQ(only({timed(0, {one, other, other})}).status, Status::kError) << "not all tell it";
}

TEST(Summarize, TinyClockDifferencesAreNoOtherThread) {
  Repetition tiny = repetition(10, 10);  // 10 us in all
  tiny.process_cpu_ns += 15000;          // 2.5 times as much, yet only 15 us
  EXPECT_EQ(only({timed(0, {tiny, tiny})}).status, Status::kOk);
}

TEST(Summarize, TimeLostIsADoubtNotTheCountOfInterruptions) {
  // A tenth of a second of work that was interrupted in every repetition, for 1 % of its time.
  Repetition switched = repetition(101'000, 100'000);
  switched.involuntary_switches = 3;
  auto interrupted = rounds(6);
  for (Invocation& i : interrupted) i.repetitions = {switched, switched};
  const RowSummary little = only(interrupted);
  EXPECT_NEAR(little.lost_share, 0.0099, 1e-4);
  EXPECT_EQ(little.preempted_share, 1);
  EXPECT_THAT(little.warnings, IsEmpty());

  // The slow repetition is not the value: what it lost is no doubt of it.
  auto once = rounds(6);
  for (Invocation& i : once) i.repetitions = {repetition(200, 100), repetition(102, 100)};
  EXPECT_THAT(only(once).warnings, IsEmpty());

  auto waiting = rounds(6);
  for (Invocation& i : waiting) i.repetitions = {repetition(130, 100), repetition(125, 100)};
  const RowSummary much = only(waiting);
  EXPECT_DOUBLE_EQ(much.lost_share, 0.2);
  EXPECT_THAT(much.warnings,
              ElementsAre("20 % of the time of even the fastest repetitions was lost: the thread "
                          "waited or its CPU was taken away"));
}

TEST(Summarize, AllocationsAreExact) {
  auto all = rounds(6);
  EXPECT_FALSE(only(all).allocs.has_value());
  all.push_back(counted(0, 2, 640));
  ASSERT_TRUE(only(all).allocs.has_value());
  EXPECT_EQ(only(all).allocs->bytes_per_op, 640);
  EXPECT_THAT(only(all).warnings, IsEmpty());
  all.push_back(counted(0, 3, 700));
  EXPECT_EQ(only(all).allocs->allocs_per_op, 3);
  EXPECT_FALSE(only(all).allocs->steady);
  EXPECT_THAT(only(all).warnings, Contains("allocations per operation are not steady"));
}

TEST(Summarize, AFailedCountingPassIsAWarning) {
  auto all = rounds(6);
  all.push_back(counted(0, 0, 0));
  all.back().status = Status::kError;
  all.back().reason = "no hook";
  all.back().allocs.reset();
  EXPECT_FALSE(only(all).allocs.has_value());
  EXPECT_THAT(only(all).warnings, ElementsAre("allocations not counted: error: no hook"));
}

TEST(Summarize, FaultsCountOnlyWhereNothingIsAllocated) {
  auto all = rounds(6);
  for (Invocation& i : all) i.repetitions[0].minor_faults = 3;
  EXPECT_THAT(only(all).warnings, IsEmpty());
  all.push_back(counted(0, 0, 0));
  EXPECT_THAT(only(all).warnings, ElementsAre(HasSubstr("page faults in every repetition")));
  all[0].repetitions[0].minor_faults = 0;  // one repetition without: it is not the operation
  EXPECT_THAT(only(all).warnings, IsEmpty());
  all[1].repetitions[0].major_faults = 1;
  EXPECT_THAT(only(all).warnings, ElementsAre(HasSubstr("read from disk in 1 of 6")));
}

TEST(Summarize, DifferentInputsWithinARowAreAnError) {
  auto all = rounds(6);
  all[3].inputs_sha256 = "other";
  EXPECT_EQ(only(all).status, Status::kError);
  EXPECT_THAT(only(all).verdict_values, IsEmpty());
}

TEST(Summarize, TwoBuildsAndTwoChoicesAreWarnings) {
  auto all = rounds(6);
  all[3].build_id = "other";
  all[4].chose = "winograd";
  all[5].chose = "direct";
  const RowSummary row = only(all);
  EXPECT_EQ(row.chose, "winograd or direct");
  EXPECT_THAT(row.warnings, ElementsAre("measured with 2 builds",
                                        "the variant chose differently between invocations"));
}

TEST(Summarize, CarriesChecksAndWarnings) {
  auto all = rounds(6);
  all[2].check.max_abs_error = 0.5;
  all[3].check.worst_over_tolerance = 0.25;
  all[4].workspace_bytes = 77;
  all[0].warnings = all[1].warnings = {"budget: 3 repetitions"};
  const RowSummary row = only(all);
  EXPECT_EQ(row.max_abs_error, 0.5);
  EXPECT_EQ(row.max_error_over_tolerance, 0.25);
  EXPECT_EQ(row.workspace_bytes, 77);
  EXPECT_THAT(row.warnings, ElementsAre("budget: 3 repetitions"));
}

RC_GTEST_PROP(Summarize, OrderOfInvocationsDoesNotMatter, ()) {
  const auto times = *rc::gen::nonEmpty<std::vector<int>>(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 100000)));
  std::vector<Invocation> all;
  for (size_t i = 0; i < times.size(); ++i) {
    all.push_back(timed(static_cast<int>(i), {repetition(times[i], times[i])}));
  }
  const RowSummary row = only(all);
  std::reverse(all.begin(), all.end());
  std::swap(all.front(), all[all.size() / 2]);
  const RowSummary other = only(all);
  RC_ASSERT(other.verdict_values == row.verdict_values);
  RC_ASSERT(other.verdict_rounds == row.verdict_rounds);
  RC_ASSERT(other.wall_ns == row.wall_ns);
  RC_ASSERT(other.wall_lo_ns == row.wall_lo_ns);
  RC_ASSERT(other.relative_sd == row.relative_sd);
  RC_ASSERT(other.warnings == row.warnings);
  RC_ASSERT(row.wall_lo_ns <= row.wall_ns);
  RC_ASSERT(row.wall_ns <= row.wall_hi_ns);
}

}  // namespace
}  // namespace nsop::stats
