#include "harness/report/site/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/report_support.h"
#include "harness/report/testing/site_support.h"

namespace nsop::report {
namespace {

using testing::Contains;
using testing::Not;

judge::GateRowResult gated_row(stats::Verdict verdict, double ratio) {
  judge::GateRowResult row;
  row.row.key = test::kOurShort;
  row.verdict = verdict;
  row.first.decision.verdict = verdict;
  row.first.decision.rounds = 10;
  row.first.decision.intervals[0] = {ratio, ratio * 0.99, ratio * 1.01};
  row.first.rounds.resize(10);
  row.base_allocs = row.head_allocs = AllocCounts{};
  return row;
}

GateRecord recorded(std::vector<judge::GateRowResult> rows) {
  const RunData data = FakeRun("77777777-7777-4777-8777-777777777777", "gate").data();
  GateRecord gate;
  gate.run = data.run;
  gate.host = data.host;
  gate.plan.base = {"main", std::string(40, 'a'), {}};
  gate.plan.head = {"worker", "", {}};
  gate.base_builds = gate.head_builds = {data.builds.front()};
  gate.plan.layouts = 10;
  gate.result.rows = std::move(rows);
  return gate;
}

TEST(SiteGates, ARowSaysWhatItsGateSays) {
  judge::GateRowResult control = gated_row(stats::Verdict::kSame, 1);
  control.row.canary = true;
  judge::GateRowResult worse = gated_row(stats::Verdict::kWorse, 1.1);
  worse.head_allocs->allocs_per_op = 2;
  worse.note = "its own remark";
  worse.base_instructions = {468, "callgrind-3.19.0", "AVX2", ""};
  worse.head_instructions = {500, "callgrind-3.19.0", "AVX2", ""};
  const Json gate = gate_json(recorded({control, worse}));
  EXPECT_EQ(gate["id"], "77777777");
  EXPECT_EQ(gate["base"], "aaaaaaaaaaaa");
  EXPECT_EQ(gate["head"], "worker");
  ASSERT_EQ(gate["rows"].size(), 1u);  // controls are no rows
  const Json& row = gate["rows"][0];
  EXPECT_EQ(row["verdict"], "worse");
  EXPECT_DOUBLE_EQ(row["ratio"].get<double>(), 1.1);
  EXPECT_EQ(row["text"], "+10.0 % [+8.9 %, +11.1 %]");
  EXPECT_EQ(row["exact"], "allocations 0 → 2 (0 → 0 B)");
  EXPECT_EQ(row["note"],
            "its own remark; instructions +6.8 % (468 → 500, the allocator's among them, which "
            "vary by a few)");
}

TEST(SiteGates, ARowWithoutTimesHasNoRatio) {
  judge::GateRowResult lost = gated_row(stats::Verdict::kWorse, 1);
  lost.first = {};
  const Json row = gate_json(recorded({lost}))["rows"][0];
  EXPECT_EQ(row["text"], "not timed");
  EXPECT_TRUE(row["ratio"].is_null() && row["lo"].is_null() && row["hi"].is_null());
}

class GatesOfSite : public test::SiteTest {};

TEST_F(GatesOfSite, GatesOfPullRequestsAreNotRead) {
  add_run(1, {{test::kOurShort, 300}});
  add_run(2, {{test::kOurShort, 300}}, [](nsop::Run& run) {
    run.profile = "gate";
    run.trust = "pr";
  });
  EXPECT_THAT(kinds(lines()), Not(Contains("gate")));
}

}  // namespace
}  // namespace nsop::report
