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
  row.decision = decide_row(of, row, session, options.policy);
  return row;
}

TEST(GateVerdict, ASecondSessionConfirmsWithTheConfidenceOfASecondLook) {
  // 5 % with noise that leaves it open for a first session, and for a control in both.
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

}  // namespace
}  // namespace nsop::judge
