// Which rounds a gate takes: order, link orders, and how far a budget reaches.
#include <gtest/gtest.h>

#include <set>

#include "harness/judge/gate/measurer.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/testing/machine_support.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

TEST(GateRounds, OrderIsAbbaAndEveryRoundHasAnotherLinkOrder) {
  FakeMachine machine;
  machine.rows = {{"a", {}}};
  gate_of(machine, rows_named({"a"}));
  ASSERT_GE(machine.log.size(), 12u);
  EXPECT_EQ(machine.log[0], "base a 0");
  EXPECT_EQ(machine.log[1], "head a 0");
  EXPECT_EQ(machine.log[2], "head a 1");
  EXPECT_EQ(machine.log[3], "base a 1");
  EXPECT_EQ(machine.log[4], "base a 2");
}

TEST(GateRounds, EveryLinkOrderMeetsBothOrdersOfTheArms) {
  FakeMachine machine;
  machine.rows = {{"a", {.noise = 0.3}}};
  GateOptions options;
  options.layouts = 10;
  options.budget_s = 0;
  gate_of(machine, rows_named({"a"}), options);
  std::set<std::string> first_of_round;
  for (size_t i = 0; i < machine.log.size(); i += 2) first_of_round.insert(machine.log[i]);
  EXPECT_EQ(first_of_round.size(), 20u);  // ten link orders, base first and head first
}

TEST(GateRounds, EveryRoundOfTheOrdinaryLooksIsALinkOrderOfItsOwn) {
  FakeMachine machine;
  machine.rows = {{"a", {.noise = 0.3}}};
  GateOptions options;
  options.budget_s = 0;
  const GateResult result = gate_of(machine, rows_named({"a"}), options);
  std::set<int> orders;
  for (const stats::PairedRound& round : result.rows[0].first.rounds) orders.insert(round.cluster);
  EXPECT_EQ(static_cast<int>(orders.size()), options.policy.looks.back().rounds);
}

TEST(GateRounds, AClockThatJumpsEndsTheBudgetAndDecidesNothing) {
  class Jumping : public FakeMachine {
    double seconds() const override { return log.size() > 30 ? 1e9 : -1e9; }
  } machine;
  machine.rows = {{"noisy", {.noise = 0.2}}};
  const GateResult r = gate_of(machine, rows_named({"noisy"}));
  EXPECT_EQ(r.rows[0].verdict, Verdict::kInconclusive);
  EXPECT_EQ(r.rows[0].first.rounds.size(), 20u);
}

TEST(GateRounds, TheBudgetEndsTheLooksBeyondTheOrdinaryOnes) {
  FakeMachine machine;
  machine.rows = {{"noisy", {.noise = 0.2}}};
  GateOptions options;
  options.budget_s = 0;
  EXPECT_EQ(gate_of(machine, rows_named({"noisy"}), options).rows[0].first.rounds.size(), 20u);
  options.budget_s = 1e9;
  EXPECT_EQ(gate_of(machine, rows_named({"noisy"}), options).rows[0].first.rounds.size(), 160u);
}

TEST(GateRounds, CountingSpendsNoBudget) {
  class SlowToCount : public FakeMachine {
   public:
    Invocation count(const RowKey& row, Arm arm) override {
      counting_s_ += 1000;
      return FakeMachine::count(row, arm);
    }
    double seconds() const override { return FakeMachine::seconds() + counting_s_; }

   private:
    double counting_s_ = 0;
  } machine;
  machine.rows = {{"noisy", {.noise = 0.2}}};
  GateOptions options;
  options.budget_s = 100;
  EXPECT_EQ(gate_of(machine, rows_named({"noisy"}), options).rows[0].first.rounds.size(), 160u);
}

TEST(GateRounds, AFixedNumberIsTakenWhateverIsFoundAndConfirmedByNobody) {
  FakeMachine machine;
  machine.rows = {{"same", {}}, {"worse", {.head_ns = 1100}}, {"noisy", {.noise = 0.2}}};
  GateOptions options;
  options.budget_s = 1e9;
  set_fixed_rounds(options, 8);
  const GateResult r = gate_of(machine, rows_named({"same", "worse", "noisy"}), options);
  for (const GateRowResult& row : r.rows) {
    EXPECT_EQ(row.first.rounds.size(), 8u) << row.row.key.case_text;
    EXPECT_FALSE(row.second) << row.row.key.case_text;
  }
  EXPECT_EQ(r.rows[1].verdict, Verdict::kWorse);
  EXPECT_DOUBLE_EQ(r.rows[1].first.decision.alpha, 3 * 0.01) << "of three statistics";
  EXPECT_EQ(r.rows[2].verdict, Verdict::kInconclusive);
}

