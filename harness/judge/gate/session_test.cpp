#include "harness/judge/gate/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/judge/gate/verdict.h"
#include "harness/judge/testing/machine_support.h"

namespace nsop::judge {
namespace {

using stats::Verdict;
using testing::HasSubstr;

TEST(GateSession, EveryRowGetsItsVerdict) {
  FakeMachine machine;
  machine.rows = {{"same", {}},
                  {"worse", {.head_ns = 1050}},
                  {"better", {.head_ns = 900}},
                  {"noisy", {.noise = 0.2}}};
  const GateResult r = gate_of(machine, rows_named({"same", "worse", "better", "noisy"}));
  EXPECT_EQ(r.rows[0].verdict, Verdict::kSame);
  EXPECT_FALSE(r.rows[0].second);
  EXPECT_EQ(r.rows[1].verdict, Verdict::kWorse);
  ASSERT_TRUE(r.rows[1].second);
  EXPECT_EQ(r.rows[1].second->decision.verdict, Verdict::kWorse);
  EXPECT_EQ(r.rows[1].first.decision.note, "");
  EXPECT_THAT(r.rows[1].note, HasSubstr("second session: +"));
  EXPECT_EQ(r.rows[2].verdict, Verdict::kBetter);
  EXPECT_EQ(r.rows[3].verdict, Verdict::kInconclusive);
  EXPECT_THAT(r.rows[3].note, HasSubstr("would be needed"));
  EXPECT_EQ(r.void_reason, "");
  EXPECT_GT(r.seconds, 0);
}

TEST(GateSession, ProgressSaysWhatIsPlannedUntilTheNextLook) {
  FakeMachine machine;
  machine.rows = {{"same", {}}, {"noisy", {.noise = 0.2}}};
  GateOptions options;
  options.budget_s = 0;
  std::vector<GateProgress> told;
  run_gate(
      rows_named({"same", "noisy"}), options, machine, [](Arm, const Invocation&) {},
      [&](const RowKey&, const GateProgress& at) { told.push_back(at); });
  for (size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].done, static_cast<int64_t>(i) + 1);
    EXPECT_LE(told[i].done, told[i].planned);
  }
  EXPECT_EQ(told[3].session, 0) << "two rows are counted in both arms";
  EXPECT_EQ(told[3].planned, 4);
  EXPECT_EQ(told[4].session, 1);
  EXPECT_EQ(told[4].look, 6);
  EXPECT_EQ(told[4].planned, 4 + 2 * 2 * 6);
  EXPECT_EQ(told.back().look, 20);
  EXPECT_EQ(told.back().done, told.back().planned);
}

TEST(GateSession, LayoutOffsetsAreNoFinding) {
  // Offsets of 3 % per link order: one order alone would look like a change.
  FakeMachine machine;
  machine.rows = {{"a", {.layout_noise = 0.03}}};
  EXPECT_EQ(gate_of(machine, rows_named({"a"})).rows[0].verdict, Verdict::kInconclusive);
}

TEST(GateSession, WhatTheSecondSessionDoesNotConfirmIsInconclusive) {
  FakeMachine machine;
  std::vector<std::string> names;
  // Of 34 rows one takes 6 rounds, the others 10, in 2 arms: 672 calls in the first session.
  for (int i = 0; i < 34; ++i) {
    names.push_back("row" + std::to_string(i));
    machine.rows[names.back()] = {.noise = 0.0005};
  }
  machine.rows["row0"] = {.head_ns = 1060, .noise = 0.0005, .second_call_factor = 1 / 1.06};
  const GateResult r = gate_of(machine, rows_named(names));
  EXPECT_EQ(r.rows[0].verdict, Verdict::kInconclusive);
  EXPECT_THAT(r.rows[0].note, HasSubstr("first session: worse (+6.0 %), not confirmed by the"));
  EXPECT_THAT(r.rows[0].note, HasSubstr("second: same (+0.0 %); a gate of this case alone asks"));
}

