#include <gmock/gmock.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLater = "2026-06-01T00:00:00Z";

std::string any_rows(const Store& store) {
  std::string text;
  for (const RowKey& row : store.row_keys()) {
    for (const RowInRun& one : store.history("host-a").of(row)) {
      text += one.run_id.str() + " " + row.text() + " " + std::to_string(one.ns) + " " +
              std::to_string(one.invocations) + "\n";
    }
  }
  return text;
}

class PruningTest : public testing::Test {
 protected:
  PruningTest() {
    for (const char* id : {"run-1", "run-2"}) add_run(store_, example_run(id), 4);
    add_run(store_, example_run("run-3", "2026-07-01T00:00:00Z"), 4);
  }
  size_t repetitions(const std::string& run_id) {
    return store_.invocations(run_id).front().repetitions.size();
  }

  TempDir dir_;
  std::string path_ = dir_.db();
  Store store_{path_};
};

TEST_F(PruningTest, OneRepetitionOfEachInvocationIsLeftAndTheHistoryIsTheSame) {
  ASSERT_GT(repetitions("run-1"), 1u);
  const std::string rows = any_rows(store_);
  const std::string thin = export_run(store_, "run-1", Samples::kThinned);
  const Pruned counted = store_.prune(kLater, true);
  EXPECT_EQ(counted.runs, 2);
  EXPECT_EQ(counted.invocations, 8);
  EXPECT_GT(counted.sample_bytes, 0);
  ASSERT_GT(repetitions("run-1"), 1u) << "counting changes nothing";
  EXPECT_THAT(store_.pruned_runs(), IsEmpty());

  const Pruned pruned = store_.prune(kLater, false);
  EXPECT_EQ(pruned.runs, 2);
  EXPECT_EQ(pruned.invocations, 8);
  EXPECT_GT(pruned.sample_bytes, 0);
  EXPECT_LT(pruned.sample_bytes, counted.sample_bytes);
  EXPECT_EQ(repetitions("run-1"), 1u);
  EXPECT_GT(repetitions("run-3"), 1u) << "it began later";
  EXPECT_EQ(any_rows(store_), rows);
  EXPECT_EQ(export_run(store_, "run-1"), thin);
  EXPECT_THAT(store_.verify().problems, IsEmpty());
  EXPECT_EQ(store_.prune(kLater, false).runs, 0) << "there is nothing left to do";
}

TEST_F(PruningTest, ThatItWasPrunedIsOnRecordForGood) {
  store_.prune(kLater, false);
  const std::vector<PrunedRun> pruned = store_.pruned_runs();
  ASSERT_EQ(pruned.size(), 2u);
  EXPECT_EQ(pruned[0].run_id, "run-1");
  EXPECT_EQ(pruned[0].invocations, 4);
  EXPECT_EQ(pruned[0].sha256.size(), 64u);
  EXPECT_NE(pruned[0].sha256, pruned[0].thinned_sha256);
  EXPECT_EQ(store_.run("run-1").sha256, pruned[0].thinned_sha256);
  EXPECT_THROW(raw_sql(path_, "DELETE FROM pruned_run"), Error);
  EXPECT_THROW(raw_sql(path_, "UPDATE pruned_run SET invocations = 9"), Error);
  damage(path_, std::string(on_server() ? "" : "DROP TRIGGER pruned_run_is_final;") +
                    "UPDATE pruned_run SET invocations = 9 WHERE seq = 1");
  EXPECT_THAT(store_.verify().problems,
              testing::Contains(HasSubstr("pruning 1 doesn't have its SHA-256")));
}

TEST_F(PruningTest, TheWholeRunIsNotImportedAgain) {
  const std::string whole = export_run(store_, "run-1");
  store_.prune(kLater, false);
  const std::string thin = export_run(store_, "run-1");
  EXPECT_EQ(import_run(store_, whole, "file"), "run-1");
  EXPECT_EQ(export_run(store_, "run-1"), thin);
}

TEST_F(PruningTest, WhatNeedsAllRepetitionsStaysWhole) {
  nsop::Run gate = example_run("run-4");
  gate.origin = "gate";
  add_run(store_, gate, 2);
  nsop::Run confirmation = example_run("run-5");
  confirmation.origin = "confirm";
  add_run(store_, confirmation, 2);
  add_run(store_, example_run("run-6"), 2, false);
  store_.set_baseline({"main", "host-a", "run-1", "", ""});
  const Pruned pruned = store_.prune(kLater, false);
  EXPECT_EQ(pruned.runs, 1);
  EXPECT_EQ(pruned.gates, 2);
  EXPECT_EQ(pruned.baselines, 1);
  EXPECT_EQ(pruned.not_complete, 1);
  for (const char* whole : {"run-1", "run-3", "run-4", "run-5", "run-6"}) {
    EXPECT_GT(repetitions(whole), 1u) << whole;
  }
  EXPECT_EQ(repetitions("run-2"), 1u);
  EXPECT_THAT(store_.verify().problems, IsEmpty());
}

TEST_F(PruningTest, APrunedRunCanBeABaselineAndBeRemoved) {
  store_.prune(kLater, false);
  store_.set_baseline({"main", "host-a", "run-2", "", ""});
  store_.remove_run("run-1", "wrong clock");
  EXPECT_EQ(store_.runs().size(), 2u);
  EXPECT_THAT(store_.verify().problems, IsEmpty());
}

TEST_F(PruningTest, ATimeThatIsNoneIsRefused) {
  for (const char* wrong : {"", "yesterday", "2026-01-31"}) {
    const Outcome said = outcome([&] { store_.prune(wrong, false); });
    EXPECT_EQ(said.code, ExitCode::kUsage) << wrong;
    EXPECT_THAT(said.message, HasSubstr("expected a time"));
  }
}

}  // namespace
}  // namespace nsop::store
