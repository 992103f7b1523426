#include "harness/judge/history/diff.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/history/releases.h"
#include "harness/stats/between_runs.h"
#include "harness/stats/summary.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

stats::DiffRow diff_row(Verdict verdict, bool before = true, bool after = true) {
  stats::DiffRow row;
  row.overall = verdict;
  if (before) row.before.emplace();
  if (after) row.after.emplace();
  return row;
}

ExitCode exit_of_rows(std::vector<stats::DiffRow> rows, bool both_complete = true) {
  stats::Diff diff;
  diff.rows = std::move(rows);
  return exit_of(diff, both_complete);
}

TEST(RunDiff, TheWorstRowDecides) {
  const auto same = diff_row(Verdict::kSame);
  EXPECT_EQ(exit_of_rows({same}), ExitCode::kOk);
  EXPECT_EQ(exit_of_rows({same, diff_row(Verdict::kBetter)}), ExitCode::kOk);
  EXPECT_EQ(exit_of_rows({diff_row(Verdict::kWorse), diff_row(Verdict::kInconclusive)}),
            ExitCode::kFailed);
  EXPECT_EQ(exit_of_rows({same, diff_row(Verdict::kInconclusive)}), ExitCode::kInconclusive);
  EXPECT_EQ(exit_of_rows({same, diff_row(Verdict::kIncomparable)}), ExitCode::kInconclusive);
}

TEST(RunDiff, RowsOfOneRunOnlySayNothingUnlessTheyWereLost) {
  const auto same = diff_row(Verdict::kSame), fresh = diff_row(Verdict::kNew, false, true);
  EXPECT_EQ(exit_of_rows({}), ExitCode::kInconclusive);
  EXPECT_EQ(exit_of_rows({fresh}), ExitCode::kInconclusive);
  EXPECT_EQ(exit_of_rows({same, fresh}), ExitCode::kOk);
  EXPECT_EQ(exit_of_rows({same, fresh}, false), ExitCode::kInconclusive);
  stats::DiffRow lost = diff_row(Verdict::kMissing, true, false);
  lost.before->status = Status::kOk;
  EXPECT_EQ(exit_of_rows({same, lost}), ExitCode::kInconclusive);
  lost.before->status = Status::kError;
  EXPECT_EQ(exit_of_rows({same, lost}), ExitCode::kOk);
}

TEST(RunDiff, AnotherHostLeavesItOpen) {
  stats::Diff diff;
  diff.rows = {diff_row(Verdict::kSame)};
  diff.comparable = false;
  EXPECT_EQ(exit_of(diff, true), ExitCode::kInconclusive);
}

// Two stored runs of one row of 2 ns, or of so many times as much.
class DiffRuns : public testing::Test {
 protected:
  struct Stored {
    nsop::Run run;
    Host host;
    std::vector<Build> builds;
    std::vector<stats::RowSummary> rows;
    DiffSide side() const { return {run, host, builds, rows}; }
  };
  Stored add(int number, double factor, const std::string& host = "host-a",
             const std::string& compiler = "g++ 12.2.0") {
    Stored stored;
    stored.run = store::test::example_run(fmt::format("{:08}-0000-4000-8000-000000000001", number),
                                          fmt::format("2026-01-{:02}T00:00:00Z", number));
    stored.run.host_id = host;
    stored.run.conditions = conditions_;
    stored.host = store::test::example_host(host);
    stored.builds = {store::test::example_build("build of " + compiler)};
    stored.builds[0].compiler = compiler;
    store_.put_host(stored.host);
    store_.put_build(stored.builds[0]);
    store_.begin_run(stored.run);
    for (int n = 0; n < 8; ++n) {
      Invocation one = store::test::example_invocation(stored.run.id, n);
      one.build_id = stored.builds[0].id;
      for (Repetition& r : one.repetitions) {
        for (int64_t* ns : {&r.wall_ns, &r.process_cpu_ns, &r.thread_cpu_ns}) {
          *ns = static_cast<int64_t>(static_cast<double>(*ns) * factor);
        }
      }
      store_.append(one);
    }
    store_.end_run(stored.run.id, RunState::kComplete, stored.run.started_utc);
    stored.rows = stats::summarize(store_.invocations(stored.run.id));
    return stored;
  }
  RunDiff diff(const Stored& before, const Stored& after) {
    return diff_runs(store_, before.side(), after.side());
  }
  ExitCode code(const Stored& before, const Stored& after) {
    return exit_of(diff(before, after).diff, true);
  }

  store::test::TempDir dir_;
  store::Store store_{dir_.file("t.db")};
  Conditions conditions_ = store::test::example_run("").conditions;
};

