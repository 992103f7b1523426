#include "harness/store/store.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/core/io/json.h"
#include "harness/store/query.h"
#include "harness/store/testing/generators_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::store {
namespace {

using namespace test;

class StoreTest : public ::testing::Test {
 protected:
  TempDir dir_;
  std::string path_ = dir_.db();
  Store store_{path_};
};

TEST_F(StoreTest, GivesBackWhatWasPut) {
  const nsop::Run run = example_run("run-1");
  add_run(store_, run, 5);
  EXPECT_EQ(to_json(store_.host("host-a")), to_json(example_host()));
  EXPECT_EQ(to_json(store_.build("build-a")), to_json(example_build()));
  const nsop::Run got = store_.run("run-1");
  EXPECT_EQ(got.state, RunState::kComplete);
  EXPECT_EQ(got.ended_utc, "2026-01-01T00:10:00Z");
  EXPECT_EQ(got.sha256.size(), 64u);
  EXPECT_EQ(got.seed, UINT64_MAX);
  EXPECT_EQ(got.plan_json, run.plan_json);
  EXPECT_EQ(got.facts.at("relu pass=forward n=10 range=-3:3").bytes, 80);
  EXPECT_EQ(got.facts.at("relu pass=forward n=10 range=-3:3").written_bytes, 40);
  const auto list = store_.invocations("run-1");
  ASSERT_EQ(list.size(), 5u);
  for (int n = 0; n < 5; ++n) {
    EXPECT_EQ(to_json(list[static_cast<size_t>(n)]), to_json(example_invocation("run-1", n)));
  }
}

TEST_F(StoreTest, AListOfRunsReadsNoPlans) {
  const nsop::Run run = example_run("run-1");
  add_run(store_, run, 5);
  const auto listed = store_.runs();
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].run.host_id, run.host_id);
  EXPECT_NE(listed[0].run.plan_json, run.plan_json)
      << "a plan of a thousand rows takes a millisecond";
}

TEST_F(StoreTest, SurvivesReopening) {
  add_run(store_, example_run("run-1"));
  store_ = Store(path_, Mode::kReadOnly);
  EXPECT_EQ(store_.invocations("run-1").size(), 3u);
  EXPECT_TRUE(store_.verify().problems.empty());
}

RC_GTEST_FIXTURE_PROP(StoreTest, KeepsAnyRun, ()) {
  store_.put_host(example_host());
  store_.put_build(example_build());
  store_.begin_run(any_run("run-1", "host-a"));
  std::map<std::string, Invocation> put;
  for (int n = 0; n < *rc::gen::inRange(0, 6); ++n) {
    const Invocation one = any_invocation("run-1", "build-a", n);
    put[one.id] = one;
    store_.append(one);
  }
  store_.end_run("run-1", RunState::kAborted, "");
  const auto list = store_.invocations("run-1");
  RC_ASSERT(list.size() == put.size());
  for (const Invocation& one : list) RC_ASSERT(to_json(one) == to_json(put.at(one.id)));
  RC_ASSERT(store_.verify().problems == std::vector<std::string>());
}

TEST_F(StoreTest, OrdersInvocationsBySessionRoundSlot) {
  add_run(store_, example_run("run-1"), 0, false);
  for (const int n : {7, 2, 5}) store_.append(example_invocation("run-1", n));
  const auto list = store_.invocations("run-1");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].id, "run-1-i2");
  EXPECT_EQ(list[2].id, "run-1-i7");
}

TEST_F(StoreTest, AFinishedRunTakesNothingMore) {
  add_run(store_, example_run("run-1"));
  EXPECT_EQ(outcome([&] { store_.append(example_invocation("run-1", 9)); }).code, ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { store_.end_run("run-1", RunState::kAborted, ""); }).code,
            ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { store_.resume_run("run-1"); }).code, ExitCode::kUsage);
  EXPECT_EQ(store_.invocations("run-1").size(), 3u);
}

TEST_F(StoreTest, AnAbortedRunGoesOnAfterResume) {
  add_run(store_, example_run("run-1"), 1, false);
  store_.end_run("run-1", RunState::kAborted, "2026-01-01T00:05:00Z");
  const std::string aborted = store_.run("run-1").sha256;
  EXPECT_EQ(outcome([&] { store_.append(example_invocation("run-1", 1)); }).code, ExitCode::kUsage);
  store_.resume_run("run-1");
  EXPECT_EQ(store_.run("run-1").sha256, "");
  store_.append(example_invocation("run-1", 1));
  store_.end_run("run-1", RunState::kComplete, "2026-01-01T00:15:00Z");
  EXPECT_NE(store_.run("run-1").sha256, aborted);
  EXPECT_TRUE(store_.verify().problems.empty());
}

