#include "harness/judge/gate/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/gate/clock_watch.h"
#include "harness/judge/testing/machine_support.h"

namespace nsop::judge {
namespace {

using testing::HasSubstr;

HostProbe probed(FakeMachine::Behaviour behaviour) {
  FakeMachine machine;
  machine.rows = {{"control", behaviour}, {"row", {.noise = 1}}};
  std::vector<GateRow> rows = rows_named({"control", "row"});
  rows[0].canary = true;
  Conditions conditions;
  conditions.steal_percent = 40;  // since boot: says nothing of now
  double read = 0;
  return probe_host(rows, machine, conditions, [&] {
    read += 1000;
    return CpuTicks{read, read / 50};
  });
}

TEST(ProbeTest, ControlsSayHowNoisyTheMachineIs) {
  const HostProbe quiet = probed({});
  EXPECT_FALSE(quiet.noisy);
  EXPECT_GT(quiet.paired_sd, 0);
  EXPECT_LT(quiet.paired_sd, 0.01);
  EXPECT_DOUBLE_EQ(quiet.steal_percent, 2);
  EXPECT_TRUE(quiet.failure.empty());
  EXPECT_TRUE(probed({.noise = 0.2}).noisy);
}

TEST(ProbeTest, ControlsThatFailAreNotQuiet) {
  for (const int from : {0, 1, 5}) {
    const HostProbe failed = probed({.base_fails_from_round = from});
    EXPECT_TRUE(failed.noisy);
    EXPECT_THAT(failed.failure, HasSubstr("the control row control"));
    EXPECT_THAT(failed.failure, HasSubstr("died"));
  }
}

TEST(ClockWatchTest, SaysWhatTheClockOfTheDayDid) {
  EXPECT_EQ(clock_jump_text(100, 100), "");
  EXPECT_EQ(clock_jump_text(100, 104), "");
  EXPECT_THAT(clock_jump_text(100, 40), HasSubstr("the clock went back by 60 s while measuring"));
  EXPECT_THAT(clock_jump_text(100, 3700), HasSubstr("the clock went ahead by 3600 s"));
  EXPECT_EQ(ClockWatch().jump(), "");
}

TEST(ProbeTest, OnlyANoisyMachineIsRefusedAndOnlyIfThatWasAskedFor) {
  HostProbe quiet, noisy;
  noisy.noisy = true;
  EXPECT_EQ(exit_of(noisy, true), ExitCode::kInconclusive);
  EXPECT_EQ(exit_of(noisy, false), ExitCode::kOk);
  EXPECT_EQ(exit_of(quiet, true), ExitCode::kOk);
}

}  // namespace
}  // namespace nsop::judge
