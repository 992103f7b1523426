// Shards that don't count any more (merge.h), with invented times.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "harness/shards/lacking.h"
#include "harness/shards/testing/shards_support.h"

namespace nsop::shards {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class AsideTest : public test::ShardsTest {
 protected:
  std::vector<ShardState> states() {
    std::vector<ShardState> list;
    for (const ShardReport& report : read_shards(folder_, submission_).reports) {
      list.push_back(report.state);
    }
    return list;
  }

  // Two nodes that disagree, of which nobody knows yet which is right.
  Merged::Kind two_that_disagree() {
    write_shard(1, {.node = "slow", .speed = 1.4});
    write_shard(2, {.node = "n2", .speed = 1});
    const Shards shards = read_shards(folder_, submission_);
    EXPECT_THAT(shards.doubts, ElementsAre(HasSubstr("slow")));
    return merge().kinds.at(0);
  }

  void measure_again(int index) {
    put_away(folder_, index, "aside");
    write_shard(index, {.node = "n3", .speed = 1, .number = 2});
  }

  std::set<std::string> nodes_of(const std::string& run_id) {
    std::set<std::string> shards;
    for (const Invocation& one : store_.invocations(run_id)) shards.insert(one.id.substr(0, 13));
    return shards;
  }
};

constexpr ShardState kThere = ShardState::kComplete;

TEST_F(AsideTest, AThirdNodeTellsWhichOfTwoIsSetAside) {
  two_that_disagree();
  EXPECT_THAT(states(), ElementsAre(kThere, kThere, ShardState::kMissing));
  write_shard(3, {.node = "n3", .speed = 1});
  const Shards shards = read_shards(folder_, submission_);
  EXPECT_THAT(states(), ElementsAre(ShardState::kAside, kThere, kThere));
  EXPECT_THAT(shards.reports[0].reason, HasSubstr("slow is set aside"));
  EXPECT_THAT(shards.doubts, IsEmpty());
}

TEST_F(AsideTest, NodesOfAnotherKindSayNothing) {
  write_shard(1, {.node = "n1", .speed = 1});
  write_shard(2, {.node = "n2", .speed = 1});
  write_shard(3, {.node = "other", .host_id = "host-b", .speed = 2});
  EXPECT_THAT(states(), ElementsAre(kThere, kThere, kThere));
  EXPECT_THAT(read_shards(folder_, submission_).doubts, IsEmpty());
}

TEST_F(AsideTest, WhatIsSetAsideLeavesTheRunInWhichItWas) {
  const Merged::Kind first = two_that_disagree();
  EXPECT_EQ(first.added, 6);
  write_shard(3, {.node = "n3", .speed = 1});
  const Merged::Kind partial = merge().kinds.at(0);
  EXPECT_FALSE(partial.is_complete);
  EXPECT_THAT(nodes_of(partial.run_id), ElementsAre("00000002-0001", "00000003-0001"));
  measure_again(1);
  const Merged::Kind whole = merge().kinds.at(0);
  EXPECT_EQ(whole.run_id, partial.run_id);
  EXPECT_TRUE(whole.is_complete);
  EXPECT_THAT(nodes_of(whole.run_id),
              ElementsAre("00000001-0002", "00000002-0001", "00000003-0001"));
  EXPECT_EQ(store_.run(first.run_id).state, RunState::kAborted);
  EXPECT_THAT(whole.left, ElementsAre(first.run_id));
  EXPECT_EQ(merge().kinds.at(0).known, 9);
  EXPECT_THAT(store_.runs(), SizeIs(2));
  EXPECT_THAT(store_.verify().problems, IsEmpty());
}

TEST_F(AsideTest, ARunThatWasTakenOutIsNotBegunAgain) {
  const Merged::Kind first = two_that_disagree();
  write_shard(3, {.node = "n3", .speed = 1});
  merge();
  measure_again(1);
  const Merged::Kind whole = merge().kinds.at(0);
  store_.remove_run(first.run_id, "a node was set aside");
  const Merged::Kind again = merge().kinds.at(0);
  EXPECT_EQ(again.run_id, whole.run_id);
  EXPECT_EQ(again.known, 9);
  EXPECT_THAT(again.left, IsEmpty());
  EXPECT_THAT(store_.runs(), SizeIs(1));
}

// Whoever resumes may see first that a node is set aside.
TEST_F(AsideTest, NoMergeNeedsToSeeItBetween) {
  const Merged::Kind first = two_that_disagree();
  write_shard(3, {.node = "n3", .speed = 1});
  put_away(folder_, 1, "aside");
  const Merged::Kind partial = merge().kinds.at(0);
  EXPECT_THAT(nodes_of(partial.run_id), ElementsAre("00000002-0001", "00000003-0001"));
  EXPECT_THAT(partial.left, ElementsAre(first.run_id));
  write_shard(1, {.node = "n2", .speed = 1, .number = 2});
  EXPECT_TRUE(merge().kinds.at(0).is_complete);
}

TEST_F(AsideTest, AShardWhoseFileWasDamagedIsStoredAsItWasMeasuredAgain) {
  const Merged::Kind first = two_that_disagree();
  write_file_atomically(shard_file(folder_, 2), "{}\n");
  EXPECT_EQ(merge().kinds.at(0).run_id, first.run_id) << "what was stored of it stays";
  EXPECT_THAT(store_.invocations(first.run_id), SizeIs(6));
  put_away(folder_, 2, "damaged");
  write_shard(2, {.node = "n2", .speed = 1.4, .number = 2});
  write_shard(3, {.node = "n2", .speed = 1.4});
  const Merged::Kind whole = merge().kinds.at(0);
  EXPECT_TRUE(whole.is_complete);
  EXPECT_THAT(nodes_of(whole.run_id),
              ElementsAre("00000001-0001", "00000002-0002", "00000003-0001"));
}

TEST_F(AsideTest, NodesSetAsideAreNotAskedAgain) {
  write_shard(1, {.node = "slow", .speed = 1.4});
  write_shard(2, {.node = "n2", .speed = 1});
  write_shard(3, {.node = "n3", .speed = 1});
  EXPECT_THAT(take_lacking(folder_, submission_, read_shards(folder_, submission_).reports),
              ElementsAre(1));
  EXPECT_THAT(submission_.excluded, ElementsAre("slow"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/shard-1.aside-1.ndjson"));
  write_shard(1, {.node = "slow", .speed = 1.4, .number = 2});
  take_lacking(folder_, submission_, read_shards(folder_, submission_).reports);
  EXPECT_THAT(submission_.excluded, ElementsAre("slow")) << "once";
}

}  // namespace
}  // namespace nsop::shards