TEST_F(StoreTest, ARunIsExtendedByWhatIsOfItsOwnHostAndKind) {
  add_run(store_, example_run("run-1"), 1, false);
  nsop::Run run = example_run("run-1");
  run.state = RunState::kAborted;
  run.ended_utc = "2026-01-01T00:10:00Z";
  const std::vector<Build> builds = {example_build()};
  const std::vector<Invocation> shards = {example_invocation("run-1", 0),
                                          example_invocation("run-1", 1)};
  for (const auto member :
       {&nsop::Run::host_id, &nsop::Run::origin, &nsop::Run::trust, &nsop::Run::profile}) {
    nsop::Run other = run;
    other.*member = member == &nsop::Run::host_id  ? "host-b"
                    : member == &nsop::Run::origin ? "imported"
                                                   : "pr";
    const auto said =
        outcome([&] { store_.extend_run(other, example_host(other.host_id), builds, shards, {}); });
    EXPECT_EQ(said.code, ExitCode::kBadData) << said.message;
    EXPECT_EQ(store_.run("run-1").state, RunState::kRunning);
  }
  const ExtendedRun extended = store_.extend_run(run, example_host(), builds, shards, {});
  EXPECT_EQ(extended.added, 1);
  EXPECT_EQ(extended.known, 1);
  EXPECT_EQ(store_.run("run-1").state, RunState::kAborted);
  EXPECT_EQ(store_.verify().problems, std::vector<std::string>());
}

TEST_F(StoreTest, RefusesDuplicatesAndStrangers) {
  add_run(store_, example_run("run-1"), 1, false);
  EXPECT_EQ(outcome([&] { store_.begin_run(example_run("run-1")); }).code, ExitCode::kBadData);
  EXPECT_EQ(outcome([&] { store_.append(example_invocation("run-1", 0)); }).code,
            ExitCode::kBadData);
  Invocation same_place = example_invocation("run-1", 0);
  same_place.id = "other";
  EXPECT_EQ(outcome([&] { store_.append(same_place); }).code, ExitCode::kBadData);
  Invocation stranger = example_invocation("run-1", 1);
  stranger.build_id = "unknown-build";
  EXPECT_EQ(outcome([&] { store_.append(stranger); }).code, ExitCode::kBadData);
  EXPECT_EQ(outcome([&] { store_.append(example_invocation("run-9", 1)); }).code, ExitCode::kUsage);
  nsop::Run homeless = example_run("run-2");
  homeless.host_id = "nowhere";
  EXPECT_EQ(outcome([&] { store_.begin_run(homeless); }).code, ExitCode::kBadData);
  EXPECT_EQ(store_.invocations("run-1").size(), 1u);
  EXPECT_TRUE(store_.verify().problems.empty());
}

TEST_F(StoreTest, RefusesValuesOutOfRange) {
  add_run(store_, example_run("run-1"), 0, false);
  Invocation one = example_invocation("run-1", 0);
  one.row.variant = std::string(600, 'v');
  EXPECT_EQ(outcome([&] { store_.append(one); }).code, ExitCode::kBadData);
  one = example_invocation("run-1", 0);
  one.round = -1;
  EXPECT_EQ(outcome([&] { store_.append(one); }).code, ExitCode::kBadData);
  one = example_invocation("run-1", 0);
  one.repetitions[0].iterations = 0;
  EXPECT_EQ(outcome([&] { store_.append(one); }).code, ExitCode::kBadData);
  nsop::Run run = example_run("run-2");
  run.origin = "invented";
  EXPECT_EQ(outcome([&] { store_.begin_run(run); }).code, ExitCode::kBadData);
  EXPECT_TRUE(store_.invocations("run-1").empty());
}

TEST_F(StoreTest, UnknownIdsAreUsageErrors) {
  EXPECT_EQ(outcome([&] { store_.run("x"); }).code, ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { store_.host("x"); }).code, ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { store_.build("x"); }).code, ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { store_.invocations("x"); }).code, ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { store_.end_run("x", RunState::kComplete, ""); }).code, ExitCode::kUsage);
}

TEST_F(StoreTest, AKnownHostIsNotReplaced) {
  store_.put_host(example_host());
  Host other = example_host();
  other.cpu_model = "changed";
  store_.put_host(other);
  EXPECT_EQ(store_.host("host-a").cpu_model, example_host().cpu_model);
}

TEST_F(StoreTest, ListsRunsNewestFirst) {
  add_run(store_, example_run("run-2", "2026-01-02T00:00:00Z"));
  add_run(store_, example_run("run-1", "2026-01-01T00:00:00Z"), 2, false);
  Invocation failed = example_invocation("run-1", 2);
  failed.status = Status::kTimeout;
  store_.append(failed);
  Build peer = example_build("peer", "unknown");
  store_.put_build(peer);
  Invocation by_peer = example_invocation("run-1", 3);
  by_peer.build_id = "peer";
  store_.append(by_peer);
  store_.set_baseline({"main", "host-a", "run-2", "first", ""});
  const auto runs = store_.runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].run.id, "run-2");
  EXPECT_EQ(runs[0].baselines, std::vector<std::string>{"main"});
  EXPECT_EQ(runs[0].ok, 3);
  EXPECT_EQ(runs[0].not_ok, 0);
  EXPECT_EQ(runs[0].cpu_model, example_host().cpu_model);
  EXPECT_EQ(runs[1].ok, 3);
  EXPECT_EQ(runs[1].not_ok, 1);
  EXPECT_EQ(runs[1].commits, std::vector<std::string>{"c0ffee1234"});
}

