#include <gtest/gtest.h>

#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

const RowKey kRow = {"relu pass=forward n=10 range=-3:3", "hwy", "AVX2", 1};

class HistoryTest : public ::testing::Test {
 protected:
  // A run of one day with a time of `wall_ns` in both of its invocations, and a counting pass.
  void add_day(int day, int64_t wall_ns, nsop::Run run) {
    run.started_utc = "2026-01-0" + std::to_string(day) + "T00:00:00Z";
    add_run(store_, run, 0, false);
    for (int n = 0; n < 2; ++n) {
      Invocation one = example_invocation(run.id, n);
      one.round = n;
      one.repetitions = {{1, wall_ns + n, wall_ns / 2, wall_ns / 2, 0, 0, 0}};
      store_.append(one);
    }
    Invocation count = example_invocation(run.id, 9);
    count.phase = Phase::kCount;
    count.repetitions.clear();
    count.allocs = AllocCounts{3, 96, 0, 0, 0, true};
    store_.append(count);
    store_.end_run(run.id, RunState::kComplete, run.started_utc);
  }
  void add_day(int day, int64_t wall_ns) {
    add_day(day, wall_ns, example_run("run-" + std::to_string(day)));
  }

  TempDir dir_;
  std::string path_ = dir_.db();
  Store store_{path_};
};

TEST_F(HistoryTest, ARowHasOneEntryPerRunOldestFirst) {
  add_day(2, 1000);
  add_day(1, 2000);
  const auto runs = store_.history("host-a").of(kRow);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].run_id, "run-1");
  EXPECT_EQ(runs[0].invocations, 2);
  EXPECT_EQ(runs[0].ns, 1000);
  EXPECT_EQ(runs[0].wall_ns, 2000.5);
  EXPECT_EQ(runs[1].allocs, 3);
  EXPECT_EQ(runs[1].bytes, 96);
  EXPECT_EQ(runs[1].inputs_sha256, std::string(64, 'a'));
  EXPECT_EQ(runs[1].build_id, "build-a");
  EXPECT_EQ(runs[1].status, Status::kOk);
  EXPECT_EQ(store_.row_keys(), std::vector<RowKey>{kRow});
}

TEST_F(HistoryTest, TheNewestRunsAreThoseThatBeganLastWhateverTheOrderTheyCameIn) {
  for (const int day : {3, 1, 4, 2}) add_day(day, 1000 * day);
  const auto runs = store_.history("host-a", 2).of(kRow);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].run_id, "run-3");
  EXPECT_EQ(runs[1].run_id, "run-4");
}

TEST_F(HistoryTest, OtherHostsGatesPullRequestsAndUnfinishedRunsAreNoHistory) {
  nsop::Run other = example_run("other");
  other.host_id = "host-b";
  add_day(1, 1000, other);
  nsop::Run gate = example_run("gate");
  gate.origin = "gate";
  add_day(2, 1000, gate);
  nsop::Run request = example_run("request");
  request.trust = "pr";
  add_day(3, 1000, request);
  add_run(store_, example_run("unfinished"), 2, false);
  EXPECT_TRUE(store_.history("host-a").of(kRow).empty());
  EXPECT_EQ(store_.history("host-b").of(kRow).size(), 1u);
}

TEST_F(HistoryTest, EarlierRunsWithATimeAreCountedByRow) {
  for (const int day : {3, 1, 2}) add_day(day, 1000 * day);
  nsop::Run gate = example_run("gate");
  gate.origin = "gate";
  add_day(1, 1000, gate);
  nsop::Run other = example_run("other");
  other.host_id = "host-b";
  add_day(1, 1000, other);
  const RowKey failing = {"tanh pass=forward n=10 range=-3:3", "hwy", "AVX2", 1};
  add_run(store_, example_run("failed"), 0, false);
  Invocation failed = example_invocation("failed", 0);
  failed.row = failing;
  failed.status = Status::kError;
  failed.reason = "died";
  failed.repetitions.clear();
  store_.append(failed);
  store_.end_run("failed", RunState::kComplete, "2026-01-01T00:10:00Z");
  const auto before = [&](const std::string& utc) { return store_.runs_before("host-a", utc); };
  EXPECT_EQ(before("2026-01-03T00:00:00Z"), (std::map<RowKey, size_t>{{kRow, 2}}));
  EXPECT_EQ(before("2026-01-03T00:00:01Z"), (std::map<RowKey, size_t>{{kRow, 3}}));
  EXPECT_TRUE(before("2026-01-01T00:00:00Z").empty());
  // The same of a database whose summaries an earlier version did not write.
  damage(path_, "DELETE FROM run_row; DELETE FROM run_summary");
  EXPECT_EQ(Store(path_, Mode::kReadOnly).runs_before("host-a", "2026-01-03T00:00:00Z"),
            (std::map<RowKey, size_t>{{kRow, 2}}));
}

TEST_F(HistoryTest, AFailureIsPartOfHistory) {
  add_run(store_, example_run("run-1"), 0, false);
  Invocation wrong = example_invocation("run-1", 0);
  wrong.status = Status::kWrong;
  wrong.reason = "y[0]";
  wrong.repetitions.clear();
  store_.append(wrong);
  store_.end_run("run-1", RunState::kComplete, "2026-01-01T00:10:00Z");
  const auto runs = store_.history("host-a").of(kRow);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].status, Status::kWrong);
  EXPECT_EQ(runs[0].invocations, 0);
  EXPECT_EQ(runs[0].ns, 0);
}

}  // namespace
}  // namespace nsop::store