TEST_F(DiffRuns, ARowIsSlowerFasterOrTheSame) {
  const Stored one = add(1, 1), same = add(2, 1), twice = add(3, 2);
  EXPECT_EQ(code(one, same), ExitCode::kOk);
  EXPECT_EQ(code(one, twice), ExitCode::kFailed);
  EXPECT_EQ(code(twice, one), ExitCode::kOk);
  const RunDiff slower = diff(one, twice);
  ASSERT_EQ(slower.diff.rows.size(), 1u);
  EXPECT_EQ(slower.diff.rows[0].overall, Verdict::kWorse);
  EXPECT_NEAR(slower.diff.rows[0].time.ratio, 2, 0.01);
  EXPECT_EQ(diff(twice, one).diff.rows[0].overall, Verdict::kBetter);
  EXPECT_TRUE(has_common_row(slower.diff));
}

TEST_F(DiffRuns, OfTwoHostsNothingIsCompared) {
  const Stored here = add(1, 1), there = add(2, 2, "host-b");
  const RunDiff found = diff(here, there);
  EXPECT_FALSE(found.diff.comparable);
  EXPECT_EQ(found.diff.rows[0].overall, Verdict::kIncomparable);
  EXPECT_EQ(exit_of(found.diff, true), ExitCode::kInconclusive);
}

TEST_F(DiffRuns, BuildsOfTwoCompilersAreNamed) {
  const Stored one = add(1, 1), other = add(2, 1, "host-a", "clang++ 14");
  EXPECT_THAT(diff(one, other).diff.notes,
              testing::Contains(testing::AllOf(testing::HasSubstr("g++ 12.2.0"),
                                               testing::HasSubstr("clang++ 14"))));
  EXPECT_TRUE(diff(one, add(3, 1)).diff.notes.empty());
}

TEST_F(DiffRuns, TheNoisierRunSaysHowMuchIsExpected) {
  const Stored quiet = add(1, 1);
  EXPECT_EQ(diff(quiet, quiet).policy.tau, 0.005);
  conditions_.steal_percent = 5;
  const Stored busy = add(2, 1);
  EXPECT_EQ(diff(quiet, busy).policy.tau, 0.03);
  EXPECT_EQ(diff(busy, quiet).policy.tau, 0.03);
}

// Runs of other compilers are no steps of this one.
TEST_F(DiffRuns, ThePastOfTheHostSaysHowMuchRunsDiffer) {
  Stored last;
  for (int number = 1; number <= stats::kFewestRunsForTau; ++number) {
    last = add(number, number % 2 == 0 ? 1 : 1.1);
    if (number + 1 == stats::kFewestRunsForTau) {
      EXPECT_EQ(diff(last, last).learned.tau, 0) << "a run too few";
    }
  }
  const RunDiff found = diff(last, last);
  EXPECT_EQ(found.learned.steps, static_cast<size_t>(stats::kFewestRunsForTau) - 1);
  EXPECT_EQ(found.learned.rows, 1);
  EXPECT_NEAR(found.learned.tau, 0.1, 0.02);  // 1.48 times a step of 0.095, over the root of 2
  EXPECT_EQ(found.policy.tau, found.learned.tau);
  const Stored elsewhere = add(20, 1, "host-b");
  EXPECT_EQ(diff(last, elsewhere).learned.tau, 0) << "the host of the run after counts";
  EXPECT_GT(diff(elsewhere, last).learned.tau, 0);
}

TEST(LoggedRuns, AreTheBaselinesByTimeAndTheRunItselfLast) {
  const store::test::TempDir dir;
  store::Store store(dir.file("t.db"));
  std::vector<nsop::Run> runs;
  for (int i = 1; i <= 3; ++i) {
    runs.push_back(store::test::example_run("0000000" + std::to_string(i) + "-0000-4000-8000-0000",
                                            "2026-01-0" + std::to_string(i) + "T00:00:00Z"));
    store::test::add_run(store, runs.back());
  }
  store.set_baseline({"v2", "host-a", runs[1].id, "second", "2026-02-01T00:00:00Z"});
  store.set_baseline({"v1", "host-a", runs[0].id, "first", "2026-02-02T00:00:00Z"});
  const auto names = [&](const std::vector<std::string>& named, const nsop::Run& run) {
    Suite suite;
    suite.releases = named;
    std::string text;
    for (const LoggedRun& one : logged_runs(store, suite, {}, run)) text += one.name + " ";
    return text;
  };
  EXPECT_EQ(names({}, runs[2]), "v1 v2 this run ");
  EXPECT_EQ(names({}, runs[1]), "v1 v2 ");
  EXPECT_EQ(names({}, runs[0]), "v1 ");  // what is newer is no past of it
  EXPECT_EQ(names({"v2"}, runs[2]), "v2 this run ");
  EXPECT_EQ(store::test::outcome([&] { names({"v9"}, runs[2]); }).code, ExitCode::kUsage);
}

}  // namespace
}  // namespace nsop::judge
