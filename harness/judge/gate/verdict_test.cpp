#include "harness/judge/gate/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "harness/stats/base/distributions.h"

namespace nsop::judge {
namespace {

using stats::Verdict;
using testing::HasSubstr;

// Twenty rounds whose log ratios are evenly spread normal quantiles around ln(ratio), not in order:
// what earlier looks see is spread, too.
SessionRow session_of(double ratio, double sd, int session, bool canary = false,
                      const GateOptions& options = {}) {
  SessionRow row;
  for (int i = 0; i < 20; ++i) {
    const double z = stats::normal_quantile((7 * i % 20 + 0.5) / 20);
    row.rounds.push_back({std::log(ratio) + sd * z, i});
  }
  const GateRow of{{"a", "hwy", "AVX2", 1}, canary};
  row.decision = decide_row(of, row, session, options.policy, {});
  return row;
}

TEST(GateVerdict, ASecondSessionConfirmsWithTheConfidenceOfASecondLook) {
  // 5 % with noise that leaves it inconclusive for a first session, and for a control in both.
  EXPECT_EQ(session_of(1.05, 0.055, 1).decision.verdict, Verdict::kInconclusive);
  EXPECT_EQ(session_of(1.05, 0.055, 2).decision.verdict, Verdict::kWorse);
  EXPECT_EQ(session_of(1.05, 0.055, 2, true).decision.verdict, Verdict::kInconclusive);
  EXPECT_EQ(session_of(1.05, 0.14, 2).decision.verdict, Verdict::kInconclusive);
  EXPECT_EQ(session_of(1.01, 0.055, 2).decision.verdict, Verdict::kInconclusive);
}

// One row that both sessions find, with a second session of some noise, among many that don't move.
GateRowResult among(size_t others, double second_sd, const GateOptions& options = {}) {
  GateResult result;
  result.rows.resize(others + 1);
  for (size_t i = 0; i < result.rows.size(); ++i) {
    result.rows[i].row.key = {"row" + std::to_string(i), "hwy", "AVX2", 1};
    result.rows[i].first = session_of(i == 0 ? 1.05 : 1, i == 0 ? 0.04 : 0.001, 1);
  }
  result.rows[0].second = session_of(1.05, second_sd, 2, false, options);
  EXPECT_EQ(result.rows[0].first.decision.verdict, Verdict::kWorse);
  EXPECT_EQ(result.rows[0].second->decision.verdict, Verdict::kWorse);
  judge_rows(result, options);
  return std::move(result.rows[0]);
}

TEST(GateVerdict, WhatBothSessionsFindStandsAmongManyRows) {
  EXPECT_EQ(among(71, 0.04).verdict, Verdict::kWorse);
  EXPECT_EQ(among(0, 0.055).verdict, Verdict::kWorse);
}

TEST(GateVerdict, AWeakConfirmationIsNoDiscoveryAmongManyRows) {
  const GateRowResult row = among(500, 0.055);
  EXPECT_EQ(row.verdict, Verdict::kInconclusive);
  EXPECT_THAT(row.note, HasSubstr("no discovery among 501 rows"));
}

// With the programs of the first session the second makes its errors again.
TEST(GateVerdict, SessionsThatShareTheirLinkOrdersDoNotMultiply) {
  GateOptions shared;
  set_fresh_layouts(shared, false);
  EXPECT_EQ(session_of(1.05, 0.055, 2, false, shared).decision.verdict, Verdict::kInconclusive);
  EXPECT_EQ(among(0, 0.04, shared).verdict, Verdict::kWorse);
  EXPECT_THAT(among(500, 0.04, shared).note, HasSubstr("no discovery among 501 rows"));
  GateOptions fresh;
  set_fresh_layouts(fresh, true);
  EXPECT_EQ(session_of(1.05, 0.055, 2, false, fresh).decision.verdict, Verdict::kWorse);
  EXPECT_EQ(among(500, 0.04, fresh).verdict, Verdict::kWorse);
}

// A counting invocation with so many allocations of 32 bytes and so many instructions per
// operation.
Invocation counted(double allocs, double instructions) {
  Invocation one;
  one.phase = Phase::kCount;
  one.allocs = AllocCounts{};
  one.allocs->allocs_per_op = allocs;
  one.allocs->bytes_per_op = 32 * allocs;
  one.instructions = InstructionCounts{};
  one.instructions->per_op = instructions;
  return one;
}

GateRowResult row_with(const Invocation& base, const Invocation& head,
                       RowKind kind = RowKind::kBoth) {
  GateRowResult row;
  row.row.kind = kind;
  take_counts(row, base, head);
  return row;
}

TEST(TakeCounts, KeepsWhatEachArmCountedAndComparesAllocations) {
  const GateRowResult more = row_with(counted(1, 100), counted(2, 90));
  EXPECT_EQ(more.base_allocs->allocs_per_op, 1);
  EXPECT_EQ(more.head_allocs->allocs_per_op, 2);
  EXPECT_EQ(more.base_instructions->per_op, 100);
  EXPECT_EQ(more.head_instructions->per_op, 90);
  ASSERT_TRUE(more.allocs && more.bytes);
  EXPECT_EQ(more.allocs->verdict, Verdict::kWorse);
  EXPECT_EQ(more.bytes->verdict, Verdict::kWorse);
  EXPECT_TRUE(allocates_more(more));
  const GateRowResult same = row_with(counted(1, 100), counted(1, 200));
  EXPECT_EQ(same.allocs->verdict, Verdict::kSame) << "instructions are no verdict";
  EXPECT_FALSE(allocates_more(same));
  EXPECT_EQ(row_with(counted(2, 1), counted(1, 1)).allocs->verdict, Verdict::kBetter);
}

TEST(TakeCounts, WhatIsUnknownOrUnsteadyIsNotCompared) {
  Invocation unsteady = counted(2, 100), failed = counted(2, 100);
  unsteady.allocs->steady = false;
  failed.allocs.reset();
  failed.instructions.reset();
  failed.status = Status::kError;
  failed.reason = "died";
  for (const Invocation& head : {unsteady, failed}) {
    for (const GateRowResult& row :
         {row_with(counted(1, 100), head), row_with(head, counted(1, 100))}) {
      EXPECT_FALSE(row.allocs || row.bytes);
      EXPECT_EQ(row.first.reason, "") << "timing it says whether the row fails";
    }
  }
  EXPECT_EQ(row_with(counted(1, 100), unsteady).head_allocs->allocs_per_op, 2);
  EXPECT_FALSE(row_with(counted(1, 100), failed).head_instructions);
}

TEST(TakeCounts, ARowThatIsOnlyCountedFailsHereUnlessItCannotBeCounted) {
  Invocation failed = counted(1, 100);
  failed.status = Status::kError;
  failed.reason = "died";
  failed.allocs.reset();
  const GateRowResult row = row_with(counted(1, 100), failed, RowKind::kIdentical);
  EXPECT_EQ(row.first.base, Status::kOk);
  EXPECT_EQ(row.first.head, Status::kError);
  EXPECT_EQ(row.first.reason, "head: error: died");
  failed.status = Status::kUnsupported;
  EXPECT_EQ(row_with(counted(1, 100), failed, RowKind::kIdentical).first.reason, "");
}

TEST(TakeCounts, OfANewRowTheHeadAloneIsCounted) {
  GateRowResult row;
  row.row.kind = RowKind::kNew;
  take_new_count(row, counted(2, 90));
  EXPECT_EQ(row.head_allocs->allocs_per_op, 2);
  EXPECT_EQ(row.head_instructions->per_op, 90);
  EXPECT_FALSE(row.base_instructions || row.allocs);
  EXPECT_EQ(row.first.base, Status::kUnsupported);
  EXPECT_EQ(row.first.head, Status::kOk);
}

TEST(GateVerdict, OnlyAGateThatJudgedHasAnExitCodeThatSaysSo) {
  EXPECT_EQ(exit_of(GateOutcome::kPassed), ExitCode::kOk);
  EXPECT_EQ(exit_of(GateOutcome::kWorse), ExitCode::kFailed);
  for (const GateOutcome outcome :
       {GateOutcome::kVoid, GateOutcome::kUnjudged, GateOutcome::kInconclusive}) {
    EXPECT_EQ(exit_of(outcome), ExitCode::kInconclusive);
  }
}

TEST(GateVerdict, IsTooNoisyForAControlThatMovedAndForInconclusiveRows) {
  for (const GateOutcome outcome : {GateOutcome::kVoid, GateOutcome::kInconclusive}) {
    EXPECT_TRUE(is_too_noisy(outcome));
  }
  for (const GateOutcome outcome :
       {GateOutcome::kPassed, GateOutcome::kWorse, GateOutcome::kUnjudged}) {
    EXPECT_FALSE(is_too_noisy(outcome));
  }
}

}  // namespace
}  // namespace nsop::judge
