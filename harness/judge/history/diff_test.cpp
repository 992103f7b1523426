#include "harness/judge/history/diff.h"

#include <gtest/gtest.h>

#include "harness/judge/history/releases.h"
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
