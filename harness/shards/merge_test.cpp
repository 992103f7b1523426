#include "harness/shards/merge.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <map>
#include <set>

#include "harness/shards/testing/shards_support.h"

namespace nsop::shards {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class MergeTest : public test::ShardsTest {};

TEST_F(MergeTest, ShardsBecomeOneRunAndASecondMergeAddsNothing) {
  for (const int index : {1, 2, 3}) write_shard(index, {});
  const Merged merged = merge();
  ASSERT_THAT(merged.kinds, SizeIs(1));
  EXPECT_EQ(merged.kinds[0].added, 9);
  EXPECT_TRUE(merged.kinds[0].is_complete);
  const std::string before = store::export_run(store_, merged.kinds[0].run_id);
  const Merged again = merge();
  EXPECT_EQ(again.kinds[0].added, 0);
  EXPECT_EQ(again.kinds[0].known, 9);
  EXPECT_EQ(store::export_run(store_, merged.kinds[0].run_id), before);
  EXPECT_THAT(store_.runs(), SizeIs(1));
  EXPECT_THAT(store_.verify().problems, testing::IsEmpty());
}

TEST_F(MergeTest, AShardThatLacksIsNamedAndComesLater) {
  write_shard(1, {});
  write_shard(3, {.node = "n2"});
  Merged merged = merge();
  ASSERT_THAT(merged.kinds, SizeIs(1));
  EXPECT_FALSE(merged.kinds[0].is_complete);
  const std::string id = merged.kinds[0].run_id;
  EXPECT_EQ(store_.run(id).state, RunState::kAborted);
  EXPECT_THAT(store_.run(id).plan_json,
              HasSubstr(R"({"index":2,"state":"missing","node":"","reason":"not begun"})"));
  write_shard(2, {.node = "n2"});
  merged = merge();
  EXPECT_EQ(merged.kinds[0].run_id, id);
  EXPECT_EQ(merged.kinds[0].added, 3);
  EXPECT_EQ(merged.kinds[0].known, 6);
  EXPECT_EQ(store_.run(id).state, RunState::kComplete);
  EXPECT_THAT(store_.run(id).plan_json, testing::Not(HasSubstr("missing")));
  EXPECT_THAT(store_.invocations(id), SizeIs(9));
}

// The shards of the test are of 2026-01-01T00:00:00Z.
TEST_F(MergeTest, AClockThatIsWrongIsNamedAndMovesNothing) {
  for (const int index : {1, 2, 3}) write_shard(index, {});
  submission_.created_utc = "2026-01-02T00:00:00Z";
  Shards shards = read_shards(folder_, submission_);
  ASSERT_THAT(shards.clocks, SizeIs(3));
  EXPECT_EQ(shards.clocks[0],
            "the clock of n1 is behind: by it shard 1 began at 2026-01-01T00:00:00Z, before it was "
            "submitted at 2026-01-02T00:00:00Z");
  const nsop::Run run = store_.run(merge().kinds.at(0).run_id);
  EXPECT_EQ(run.started_utc, "2026-01-02T00:00:00Z");
  EXPECT_GE(run.ended_utc, run.started_utc);
  EXPECT_EQ(run.state, RunState::kComplete);
  EXPECT_THAT(store_.verify().problems, testing::IsEmpty());
  submission_.created_utc = "2025-12-31T23:59:00Z";
  EXPECT_THAT(read_shards(folder_, submission_).clocks, SizeIs(0));
  std::printf("clocks of nodes: %zu wrong, each named\n", shards.clocks.size());
}

TEST_F(MergeTest, AClockThatIsAheadOrWasSetBackIsNamed) {
  write_shard(1, {.ended_utc = "2999-01-01T00:00:00Z"});
  write_shard(2, {.started_utc = "2026-01-01T00:10:00Z", .ended_utc = "2026-01-01T00:05:00Z"});
  write_shard(3, {});
  EXPECT_THAT(
      read_shards(folder_, submission_).clocks,
      testing::ElementsAre("the clock of n1 is ahead: by it shard 1 ended at 2999-01-01T00:00:00Z",
                           "the clock of n1 was set back while shard 2 was measured"));
  const nsop::Run run = store_.run(merge().kinds.at(0).run_id);
  EXPECT_EQ(run.started_utc, "2026-01-01T00:00:00Z");
  EXPECT_LT(run.ended_utc, "2999");
  EXPECT_EQ(run.state, RunState::kComplete);
  EXPECT_THAT(store_.verify().problems, testing::IsEmpty());
}

// Three cases of the same work: a shard each, in this order.
class KindsTest : public MergeTest {
 protected:
  KindsTest() {
    run::Plan whole = plan({});
    for (const char* text : {"relu n=1", "relu n=2", "relu n=3"}) {
      whole.cases[text].text = text;
      whole.cases[text].facts = {10, 0, 80, 80, 40};
      for (const char* variant : {"hwy", "layer"}) {
        whole.rows.push_back({{text, variant, "AVX2", 1}, 0, "", {}, false});
      }
    }
    for (const char* host : {"host-a", "host-b"}) {
      write_file_atomically(plan_file(folder_, host), run::plan_to_json(whole, {}));
    }
  }