TEST(GateRounds, ABudgetPaysForTheNarrowestRowsFirst) {
  FakeMachine machine;  // two invocations of a round take 0.02 s
  machine.rows = {{"wide", {.noise = 2}}, {"middle", {.noise = 0.5}}, {"narrow", {.noise = 0.05}}};
  const std::vector<GateRow> rows = rows_named({"narrow", "wide", "middle"});
  GateOptions options;
  options.layouts = 10;
  options.budget_s = 3 * 20 * 0.02 + 2.5 * 20 * 0.02;  // the ordinary looks, and 20 rounds of two
  GateResult r = gate_of(machine, rows, options);
  EXPECT_EQ(r.rows[0].first.rounds.size(), 80u) << "one row as long as anything is left";
  EXPECT_EQ(r.rows[1].first.rounds.size(), 20u);
  EXPECT_EQ(r.rows[2].first.rounds.size(), 40u);
  FakeMachine again;
  again.rows = machine.rows;
  options.budget_s = 1e9;
  r = gate_of(again, rows, options);
  for (const GateRowResult& row : r.rows) EXPECT_EQ(row.first.rounds.size(), 160u);
}

// Of many machines, those whose first session took more than the ordinary looks to call the row.
TEST(GateRounds, TheSecondSessionGoesAsFarAsTheFirstWhateverIsLeftOfTheBudget) {
  std::vector<GateRow> rows = rows_named({"canary", "a"});
  rows[0].canary = true;
  GateOptions options;
  options.layouts = 10;
  int beyond = 0;
  for (int k = 0; k < 60; ++k) {
    FakeMachine machine;
    machine.rows = {{"canary", {}}, {"a", {.head_ns = 1060, .noise = 0.05}}};
    for (int i = 0; i < k; ++i) machine.time(rows[1].key, Arm::kBase, 0);  // another noise
    options.budget_s = 1.3;  // spent when the first session has decided
    const GateResult r = gate_of(machine, rows, options);
    const SessionRow& first = r.rows[1].first;
    if (first.decision.verdict != Verdict::kWorse || first.rounds.size() <= 20) continue;
    ASSERT_TRUE(r.rows[1].second);
    EXPECT_LE(r.rows[1].second->rounds.size(), first.rounds.size());
    beyond += r.rows[1].second->rounds.size() > 20 && r.seconds > options.budget_s ? 1 : 0;
  }
  EXPECT_GT(beyond, 0);
}

TEST(GateRounds, TheSecondSessionHasLinkOrdersOfItsOwn) {
  const auto orders = [](bool fresh) {
    FakeMachine machine;
    machine.rows = {{"a", {.head_ns = 1100}}};
    GateOptions options;
    options.fresh_layouts = fresh;
    EXPECT_EQ(gate_of(machine, rows_named({"a"}), options).rows[0].verdict, Verdict::kWorse);
    return std::pair{machine.log.at(0), machine.log.at(12)};  // six rounds decide
  };
  EXPECT_EQ(orders(true), std::pair(std::string("base a 0"), std::string("base a 20")));
  EXPECT_EQ(orders(false), std::pair(std::string("base a 0"), std::string("base a 0")));
}

TEST(GateRounds, LinkOrdersAreSharedOutWhereHalfOfThemCanDecide) {
  for (const size_t count : {1, 6, 10, 11}) {
    EXPECT_EQ(share_link_orders(count, true).session, static_cast<int>(count));
    EXPECT_FALSE(share_link_orders(count, true).fresh);
  }
  EXPECT_EQ(share_link_orders(20, true).session, 10);
  EXPECT_TRUE(share_link_orders(20, true).fresh);
  EXPECT_EQ(share_link_orders(20, false).session, 20);
  EXPECT_FALSE(share_link_orders(20, false).fresh);
  EXPECT_EQ(link_orders_to_build(10, true), 20);
  EXPECT_EQ(link_orders_to_build(10, false), 10);
  EXPECT_EQ(link_orders_to_build(1, true), 1);
}

}  // namespace
}  // namespace nsop::judge
