// Heads that are slower in some of their repetitions or processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/gate/session.h"
#include "harness/judge/testing/machine_support.h"

namespace nsop::judge {
namespace {

using stats::Verdict;
using testing::HasSubstr;

// Heads that their fastest repetition doesn't give away: twenty gates of each.
TEST(GateDistribution, AHeadThatIsSlowerNowAndThenIsNeverTheSame) {
  using Behaviour = FakeMachine::Behaviour;
  struct Kind {
    const char* what;
    Behaviour behaviour;
    int found;  // of 20 at least, by the first session; `make judge-eval` counts the power
  };
  const Kind kinds[] = {
      {"most by a fifth", {.repetitions = 10, .slow_repetitions = 0.7, .slow_factor = 1.2}, 20},
      {"half twice as slow", {.repetitions = 10, .slow_repetitions = 0.5, .slow_factor = 2}, 20},
      {"a tenth five times", {.repetitions = 10, .slow_repetitions = 0.1, .slow_factor = 5}, 8},
      {"the first of each", {.repetitions = 10, .slow_factor = 2, .slow_first = 1}, 20},
      {"the first operation", {.repetitions = 10, .first_factor = 2}, 20},
      {"delayed ones, too", {.repetitions = 10, .first_factor = 5, .delayed_firsts = 0.5}, 0},
      {"half of the processes", {.repetitions = 10, .slow_processes = 0.5, .slow_factor = 1.2}, 2},
  };
  for (const Kind& kind : kinds) {
    FakeMachine machine;
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) {
      names.push_back("row" + std::to_string(i));
      machine.rows[names.back()] = kind.behaviour;
    }
    GateOptions options;
    options.budget_s = 0;
    int found = 0;
    for (const GateRowResult& row : gate_of(machine, rows_named(names), options).rows) {
      EXPECT_NE(row.verdict, Verdict::kSame) << kind.what << ": " << row.note;
      EXPECT_NE(row.verdict, Verdict::kBetter) << kind.what << ": " << row.note;
      found += row.first.decision.verdict == Verdict::kWorse;
    }
    EXPECT_GE(found, kind.found) << kind.what;
  }
}

// A machine that delays first operations leaves few rows open that the repetitions decide.
TEST(GateDistribution, DelaysOfBothArmsKeepFewRowsOpen) {
  FakeMachine machine;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) {
    names.push_back("row" + std::to_string(i));
    machine.rows[names.back()] = {.repetitions = 10, .first_factor = 1, .delayed_firsts = 0.5};
  }
  GateOptions options;
  options.budget_s = 0;
  int same = 0;
  for (const GateRowResult& row : gate_of(machine, rows_named(names), options).rows) {
    EXPECT_NE(row.verdict, Verdict::kWorse) << row.note;
    same += row.verdict == Verdict::kSame;
  }
  EXPECT_GE(same, 28) << "of 40";
}

TEST(GateDistribution, WhatIsFoundInTheMeanAloneSaysSo) {
  FakeMachine machine;
  machine.rows = {{"a", {.repetitions = 10, .slow_repetitions = 0.5, .slow_factor = 2}}};
  const GateResult r = gate_of(machine, rows_named({"a"}));
  EXPECT_EQ(r.rows[0].verdict, Verdict::kWorse);
  EXPECT_THAT(r.rows[0].note, HasSubstr("of the mean repetition over the fastest; the fastest"));
  EXPECT_THAT(r.rows[0].note, HasSubstr("second session: +"));
}

}  // namespace
}  // namespace nsop::judge