  // The cases of each kind's run that it plans, and how many invocations.
  std::map<std::string, std::set<std::string>> planned() {
    std::map<std::string, std::set<std::string>> cases;
    for (const Merged::Kind& kind : merge().kinds) {
      const nsop::Run run = store_.run(kind.run_id);
      const run::Plan plan = run::plan_from_json(run.plan_json);
      for (const run::PlanRow& row : plan.rows) cases[run.host_id].insert(row.key.case_text);
      EXPECT_EQ(run.invocations_planned,
                static_cast<int64_t>(plan.rows.size()) * (plan.profile.rounds + 1));
      EXPECT_EQ(run.facts.size(), plan.cases.size());
      EXPECT_EQ(run.state == RunState::kComplete, kind.is_complete);
      complete_ = kind.is_complete;
    }
    return cases;
  }

  bool complete_ = false;
};

TEST_F(KindsTest, AKindIsCompleteWithTheRowsThatNoOtherKindHas) {
  using Cases = std::set<std::string>;
  write_shard(1, {});
  write_shard(3, {.node = "other", .host_id = "host-b"});
  EXPECT_THAT(planned(),
              testing::ElementsAre(testing::Pair("host-a", Cases{"relu n=1", "relu n=2"}),
                                   testing::Pair("host-b", Cases{"relu n=2", "relu n=3"})));
  EXPECT_FALSE(complete_) << "either may measure the second shard";
  write_shard(2, {});
  EXPECT_THAT(planned(),
              testing::ElementsAre(testing::Pair("host-a", Cases{"relu n=1", "relu n=2"}),
                                   testing::Pair("host-b", Cases{"relu n=3"})));
  EXPECT_TRUE(complete_);
  EXPECT_THAT(store_.runs(), SizeIs(2));
  EXPECT_THAT(store_.verify().problems, testing::IsEmpty());
}

TEST_F(MergeTest, AControlThatIsMeasuredForTheRunStaysInIt) {
  store::test::TempDir own;
  store::Store store(own.file("shard.db"));
  nsop::Run run = store::test::example_run("00000001-0000-4000-8000-000000000000");
  run.plan_json = run::plan_to_json(plan(run::PlanShard{1, 3, test::kSubmission, "n1"}), {});
  store::test::add_run(store, run, 0, false);
  Invocation one = store::test::example_invocation(run.id, 1);
  one.row = test::control();
  store.append(one);
  store.end_run(run.id, RunState::kComplete, "2026-01-01T00:10:00Z");
  write_file_atomically(shard_file(folder_, 1), store::export_run(store, run.id));
  const Shards shards = read_shards(folder_, submission_);
  ASSERT_TRUE(shards.complete[0].has_value());
  EXPECT_THAT(shards.complete[0]->controls, SizeIs(1));
  EXPECT_THAT(shards.complete[0]->rows, SizeIs(1));
}

TEST_F(MergeTest, WhatIsNoShardOfTheSubmissionIsDamaged) {
  write_shard(1, {.submission = "00000000-0000-8000-8000-00000000ffff"});
  write_shard(2, {.seal = false});
  write_shard(3, {});
  std::string text = read_file(shard_file(folder_, 3));
  text.resize(text.size() / 2);
  write_file_atomically(shard_file(folder_, 3), text);
  const Shards shards = read_shards(folder_, submission_);
  for (const ShardReport& report : shards.reports) {
    EXPECT_EQ(report.state, ShardState::kDamaged) << report.index;
    EXPECT_THAT(report.reason, HasSubstr("shard-"));
  }
  EXPECT_THAT(merge().kinds, SizeIs(0));
  EXPECT_THAT(store_.runs(), SizeIs(0));
}

TEST_F(MergeTest, AnUnfinishedShardSaysWhereItWasBegun) {
  const store::Store shard = [&] {
    store::Store store(shard_database(folder_, 2));
    nsop::Run run = store::test::example_run("00000002-0000-4000-8000-000000000000");
    run.plan_json = run::plan_to_json(plan(run::PlanShard{2, 3, test::kSubmission, "n7"}), {});
    store::test::add_run(store, run, 2, false);
    return store;
  }();
  const ShardReport report = read_shards(folder_, submission_).reports.at(1);
  EXPECT_EQ(report.state, ShardState::kMissing);
  EXPECT_EQ(report.node, "n7");
  EXPECT_EQ(report.invocations, 2);
  EXPECT_THAT(report.reason, HasSubstr("begun on n7"));
}

TEST_F(MergeTest, WhatDoesNotCountIsPutAwayNotRemoved) {
  write_shard(1, {});
  const std::string text = read_file(shard_file(folder_, 1));
  put_away(folder_, 1, "aside");
  write_shard(1, {.node = "n2"});
  put_away(folder_, 1, "aside");
  EXPECT_EQ(read_file(folder_ + "/shard-1.aside-1.ndjson"), text);
  EXPECT_NE(read_file(folder_ + "/shard-1.aside-2.ndjson"), text);
  EXPECT_EQ(read_shards(folder_, submission_).reports[0].state, ShardState::kMissing);
}

}  // namespace
}  // namespace nsop::shards