TEST_F(StoreTest, FindsThePreviousRunOfTheSameHostAndProfile) {
  add_run(store_, example_run("run-1", "2026-01-01T00:00:00Z"));
  nsop::Run other_profile = example_run("run-2", "2026-01-02T00:00:00Z");
  other_profile.profile = "full";
  add_run(store_, other_profile);
  nsop::Run other_host = example_run("run-3", "2026-01-03T00:00:00Z");
  other_host.host_id = "host-b";
  add_run(store_, other_host);
  add_run(store_, example_run("run-4", "2026-01-04T00:00:00Z"), 1, false);
  add_run(store_, example_run("run-5", "2026-01-05T00:00:00Z"));
  EXPECT_EQ(store_.previous_run("run-5"), "run-1");
  EXPECT_EQ(store_.previous_run("run-1"), std::nullopt);
  EXPECT_EQ(outcome([&] { store_.previous_run("x"); }).code, ExitCode::kUsage);
}

TEST_F(StoreTest, ColumnsSayWhatPeopleAskForInSql) {
  add_run(store_, example_run("run-1"), 1, false);
  Invocation counted = example_invocation("run-1", 1);
  counted.phase = Phase::kCount;
  counted.repetitions.clear();
  counted.allocs = AllocCounts{2, 64.5, 3, 100, 1000, true};
  store_.append(counted);
  Database db(path_, true);
  const auto told = [&](const std::string& phase, const std::string& column) {
    return first_value<double>(db, "SELECT " + column + " FROM invocation WHERE phase = :p", phase);
  };
  EXPECT_EQ(told("count", "bytes_per_op"), 64.5);
  EXPECT_EQ(told("count", "allocs_per_op"), 2.0);
  EXPECT_EQ(told("time", "wall_ns_per_op"), 2.0);
  EXPECT_EQ(told("time", "process_cpu_ns_per_op"), 1.99);
}

TEST_F(StoreTest, BaselinesMoveAndKeepTheirHistory) {
  add_run(store_, example_run("run-1"));
  add_run(store_, example_run("run-2"));
  store_.set_baseline({"main", "host-a", "run-1", "first", "2026-01-01T00:00:00Z"});
  store_.set_baseline({"main", "host-a", "run-2", "faster", "2026-01-02T00:00:00Z"});
  ASSERT_EQ(store_.baselines().size(), 1u);
  EXPECT_EQ(store_.baselines()[0].run_id, "run-2");
  EXPECT_EQ(store_.baselines()[0].reason, "faster");
  store_.remove_baseline("main", "host-a", "moved away");
  EXPECT_TRUE(store_.baselines().empty());
  const auto events = store_.baseline_events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].action, "set");
  EXPECT_EQ(events[1].action, "move");
  EXPECT_EQ(events[1].baseline.reason, "faster");
  EXPECT_EQ(events[2].action, "remove");
  EXPECT_EQ(events[2].baseline.run_id, "run-2");
  EXPECT_EQ(events[2].baseline.reason, "moved away");
}

TEST_F(StoreTest, RefusesBaselinesThatMeanNothing) {
  add_run(store_, example_run("run-1"), 1, false);
  add_run(store_, example_run("run-2"));
  store_.put_host(example_host("host-b"));
  const auto refused = [&](const Baseline& baseline) {
    return outcome([&] { store_.set_baseline(baseline); }).code == ExitCode::kUsage;
  };
  EXPECT_TRUE(refused({"main", "host-a", "run-1", "", ""})) << "a running run";
  EXPECT_TRUE(refused({"main", "host-a", "run-9", "", ""})) << "an unknown run";
  EXPECT_TRUE(refused({"main", "host-b", "run-2", "", ""})) << "another host";
  for (const char* name : {"", "@last", "a:b", "a b", "-x"}) {
    EXPECT_TRUE(refused({name, "host-a", "run-2", "", ""})) << name;
  }
  EXPECT_TRUE(store_.baselines().empty());
  EXPECT_TRUE(store_.baseline_events().empty());
}

TEST_F(StoreTest, RemovingAnUnknownBaselineSuggestsOne) {
  add_run(store_, example_run("run-1"));
  store_.set_baseline({"main", "host-a", "run-1", "", ""});
  const auto result = outcome([&] { store_.remove_baseline("mian", "host-a", ""); });
  EXPECT_EQ(result.code, ExitCode::kUsage);
  EXPECT_NE(result.message.find("'main'"), std::string::npos);
}

TEST_F(StoreTest, ReadOnlyRefusesEveryWrite) {
  add_run(store_, example_run("run-1"));
  Store reader(path_, Mode::kReadOnly);
  EXPECT_EQ(outcome([&] { reader.put_host(example_host("h")); }).code, ExitCode::kEnvironment);
  EXPECT_EQ(outcome([&] { reader.resume_run("run-1"); }).code, ExitCode::kEnvironment);
  EXPECT_EQ(reader.runs().size(), 1u);
}

}  // namespace
}  // namespace nsop::store
