#include "harness/judge/gate/measurer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <stdexcept>

#include "harness/judge/testing/fake_builds_support.h"
#include "harness/run/scratch.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::judge {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class WorkerMeasurerTest : public testing::Test {
 protected:
  WorkerMeasurerTest() {
    run::WorkerClient reference({{NSOP_FAKE_WORKER}, ""}, {}, 1);
    cases_[row_.case_text] = reference.describe(row_.case_text);
  }
  // An arm of the fake worker with these faults in two link orders.
  ArmWorkers arm(const std::string& name, const test::Faults& faults = {}) const {
    Built built;
    built.preload = "/dev/null";
    for (const int layout : {0, 1}) {
      test::Faults own = faults;
      own.push_back(name + std::to_string(layout));  // no fault: each is a build of its own
      built.workers.push_back(programs_.add(name + std::to_string(layout), own));
    }
    return open_arm(built);
  }
  WorkerMeasurer measurer(const ArmWorkers& base, const ArmWorkers& head,
                          bool instructions = false) {
    return {base, head, cases_, oracle_, scratch_.path(), instructions};
  }

  test::ProgramFolder programs_;
  run::ScratchFolder scratch_;
  run::OracleCache oracle_{{{NSOP_FAKE_WORKER}, ""}, "sha", "", scratch_.path()};
  std::map<std::string, run::CaseDescription> cases_;
  RowKey row_{"double n=5", "fast", "AVX2", 1};
};

TEST_F(WorkerMeasurerTest, TimesTheBuildOfTheArmInTheLinkOrder) {
  const ArmWorkers base = arm("base"), head = arm("head", {"slower=50"});
  WorkerMeasurer measurer = this->measurer(base, head);
  for (const int layout : {0, 1}) {
    const Invocation before = measurer.time(row_, Arm::kBase, layout);
    const Invocation after = measurer.time(row_, Arm::kHead, layout);
    EXPECT_EQ(before.build_id, base.layouts[static_cast<size_t>(layout)].build.id);
    EXPECT_EQ(after.build_id, head.layouts[static_cast<size_t>(layout)].build.id);
    for (const Invocation* one : {&before, &after}) {
      EXPECT_EQ(one->status, Status::kOk) << one->reason;
      EXPECT_EQ(one->phase, Phase::kTime);
      EXPECT_EQ(one->row, row_);
      EXPECT_TRUE(one->check.ok);
      ASSERT_EQ(one->repetitions.size(), 10u);
    }
    EXPECT_EQ(before.repetitions[0].wall_ns, 1000);
    EXPECT_EQ(after.repetitions[0].wall_ns, 1500);
  }
}

TEST_F(WorkerMeasurerTest, CountsInTheFirstLinkOrder) {
  const ArmWorkers base = arm("base"), head = arm("head");
  const Invocation counted = measurer(base, head).count(row_, Arm::kHead);
  EXPECT_EQ(counted.status, Status::kOk) << counted.reason;
  EXPECT_EQ(counted.phase, Phase::kCount);
  EXPECT_EQ(counted.build_id, head.layouts[0].build.id);
  ASSERT_TRUE(counted.allocs);
  EXPECT_EQ(counted.allocs->allocs_per_op, 3);
  EXPECT_TRUE(counted.repetitions.empty());
}

TEST_F(WorkerMeasurerTest, WhatARowToldInOneProcessIsToldToTheNextOfItsBuild) {
  const ArmWorkers base = arm("base", {"known_rows"}), head = arm("head", {"known_rows"});
  WorkerMeasurer measurer = this->measurer(base, head);
  EXPECT_EQ(measurer.count(row_, Arm::kBase).chose, "doubling");
  EXPECT_EQ(measurer.time(row_, Arm::kBase, 0).chose, "told doubling");
  EXPECT_EQ(measurer.time(row_, Arm::kBase, 1).chose, "doubling");
  EXPECT_EQ(measurer.time(row_, Arm::kHead, 0).chose, "doubling");
  row_.threads = 2;
  EXPECT_EQ(measurer.time(row_, Arm::kHead, 0).chose, "doubling");
}

