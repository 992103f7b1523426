#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/report/stored/gate.h"
#include "harness/report/stored/releases.h"
#include "harness/report/stored/run.h"
#include "harness/run/plan/plan.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::report {
namespace {

using store::test::add_run;
using store::test::example_run;
using store::test::outcome;
using testing::HasSubstr;

class StoredTest : public testing::Test {
 protected:
  store::test::TempDir folder_;
  store::Store store_{folder_.file("nsop.db")};
};

Run imported(const std::string& id, const std::string& started_utc = "2026-01-01T00:00:00Z") {
  Run run = example_run(id, started_utc);
  run.plan_json.clear();
  return run;
}

TEST_F(StoredTest, ARunComesWithItsHostItsBuildsAndItsRows) {
  add_run(store_, imported("one"));
  const RunData data = load_run(store_, "one");
  EXPECT_EQ(data.host.id, "host-a");
  ASSERT_EQ(data.builds.size(), 1u);
  EXPECT_EQ(data.builds[0].id, "build-a");
  ASSERT_EQ(data.rows.size(), 1u);
  EXPECT_EQ(data.rows[0].row.variant, "hwy");
  EXPECT_EQ(data.rows[0].invocations, 3);
  EXPECT_TRUE(data.planned.empty());
}

TEST_F(StoredTest, ARunOfSeveralNodesSaysWhoMeasuredWhat) {
  nsop::Run run = imported("one");
  const std::string whole = run::plan_to_json(run::Plan{}, {});
  Json plan = parse_json(whole, "plan");
  plan["shards"] = Json::array();
  const auto add = [&](int index, const char* state, const char* node, const char* reason) {
    plan["shards"].push_back(
        {{"index", index}, {"state", state}, {"node", node}, {"reason", reason}});
  };
  add(1, "complete", "n2", "");
  add(2, "complete", "n1", "");
  add(3, "complete", "n2", "");
  add(4, "missing", "", "not begun");
  add(5, "of another kind of host", "n9", "");
  run.plan_json = plan.dump();
  add_run(store_, run);
  EXPECT_EQ(load_run(store_, "one").nodes,
            "n1 measured shard 2; n2 measured shards 1, 3; shard 4 is not in it (not begun); shard "
            "5 is not in it (of another kind of host); all variants of a case are of one node");
  run = imported("two");
  run.plan_json = whole;
  add_run(store_, run);
  EXPECT_EQ(load_run(store_, "two").nodes, "");
}

TEST_F(StoredTest, ARunIsNoGateAndAGateIsNoRun) {
  nsop::Run gate = imported("gate");
  gate.profile = "gate";
  add_run(store_, gate);
  add_run(store_, imported("run"));
  const auto run_of_gate = outcome([&] { load_run(store_, "gate"); });
  EXPECT_EQ(run_of_gate.code, ExitCode::kUsage);
  EXPECT_THAT(run_of_gate.message, HasSubstr("nsop report --gate gate"));
  const auto gate_of_run = outcome([&] { load_gate(store_, "run"); });
  EXPECT_EQ(gate_of_run.code, ExitCode::kUsage);
  EXPECT_THAT(gate_of_run.message, HasSubstr("run run is no gate"));
}

TEST_F(StoredTest, LimitsAreThoseOfTheNewestCompleteRunOfTheHostThatMeasuredThem) {
  EXPECT_EQ(run_with_limits(store_, "host-a"), std::nullopt);
  const auto measured = [](const std::string& id, const std::string& started_utc) {
    nsop::Run run = imported(id, started_utc);
    run.facts["peak_flops"] = {};
    run.facts["stream bytes=1"] = {};
    return run;
  };
  add_run(store_, measured("old", "2026-01-01T00:00:00Z"));
  add_run(store_, measured("new", "2026-01-02T00:00:00Z"));
  add_run(store_, measured("unfinished", "2026-01-03T00:00:00Z"), 3, false);
  add_run(store_, imported("other", "2026-01-04T00:00:00Z"));
  nsop::Run of_stranger = measured("of_stranger", "2026-01-05T00:00:00Z");
  of_stranger.trust = "pr";
  add_run(store_, of_stranger);
  EXPECT_EQ(run_with_limits(store_, "host-a"), "new");
  EXPECT_EQ(run_with_limits(store_, "host-b"), std::nullopt);
}

TEST_F(StoredTest, ATrackingLogEndsWithTheRunItself) {
  add_run(store_, imported("first", "2026-01-01T00:00:00Z"));
  add_run(store_, imported("second", "2026-01-02T00:00:00Z"));
  Suite suite;
  suite.releases = {"first"};
  const std::string project = folder_.file("none");
  const std::vector<Release> releases =
      releases_of(store_, project, suite, load_run(store_, "second"));
  ASSERT_EQ(releases.size(), 2u);
  EXPECT_EQ(releases[0].name, "first");
  EXPECT_EQ(releases[0].data.run.id, "first");
  EXPECT_EQ(releases[1].name, "this run");
  EXPECT_EQ(releases[1].data.run.id, "second");
  EXPECT_TRUE(releases[1].changes.empty());
  suite.releases = {"never"};
  EXPECT_EQ(outcome([&] { releases_of(store_, project, suite, load_run(store_, "second")); }).code,
            ExitCode::kUsage);
}

}  // namespace
}  // namespace nsop::report