// Whatever machine it was: a row that is the same says what it would have shown, one that is
// inconclusive what it would take.
TEST(GateSession, EveryInconclusiveOrUnchangedRowSaysHowMuchIsKnown) {
  for (const double noise : {0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2}) {
    FakeMachine machine;
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i) {
      names.push_back("row" + std::to_string(i));
      const double change = 0.002 * (i % 20 - 10);
      machine.rows[names.back()] = {
          .head_ns = 1000 * (1 + change), .noise = noise, .layout_noise = 0.003};
    }
    for (const GateRowResult& row : gate_of(machine, rows_named(names)).rows) {
      const std::string about = row.row.key.case_text + ": " + row.note;
      if (row.verdict == Verdict::kSame) {
        EXPECT_THAT(row.note, HasSubstr("no change >= ")) << about;
      }
      if (row.verdict == Verdict::kInconclusive) {
        EXPECT_THAT(row.note,
                    testing::AnyOf(HasSubstr("needs about "), HasSubstr(" rounds would be needed"),
                                   HasSubstr("this case alone"), HasSubstr("on one side")))
            << about;
        EXPECT_THAT(row.note, testing::Not(HasSubstr("too few"))) << about;
      }
    }
  }
}

TEST(GateSession, ACanaryThatMovesVoidsTheSession) {
  FakeMachine machine;
  machine.rows = {{"canary", {.layout_noise = 0}}, {"a", {.head_ns = 1100}}};
  std::vector<GateRow> rows = rows_named({"canary", "a"});
  rows[0].canary = true;
  GateResult r = gate_of(machine, rows);
  EXPECT_EQ(r.void_reason, "");
  EXPECT_EQ(r.rows[0].verdict, Verdict::kSame);

  class Drifting : public FakeMachine {
    Invocation time(const RowKey& row, Arm arm, int layout) override {
      Invocation i = FakeMachine::time(row, arm, layout);
      // The second of a round's two invocations is slower: a machine that pays for being busy.
      const bool second = ++n_ % 2 == 0;
      const bool head_second = (n_ - 1) / 2 % 2 == 0;
      if (second == head_second) {
        i.repetitions[0].process_cpu_ns *= 2;
        i.repetitions[0].thread_cpu_ns *= 2;
        i.repetitions[0].wall_ns *= 2;
      }
      return i;
    }
    int n_ = 0;
  } drifting;
  drifting.rows = {{"canary", {}}};
  rows.pop_back();
  r = gate_of(drifting, rows);
  EXPECT_THAT(r.void_reason, HasSubstr("canary"));
  EXPECT_EQ(r.rows[0].verdict, Verdict::kInconclusive);
}

// The arm that plays the head is a tenth slower on the control from some pair of invocations on.
class DriftingLater : public FakeMachine {
 public:
  int from_pair = 0;

  Invocation time(const RowKey& row, Arm arm, int layout) override {
    Invocation i = FakeMachine::time(row, arm, layout);
    if (row.case_text != "canary") return i;
    const int pair = n_ / 2;
    const bool second = n_++ % 2 == 1;
    const bool plays_head = second == (first_arm(pair) == Arm::kBase);
    if (pair < from_pair || !plays_head) return i;
    for (Repetition& r : i.repetitions) {
      r.process_cpu_ns = r.thread_cpu_ns = r.wall_ns = r.wall_ns * 11 / 10;
    }
    return i;
  }

 private:
  int n_ = 0;
};

TEST(GateSession, ACanaryThatMovesInTheSecondSessionVoidsTheGate) {
  std::vector<GateRow> rows = rows_named({"canary", "a"});
  rows[0].canary = true;
  DriftingLater machine;
  machine.rows = {{"canary", {}}, {"a", {.head_ns = 1100}}};
  machine.from_pair = 1000;
  GateResult r = gate_of(machine, rows);
  EXPECT_EQ(r.void_reason, "");
  EXPECT_EQ(outcome_of(r), GateOutcome::kWorse);
  ASSERT_TRUE(r.rows[0].second) << "controls run among what is measured again";
  EXPECT_EQ(r.rows[0].verdict, Verdict::kSame);

  DriftingLater later;
  later.rows = machine.rows;
  later.from_pair = 10;  // the first session calls the control the same after ten rounds
  r = gate_of(later, rows);
  EXPECT_EQ(r.rows[0].first.decision.verdict, Verdict::kSame);
  EXPECT_THAT(r.void_reason, HasSubstr("threads=1 moved in the second session"));
  EXPECT_THAT(r.rows[1].note, HasSubstr("void: measure again"));
  EXPECT_EQ(r.rows[1].verdict, Verdict::kInconclusive);
  EXPECT_EQ(outcome_of(r), GateOutcome::kVoid);
}