TEST_F(WorkerMeasurerTest, AWorkerThatDoesNotAskForItIsToldNothing) {
  const ArmWorkers base = arm("base", {"set=load /repetition_ns 5000"}), head = arm("head");
  WorkerMeasurer measurer = this->measurer(base, head);
  for (const Arm arm : {Arm::kBase, Arm::kBase, Arm::kHead, Arm::kHead}) {
    EXPECT_EQ(measurer.time(row_, arm, 0).chose, "doubling");
  }
}

TEST_F(WorkerMeasurerTest, InstructionsAreCountedWhereTheyAreAskedFor) {
  const ArmWorkers base = arm("base"), head = arm("head");
  row_.threads = 2;  // no simulator is started for those: the reason alone says that it was asked
  EXPECT_FALSE(measurer(base, head).count(row_, Arm::kBase).instructions);
  const Invocation asked = measurer(base, head, true).count(row_, Arm::kBase);
  ASSERT_TRUE(asked.instructions);
  EXPECT_NE(asked.instructions->reason, "");
  EXPECT_TRUE(asked.allocs);
}

TEST_F(WorkerMeasurerTest, AWorkerThatFailsCostsItsOwnInvocationOnly) {
  const ArmWorkers base = arm("base"), head = arm("head", {"crash=measure", "crash=allocs"});
  WorkerMeasurer measurer = this->measurer(base, head);
  const Invocation crashed = measurer.time(row_, Arm::kHead, 0);
  EXPECT_EQ(crashed.status, Status::kError);
  EXPECT_THAT(crashed.reason, HasSubstr("worker died at 'measure'"));
  EXPECT_EQ(measurer.count(row_, Arm::kHead).status, Status::kError);
  EXPECT_EQ(measurer.time(row_, Arm::kBase, 0).status, Status::kOk);
  EXPECT_EQ(measurer.count(row_, Arm::kBase).status, Status::kOk);
}

TEST_F(WorkerMeasurerTest, AReferenceThatFailsIsNoFindingAboutTheBuild) {
  oracle_ = {{{NSOP_FAKE_WORKER, "crash=reference"}, ""}, "sha", "", scratch_.path()};
  const ArmWorkers base = arm("base"), head = arm("head");
  WorkerMeasurer measurer = this->measurer(base, head);
  for (const Invocation& failed :
       {measurer.time(row_, Arm::kHead, 1), measurer.count(row_, Arm::kHead)}) {
    EXPECT_EQ(failed.status, Status::kError);
    EXPECT_THAT(failed.reason, StartsWith("reference: "));
    EXPECT_EQ(failed.row, row_);
    EXPECT_FALSE(failed.id.empty());
    EXPECT_FALSE(failed.at_utc.empty());
    const bool counted = failed.phase == Phase::kCount;
    EXPECT_EQ(failed.build_id, head.layouts[counted ? 0 : 1].build.id);
  }
}

TEST_F(WorkerMeasurerTest, ALinkOrderOrACaseThatNobodyDescribedIsAMistake) {
  const ArmWorkers base = arm("base"), head = arm("head");
  WorkerMeasurer measurer = this->measurer(base, head);
  EXPECT_THROW(measurer.time(row_, Arm::kBase, 2), std::out_of_range);
  row_.case_text = "double n=6";
  EXPECT_THROW(measurer.time(row_, Arm::kBase, 0), std::out_of_range);
}

TEST_F(WorkerMeasurerTest, AnInterruptEndsItBeforeTheNextInvocation) {
  const ArmWorkers base = arm("base"), head = arm("head");
  WorkerMeasurer measurer = this->measurer(base, head);
  run::install_interrupt_handlers();
  raise(SIGTERM);
  EXPECT_THROW(measurer.time(row_, Arm::kBase, 0), run::Interrupted);
  EXPECT_THROW(measurer.count(row_, Arm::kBase), run::Interrupted);
  run::clear_interrupt();
  EXPECT_EQ(measurer.time(row_, Arm::kBase, 0).status, Status::kOk);
}

}  // namespace
}  // namespace nsop::judge
