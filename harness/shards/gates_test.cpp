#include "harness/shards/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/core/error.h"

namespace nsop::shards {
namespace {

judge::GateRowsPlan example(int cases) {
  judge::GateRowsPlan plan;
  for (const RowKey& control : judge::control_rows()) {
    plan.cases[control.case_text].text = control.case_text;
    plan.rows.push_back({control, true});
  }
  for (int i = 0; i < cases; ++i) {
    const std::string text = "tanh n=" + std::to_string(i);
    plan.cases[text].text = text;
    plan.cases[text].facts.flops = 1e6 * i;
    for (const char* variant : {"hwy", "layer"}) plan.rows.push_back({{text, variant, "AVX2", 1}});
  }
  return plan;
}

TEST(GateShards, EveryRowIsInOneAndTheControlsAreInEach) {
  std::multiset<RowKey> seen;
  for (int index = 1; index <= 3; ++index) {
    judge::GateRowsPlan part = example(7);
    keep_gate_shard(part, {index, 3});
    int controls = 0;
    for (const judge::GateRow& row : part.rows) {
      controls += row.canary;
      if (!row.canary) seen.insert(row.key);
    }
    EXPECT_EQ(controls, 2);
  }
  EXPECT_EQ(seen.size(), 14u);
  EXPECT_EQ(std::set<RowKey>(seen.begin(), seen.end()).size(), 14u);
  EXPECT_EQ(gate_cases(example(7)), 7u);
}

TEST(GateShards, ACaseThatNobodyKnowsIsLostInOneShard) {
  int lost = 0;
  for (int index = 1; index <= 2; ++index) {
    judge::GateRowsPlan part = example(4);
    part.rows.push_back({{"gone n=1", "hwy", "none", 1}, false, judge::RowKind::kLost, "no op"});
    keep_gate_shard(part, {index, 2});
    for (const judge::GateRow& row : part.rows) lost += row.kind == judge::RowKind::kLost;
  }
  EXPECT_EQ(lost, 1);
}

TEST(GateShards, AShardWithoutRowsIsRefused) {
  judge::GateRowsPlan plan = example(2);
  EXPECT_THROW(keep_gate_shard(plan, {3, 3}), Error);
}

}  // namespace
}  // namespace nsop::shards