TEST(GateSession, ACanaryThatFailsInEitherArmVoidsTheGate) {
  class FailingOnce : public FakeMachine {
   public:
    int at = 0;
    Invocation time(const RowKey& row, Arm arm, int layout) override {
      Invocation i = FakeMachine::time(row, arm, layout);
      if (row.case_text == "canary" && n_++ == at) {
        i.status = Status::kError;
        i.reason = "died";
      }
      return i;
    }

   private:
    int n_ = 0;
  };
  for (const int at : {0, 1, 2, 3}) {  // base, head, head, base
    FailingOnce machine;
    machine.at = at;
    machine.rows = {{"canary", {}}, {"a", {}}};
    std::vector<GateRow> rows = rows_named({"canary", "a"});
    rows[0].canary = true;
    const GateResult r = gate_of(machine, rows);
    EXPECT_THAT(r.void_reason, HasSubstr("failed")) << at;
    EXPECT_THAT(r.void_reason, HasSubstr("error: died")) << at;
    EXPECT_EQ(r.rows[0].verdict, Verdict::kIncomparable) << at;
    EXPECT_EQ(r.rows[1].verdict, Verdict::kInconclusive) << at;
    EXPECT_EQ(outcome_of(r), GateOutcome::kVoid) << at;
  }
}

TEST(GateSession, AHeadThatFailsIsWorseAndNeverGreen) {
  FakeMachine machine;
  machine.rows = {{"dies", {.head_fails_from_round = 0}}, {"later", {.head_fails_from_round = 3}}};
  const GateResult r = gate_of(machine, rows_named({"dies", "later"}));
  EXPECT_EQ(r.rows[0].verdict, Verdict::kWorse);
  EXPECT_EQ(r.rows[1].verdict, Verdict::kWorse);
  EXPECT_THAT(r.rows[1].note, HasSubstr("head: error: died"));
}

TEST(GateSession, ABaseThatFailsLeavesARowUnjudgedAndNothingGreen) {
  FakeMachine machine;
  machine.rows = {{"same", {}},
                  {"same too", {}},
                  {"fixed", {.base_fails_from_round = 2}},
                  {"broken", {.head_fails_from_round = 0, .base_fails_from_round = 0}}};
  GateResult r = gate_of(machine, rows_named({"same", "same too", "fixed"}));
  EXPECT_EQ(r.rows[2].verdict, Verdict::kIncomparable);
  EXPECT_EQ(r.rows[2].note, "base: error: died");
  EXPECT_EQ(outcome_of(r), GateOutcome::kUnjudged);
  r = gate_of(machine, rows_named({"same", "same too", "broken"}));
  EXPECT_EQ(r.rows[2].verdict, Verdict::kIncomparable);
  EXPECT_EQ(r.rows[2].note, "base: error: died; head: error: died");
  EXPECT_EQ(outcome_of(r), GateOutcome::kUnjudged);
}

TEST(GateSession, WhatTheBaseCannotDoAndTheHeadCrashesOnIsWorse) {
  class NoBase : public FakeMachine {
    Invocation time(const RowKey& row, Arm arm, int layout) override {
      Invocation i = FakeMachine::time(row, arm, layout);
      i.status = arm == Arm::kBase ? Status::kUnsupported : Status::kError;
      return i;
    }
  } machine;
  machine.rows = {{"a", {}}};
  EXPECT_EQ(gate_of(machine, rows_named({"a"})).rows[0].verdict, Verdict::kWorse);
}

TEST(GateSession, ANewRowIsRunOnceInTheHead) {
  FakeMachine machine;
  machine.rows = {{"same", {}}, {"new", {.head_allocs = 1}}, {"dies", {.head_cannot_count = true}}};
  std::vector<GateRow> rows = rows_named({"same", "new", "dies"});
  rows[1].kind = rows[2].kind = RowKind::kNew;
  const GateResult r = gate_of(machine, rows);
  EXPECT_EQ(r.rows[1].verdict, Verdict::kNew);
  EXPECT_EQ(r.rows[1].head_allocs->allocs_per_op, 1);
  EXPECT_EQ(r.rows[2].verdict, Verdict::kWorse);
  EXPECT_EQ(r.rows[2].note, "head: error: died");
}

TEST(GateSession, OneMoreAllocationIsWorseWithoutAnyStatistics) {
  FakeMachine machine;
  machine.rows = {{"a", {.head_allocs = 1}}};
  const GateResult r = gate_of(machine, rows_named({"a"}));
  EXPECT_EQ(r.rows[0].verdict, Verdict::kWorse);
  EXPECT_EQ(r.rows[0].first.decision.verdict, Verdict::kSame);
}

