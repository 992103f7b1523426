#include "harness/judge/history/past.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/testing/stored_nights_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using testing::HasSubstr;

class FindHost : public testing::Test {
 protected:
  void add_night(const std::string& host, int number) const {
    Night night = test::night_ago(1, number, 1000);
    night.host.id = host;
    night.host.cpu_model = "CPU of " + host;
    write_night(nights_, night);
  }
  std::string find(const std::string& prefix) const {
    return find_host(Past(dir_.file("t.db"), nights_), prefix);
  }
  store::test::TempDir dir_;
  std::string nights_ = dir_.file("nights");
};

TEST_F(FindHost, AnEmptyTextIsThisHostEvenWithoutAPast) { EXPECT_EQ(find(""), this_host().id); }

TEST_F(FindHost, AHostIsFoundByTheStartOfItsId) {
  add_night("abc1", 1);
  add_night("abd2", 2);
  EXPECT_EQ(find("abc"), "abc1");
  EXPECT_EQ(find("abd2"), "abd2");
  EXPECT_EQ(outcome([&] { find("bc1"); }).code, ExitCode::kUsage) << "the start, no other part";
}

TEST_F(FindHost, HostsOfTheDatabaseAreOfThePastToo) {
  add_night("abc1", 1);
  {
    store::Store store(dir_.file("t.db"));
    nsop::Run run = store::test::example_run("11111111-0000-4000-8000-000000000001");
    run.host_id = "xyz9";
    store::test::add_run(store, run);
  }
  EXPECT_EQ(find("x"), "xyz9");
  EXPECT_EQ(find("a"), "abc1");
}

TEST_F(FindHost, WhatNamesNoHostOrMoreThanOneIsRefusedWithThoseThereAre) {
  const auto none = outcome([&] { find("a"); });
  EXPECT_EQ(none.code, ExitCode::kUsage);
  EXPECT_EQ(none.message, "--host a: no such host (hosts: none)");
  add_night("abc1", 1);
  add_night("abd2", 2);
  const auto both = outcome([&] { find("ab"); });
  EXPECT_EQ(both.code, ExitCode::kUsage);
  EXPECT_EQ(both.message,
            "--host ab: names more than one (hosts: abc1 (CPU of abc1), abd2 (CPU of abd2))");
  EXPECT_THAT(outcome([&] { find("z"); }).message,
              HasSubstr("--host z: no such host (hosts: abc1"));
}

// night_of() of nights.h: a stored run of one build as a night.
class NightOf : public testing::Test {
 protected:
  NightOf() {
    run_.host_id = "host-a";
    store_.put_host(store::test::example_host());
    store_.put_build(store::test::example_build());
    store_.put_build(store::test::example_build("build-b", "decade"));
    store_.begin_run(run_);
  }
  void add(Invocation one, const std::string& build, const RowKey& row) {
    one.id = new_uuid();
    one.build_id = build;
    one.row = row;
    store_.append(one);
  }
  void add_times(const std::string& build, const RowKey& row) {
    for (int n = 0; n < 4; ++n) add(store::test::example_invocation(run_.id, n), build, row);
  }
  Night night(const std::string& build) const { return night_of(store_, run_.id, build); }

  store::test::TempDir dir_;
  store::Store store_{dir_.file("t.db")};
  nsop::Run run_ = store::test::example_run("11111111-0000-4000-8000-000000000001");
};

TEST_F(NightOf, HasTheRowsOfItsBuildOnly) {
  add_times("build-a", test::kRelu);
  add_times("build-b", test::kTanh);
  const Night a = night("build-a"), b = night("build-b");
  ASSERT_EQ(a.rows.size(), 1u);
  EXPECT_EQ(a.rows[0].row, test::kRelu);
  EXPECT_EQ(a.commit, "c0ffee1234");
  ASSERT_EQ(b.rows.size(), 1u);
  EXPECT_EQ(b.rows[0].row, test::kTanh);
  EXPECT_EQ(b.commit, "decade");
}

TEST_F(NightOf, SaysWhereWhenAndByWhatItWasMeasured) {
  add_times("build-a", test::kRelu);
  const Night a = night("build-a");
  EXPECT_EQ(a.run_id, run_.id);
  EXPECT_EQ(a.started_utc, "2026-01-01T00:00:00Z");
  EXPECT_EQ(a.profile, "quick");
  EXPECT_EQ(a.tool_version, "0.1.0");
  EXPECT_EQ(a.toolchain, toolchain_of(store::test::example_build()));
  EXPECT_EQ(a.host.id, "host-a");
  EXPECT_EQ(a.host.cpu_model, store::test::example_host().cpu_model);
}

TEST_F(NightOf, SumsUpTheInvocationsOfARow) {
  add_times("build-a", test::kRelu);
  Invocation counted = store::test::example_invocation(run_.id, 9);
  counted.phase = Phase::kCount;
  counted.repetitions.clear();
  counted.allocs = AllocCounts{};
  counted.allocs->allocs_per_op = 3;
  counted.allocs->bytes_per_op = 96;
  add(counted, "build-a", test::kRelu);
  Invocation failed = store::test::example_invocation(run_.id, 10);
  failed.status = Status::kError;
  failed.reason = "died";
  failed.repetitions.clear();
  add(failed, "build-a", test::kTanh);
  std::vector<NightRow> rows = night("build-a").rows;
  ASSERT_EQ(rows.size(), 2u);
  if (rows[0].row == test::kTanh) std::swap(rows[0], rows[1]);
  EXPECT_EQ(rows[0].status, Status::kOk);
  EXPECT_EQ(rows[0].invocations, 4);
  EXPECT_NEAR(rows[0].wall_ns, 2, 0.01);  // 2000 ns and a little, of 1000 iterations
  EXPECT_NEAR(rows[0].ns, 2, 0.02);
  EXPECT_EQ(rows[0].inputs_sha256, std::string(64, 'a'));
  EXPECT_EQ(rows[0].allocs, 3);
  EXPECT_EQ(rows[0].bytes, 96);
  EXPECT_EQ(rows[1].status, Status::kError);
  EXPECT_EQ(rows[1].ns, 0);
  EXPECT_FALSE(rows[1].allocs);
}

TEST_F(NightOf, AHistoryWhoseBuildHasGoneIsBadData) {
  add_times("build-a", test::kRelu);
  store_.end_run(run_.id, RunState::kComplete, "2026-01-01T00:10:00Z");
  ASSERT_EQ(StoredLines(store_, "host-a").of(test::kRelu).size(), 1u);
  store::test::damage(dir_.file("t.db"), "DELETE FROM run_build");
  const auto gone = outcome([&] { StoredLines(store_, "host-a").of(test::kRelu); });
  EXPECT_EQ(gone.code, ExitCode::kBadData);
  EXPECT_EQ(gone.message, dir_.file("t.db") + ": is damaged; run `nsop db verify`");
}

TEST_F(NightOf, ARunOrBuildThatIsNotThereIsRefused) {
  add_times("build-a", test::kRelu);
  EXPECT_TRUE(night("build-b").rows.empty());
  EXPECT_EQ(outcome([&] { night_of(store_, "nobody", "build-a"); }).code, ExitCode::kUsage);
  EXPECT_NE(outcome([&] { night("build-c"); }).code, ExitCode::kOk);
}

}  // namespace
}  // namespace nsop::judge
