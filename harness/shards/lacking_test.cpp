#include "harness/shards/lacking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nsop::shards {
namespace {

constexpr ShardState kWhole = ShardState::kComplete;

std::vector<ShardReport> reports_of(const std::vector<ShardState>& states) {
  std::vector<ShardReport> reports;
  for (const ShardState state : states) {
    reports.push_back({static_cast<int>(reports.size()) + 1, state, "n1", "host-a", "", 0});
  }
  return reports;
}

ExitCode of_run(const std::vector<ShardState>& states, bool doubt = false) {
  Shards shards;
  shards.reports = reports_of(states);
  if (doubt) shards.doubts.emplace_back("nodes differ");
  return outcome_of(shards);
}

// A gate of one row with this verdict, in the first of its shards.
ExitCode of_gate(const std::vector<ShardState>& states, stats::Verdict verdict) {
  Gates gates;
  gates.reports = reports_of(states);
  gates.complete.resize(states.size());
  judge::GateRowResult row;
  row.row.key = {"relu n=1", "hwy", "AVX2", 1};
  row.verdict = verdict;
  gates.complete[0].emplace().result.rows.push_back(row);
  return outcome_of(gates);
}

TEST(Lacking, TheWorstShardSaysWhatARunComesTo) {
  EXPECT_EQ(of_run({kWhole, kWhole}), ExitCode::kOk);
  EXPECT_EQ(of_run({kWhole, kWhole}, true), ExitCode::kInconclusive);
  EXPECT_EQ(of_run({kWhole, ShardState::kMissing}), ExitCode::kInconclusive);
  EXPECT_EQ(of_run({ShardState::kAside, kWhole}), ExitCode::kInconclusive);
  EXPECT_EQ(of_run({ShardState::kDamaged, ShardState::kMissing}), ExitCode::kBadData);
  EXPECT_EQ(of_run({ShardState::kAside, ShardState::kDamaged}, true), ExitCode::kBadData);
}

TEST(Lacking, OfAGateItsRowsCountToo) {
  const auto worse = stats::Verdict::kWorse, same = stats::Verdict::kSame;
  EXPECT_EQ(of_gate({kWhole, kWhole}, same), ExitCode::kOk);
  EXPECT_EQ(of_gate({kWhole, kWhole}, worse), ExitCode::kFailed);
  EXPECT_EQ(of_gate({kWhole, ShardState::kMissing}, same), ExitCode::kInconclusive);
  EXPECT_EQ(of_gate({kWhole, ShardState::kAside}, worse), ExitCode::kFailed);
  EXPECT_EQ(of_gate({kWhole, ShardState::kDamaged}, worse), ExitCode::kBadData);
}

TEST(Lacking, StatesAreCounted) {
  const auto reports = reports_of({kWhole, ShardState::kMissing, kWhole});
  EXPECT_EQ(count_of(reports, kWhole), 2u);
  EXPECT_EQ(count_of(reports, ShardState::kDamaged), 0u);
}

}  // namespace
}  // namespace nsop::shards