TEST(GateSession, OutcomesFollowThePrecedenceOfFailures) {
  FakeMachine machine;
  machine.rows = {{"same", {}}, {"dies", {.head_fails_from_round = 2}}};
  GateResult r = gate_of(machine, rows_named({"same", "dies"}));
  EXPECT_EQ(outcome_of(r), GateOutcome::kWorse);
  r.void_reason = "a control moved";
  EXPECT_EQ(outcome_of(r), GateOutcome::kWorse) << "a crash is no matter of noise";

  machine.rows = {{"same", {}}};
  std::vector<GateRow> rows = rows_named({"same", "gone"});
  rows[1].kind = RowKind::kLost;
  EXPECT_EQ(outcome_of(gate_of(machine, rows)), GateOutcome::kWorse);
  machine.rows["gone"] = {};
  rows[1].kind = RowKind::kNew;
  EXPECT_EQ(outcome_of(gate_of(machine, rows)), GateOutcome::kPassed);

  machine.rows = {{"noisy", {.noise = 0.2}}};
  EXPECT_EQ(outcome_of(gate_of(machine, rows_named({"noisy"}))), GateOutcome::kInconclusive);
}

TEST(GateSession, OnlyRowsThatWereTimedOnBothSidesCountAgainstInconclusiveOnes) {
  FakeMachine machine;
  machine.rows = {{"c1", {}},  {"c2", {}},   {"noisy", {.noise = 0.2}},
                  {"new", {}}, {"copy", {}}, {"also noisy", {.noise = 0.2}},
                  {"same", {}}};
  std::vector<GateRow> rows = rows_named({"c1", "c2", "noisy", "new", "copy"});
  rows[0].canary = rows[1].canary = true;
  rows[3].kind = RowKind::kNew;
  rows[4].kind = RowKind::kIdentical;
  EXPECT_EQ(outcome_of(gate_of(machine, rows)), GateOutcome::kInconclusive);
  rows.push_back(rows_named({"same"})[0]);
  EXPECT_EQ(outcome_of(gate_of(machine, rows)), GateOutcome::kPassed)
      << "half of two rows are inconclusive";
  rows.push_back(rows_named({"also noisy"})[0]);
  EXPECT_EQ(outcome_of(gate_of(machine, rows)), GateOutcome::kInconclusive);
}

TEST(GateSession, IdenticalCodeIsCountedButNotTimed) {
  FakeMachine machine;
  machine.rows = {{"same", {}}, {"allocates", {.head_allocs = 1}}};
  std::vector<GateRow> rows = rows_named({"same", "allocates"});
  for (GateRow& row : rows) {
    row.kind = RowKind::kIdentical;
    row.untimed = "not timed";
  }
  const GateResult r = gate_of(machine, rows);
  EXPECT_TRUE(machine.log.empty());
  EXPECT_EQ(r.rows[0].verdict, Verdict::kSame);
  EXPECT_EQ(r.rows[0].note, "not timed");
  EXPECT_EQ(r.rows[1].verdict, Verdict::kWorse);
  EXPECT_THAT(r.rows[1].note, HasSubstr("more memory"));
}

TEST(GateSession, IdenticalCodeThatCrashesInTheHeadIsNotTheSame) {
  class Crashing : public FakeMachine {
    Invocation count(const RowKey& row, Arm arm) override {
      Invocation i = FakeMachine::count(row, arm);
      if (arm == Arm::kHead) i.status = Status::kError;
      return i;
    }
  } machine;
  machine.rows = {{"a", {}}};
  std::vector<GateRow> rows = rows_named({"a"});
  rows[0].kind = RowKind::kIdentical;
  EXPECT_EQ(gate_of(machine, rows).rows[0].verdict, Verdict::kWorse);
}

// One gate of 1,000 rows that did not change: none is worse or better.
TEST(GateSession, NothingIsFoundWhereNothingChanged) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("row" + std::to_string(i));
  FakeMachine machine;
  for (const std::string& name : names) {
    machine.rows[name] = {.noise = 0.01, .layout_noise = 0.002};
  }
  GateOptions options;
  options.budget_s = 0;
  const GateResult r = gate_of(machine, rows_named(names), options);
  int same = 0;
  for (const GateRowResult& row : r.rows) {
    EXPECT_TRUE(row.verdict == Verdict::kSame || row.verdict == Verdict::kInconclusive);
    same += row.verdict == Verdict::kSame;
  }
  EXPECT_GT(same, 800);
}

}  // namespace
}  // namespace nsop::judge
