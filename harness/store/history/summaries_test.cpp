#include "harness/store/history/summaries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "harness/store/query.h"
#include "harness/store/testing/generators_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

std::string text_of(const std::vector<RowInRun>& rows) {
  std::string text;
  for (const RowInRun& r : rows) {
    text +=
        fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", r.run_id.str(), r.started_utc.str(),
                    r.profile.str(), r.build_id.str(), r.inputs_sha256.str(), r.invocations, r.ns,
                    r.wall_ns, r.excess.value_or(-1), r.first_ns.value_or(-1),
                    r.allocs.value_or(-1), r.bytes.value_or(-1), status_text(r.status));
  }
  return text;
}

// What a database says of every row, all its summaries taken away first or not.
std::string history_of(const std::string& path, bool summaries) {
  if (!summaries) raw_sql(path, "DELETE FROM run_row; DELETE FROM run_summary");
  const Store store(path, Mode::kReadOnly);  // which stores no summaries
  std::string text;
  for (const RowKey& row : store.row_keys())
    text += row.text() + text_of(store.history("h").of(row));
  return text;
}

// The differential test: summaries say what the invocations say, whatever these are.
RC_GTEST_PROP(Summaries, SayWhatTheInvocationsSay, ()) {
  TempDir dir;
  const std::string path = dir.db();
  {
    Store store(path);
    store.put_host(example_host("h"));
    for (const char* build : {"build-a", "build-b"}) store.put_build(example_build(build));
    const int runs = *rc::gen::inRange(0, 5);
    for (int i = 0; i < runs; ++i) {
      const std::string id = "run-" + std::to_string(i);
      store.begin_run(any_run(id, "h"));
      const int count = *rc::gen::inRange(0, 8);
      for (int n = 0; n < count; ++n) {
        store.append(any_invocation(id, *rc::gen::element<std::string>("build-a", "build-b"), n));
      }
      store.end_run(id, *rc::gen::element(RunState::kComplete, RunState::kAborted), *any_time());
    }
    RC_ASSERT(store.verify().problems == std::vector<std::string>());
  }
  const std::string kept = history_of(path, true);
  RC_ASSERT(history_of(path, false) == kept);
  { const Store opened(path, Mode::kReadWrite); }  // stores what is missing
  RC_ASSERT(history_of(path, true) == kept);
}

class SummariesTest : public testing::Test {
 protected:
  SummariesTest() {
    Store store(path_);
    for (const char* id : {"run-1", "run-2"}) add_run(store, example_run(id), 4);
  }
  long long count(const std::string& query) {
    Database db(path_, true);
    return db.guard([&] { return first_value<long long>(db, query).value_or(-1); });
  }

  std::vector<RowInRun> history_now() {
    const Store store(path_, Mode::kReadOnly);
    return store.history("host-a").of(row_);
  }

  TempDir dir_;
  std::string path_ = dir_.db();
  RowKey row_{"relu pass=forward n=10 range=-3:3", "hwy", "AVX2", 1};
};

TEST_F(SummariesTest, OneOfAnotherSealCountsForNobody) {
  const std::string before = text_of(history_now());
  raw_sql(path_,
          "UPDATE run_row SET ns = 1; UPDATE run_summary SET sha256 = replace(sha256, "
          "substr(sha256, 1, 1), 'x')");
  EXPECT_EQ(text_of(history_now()), before);
  EXPECT_EQ(count("SELECT COUNT(*) FROM run_row WHERE ns = 1"), 2);
  { const Store store(path_); }
  EXPECT_EQ(count("SELECT COUNT(*) FROM run_row WHERE ns = 1"), 0) << "made anew";
  EXPECT_EQ(count("SELECT COUNT(*) FROM run_summary"), 2);
}

// What is sealed is what is read: looking back opens no invocation of the past.
TEST_F(SummariesTest, NumbersOfPastRunsComeFromThem) {
  raw_sql(path_, "UPDATE run_row SET ns = 12345 WHERE run = (SELECT MIN(run) FROM run_row)");
  const auto rows = history_now();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ns, 12345);
  EXPECT_NE(rows[1].ns, 12345);
  damage(
      path_,
      "UPDATE invocation SET samples = NULL, wall_ns_per_op = 1, body_hash = 'of nothing 12345'");
  EXPECT_EQ(text_of(history_now()), text_of(rows));
}

TEST_F(SummariesTest, ARemovedRunHasNone) {
  Store(path_).remove_run("run-1", "why not");
  EXPECT_EQ(count("SELECT COUNT(*) FROM run_summary"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM run_row"), 1);
}

TEST_F(SummariesTest, ARunThatGoesOnIsNoHistoryUntilItEnds) {
  Store store(path_);
  nsop::Run run = example_run("run-3");
  add_run(store, run, 1, false);
  store.end_run("run-3", RunState::kAborted, "2026-01-01T00:10:00Z");
  EXPECT_EQ(store.history("host-a").of(row_).size(), 2u);
  store.resume_run("run-3");
  store.append(example_invocation("run-3", 1));
  store.end_run("run-3", RunState::kComplete, "2026-01-01T00:20:00Z");
  const auto rows = store.history("host-a").of(row_);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.back().invocations, 2);
}

}  // namespace
}  // namespace nsop::store
