#include "harness/run/invoke.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/run/scratch.h"
#include "harness/run/workers/conformance.h"

namespace nsop::run {
namespace {

using testing::HasSubstr;

// A row of the fake worker, with faults of its own.
class InvokeTest : public testing::Test {
 protected:
  Worker worker(std::vector<std::string> faults = {}) {
    Worker w = open_worker({NSOP_FAKE_WORKER}, "");
    w.timing.command.insert(w.timing.command.end(), faults.begin(), faults.end());
    w.counting = w.timing;
    w.counting.preload = "";
    return w;
  }

  Invocation time(const std::vector<std::string>& faults) {
    const Worker w = worker(faults);
    LoadedFacts facts;
    return time_row(row_, context(w), &facts);
  }

  InvokeContext context(const Worker& w) {
    WorkerClient reference({{NSOP_FAKE_WORKER}, ""}, {}, 1);
    description_ = reference.describe(row_.case_text);
    return {w,
            description_,
            oracle_.get(row_.case_text, kFirstSeed),
            oracle_.get(row_.case_text, kSecondSeed),
            oracle_,
            {},
            scratch_.path(),
            {}};
  }

  ScratchFolder scratch_;
  OracleCache oracle_{{{NSOP_FAKE_WORKER}, ""}, "sha", "", scratch_.path()};
  CaseDescription description_;
  RowKey row_{"double n=5", "fast", "AVX2", 1};
};

TEST_F(InvokeTest, AHealthyRowHasRepetitionsAndPassesAllChecks) {
  const Invocation i = time({});
  EXPECT_EQ(i.status, Status::kOk) << i.reason;
  EXPECT_EQ(i.repetitions.size(), 10u);
  EXPECT_EQ(i.chose, "doubling");
  EXPECT_EQ(i.workspace_bytes, 64);
  EXPECT_EQ(i.first_ns, 1000) << "of a process of its own";
  EXPECT_TRUE(i.check.ok);
  EXPECT_EQ(i.inputs_sha256.size(), 64u);
}

TEST_F(InvokeTest, WhatIsExpectedMayDependOnTheOutputs) {
  EXPECT_EQ(time({"thin"}).status, Status::kWrong);
  row_.case_text = "double n=7";
  EXPECT_EQ(time({}).status, Status::kOk);
  const Invocation thin = time({"thin"});
  EXPECT_EQ(thin.status, Status::kOk) << thin.reason;
  EXPECT_EQ(thin.repetitions.size(), 10u);
  for (const char* fault : {"wrong=first", "wrong=second", "wrong=timed"}) {
    EXPECT_EQ(time({fault}).status, Status::kWrong) << fault;
  }
}

TEST_F(InvokeTest, WrongResultsAreNeverTimed) {
  for (const char* fault : {"wrong=first", "wrong=second", "wrong=timed", "touch=inputs"}) {
    const Invocation i = time({fault});
    EXPECT_EQ(i.status, Status::kWrong) << fault;
    EXPECT_TRUE(i.repetitions.empty()) << fault;
    EXPECT_FALSE(i.reason.empty());
  }
}

TEST_F(InvokeTest, ACrashCostsItsRowAndSaysHowItEnded) {
  for (const char* verb : {"load", "measure", "dump"}) {
    const Invocation i = time({std::string("crash=") + verb});
    EXPECT_EQ(i.status, Status::kError) << verb;
    EXPECT_THAT(i.reason, HasSubstr("signal 11"));
    EXPECT_THAT(i.reason, HasSubstr("about to crash"));
    EXPECT_TRUE(i.repetitions.empty());
  }
}

// 1 TiB of memory, and a reader that waits for ever.
TEST_F(InvokeTest, AnOutputThatCantBeOneCostsItsRowAndIsNotRead) {
  const Invocation huge = time({"huge=output"});
  EXPECT_EQ(huge.status, Status::kError);
  EXPECT_THAT(huge.reason, HasSubstr("output0.npy: has 1099511627776 bytes, at most "));
  const Invocation pipe = time({"pipe=output"});
  EXPECT_EQ(pipe.status, Status::kError);
  EXPECT_THAT(pipe.reason, HasSubstr("output0.npy: is no regular file"));
}

TEST_F(InvokeTest, RubbishIsAnError) {
  const Invocation i = time({"rubbish=measure"});
  EXPECT_EQ(i.status, Status::kError);
  EXPECT_THAT(i.reason, HasSubstr("not the protocol"));
}

TEST_F(InvokeTest, AnswersOfOtherTypesAreErrorsOfTheRowOnly) {
  for (const char* fault : {"mistyped=load", "mistyped=measure", "mistyped=dump", "textid=load"}) {
    const Invocation i = time({fault});
    EXPECT_EQ(i.status, Status::kError) << fault;
    EXPECT_NE(i.reason, "") << fault;
    EXPECT_TRUE(i.repetitions.empty()) << fault;
  }
  const Invocation refused = time({"bad_case=load"});
  EXPECT_EQ(refused.status, Status::kError) << "the reference took the case";
  EXPECT_EQ(refused.reason, "n must be even");
}

// Whatever a worker answers costs its own row: nothing of it may reach the database, whose CHECKs
// would end the run.
TEST_F(InvokeTest, AnswersThatCantBeTrueCostTheirRowAndSayWhy) {
  const std::vector<std::pair<std::string, std::string>> timed = {
      {"/repetitions/3/wall_ns -5", "wall_ns is -5, expected 1 to 2^53"},
      {"/repetitions/0/wall_ns 0", "wall_ns is 0"},
      {"/repetitions/0/iterations 9223372036854775807", "iterations is 9223372036854775807"},
      {"/repetitions/0/iterations 9000000000000000", "9000000000000000 iterations in 1000 ns"},
      {"/repetitions/0/iterations 1.5", "'iterations' has the wrong type"},
      {"/repetitions/0/iterations true", "'iterations' has the wrong type"},
      {"/repetitions/1/minor_faults -1", "minor_faults is -1"},
      {"/repetitions/1/process_cpu_ns -1", "process_cpu_ns is -1"},
      {"/repetitions/9/metrics {\"moves\":1}", "repetitions with different metrics"},
      {"/repetitions/9/metrics {\"moves\":\"1\"}", "'metrics' has the wrong type"},
      {"/repetitions []", "no repetitions"},
      {"/process_age_s -1", "process_age_s is negative"},
  };
  for (const auto& [fault, said] : timed) {
    const Invocation i = time({"set=measure " + fault});
    EXPECT_EQ(i.status, Status::kError) << fault;
    EXPECT_THAT(i.reason, HasSubstr(said)) << fault;
    EXPECT_TRUE(i.repetitions.empty()) << fault;
  }
  const std::vector<std::pair<std::string, std::string>> loaded = {
      {"/step_ns -1", "step_ns is -1"},
      {"/step_ns 9007199254740992", "and load took less"},
      {"/workspace_bytes -64", "workspace_bytes is -64"},
      {"/workspace_bytes 9223372036854775807", "workspace_bytes is 9223372036854775807"},
      {"/outputs [\"/nowhere.npy\"]", "/nowhere.npy: can't be read"},
  };
  for (const auto& [fault, said] : loaded) {
    const Invocation i = time({"set=load " + fault});
    EXPECT_EQ(i.status, Status::kError) << fault;
    EXPECT_THAT(i.reason, HasSubstr(said)) << fault;
  }
  fmt::print("rogue answers: {}\n", timed.size() + loaded.size());
}

TEST_F(InvokeTest, CountsThatCantBeTrueCostTheirRowAndSayWhy) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"/counts/0/allocs -3", "allocs is -3, expected 0 to 2^53"},
      {"/counts/1/bytes 9223372036854775807", "bytes is 9223372036854775807"},
      {"/counts/1/peak_live_bytes -1", "peak_live_bytes is -1"},
      {"/counts/1/iterations 0", "an answer for every iteration count"},
      {"/first/allocs -1", "allocs is -1"},
      {"/counts []", "an answer for every iteration count"},
  };
  for (const auto& [fault, said] : faults) {
    Worker w = worker({"set=allocs " + fault});
    w.counting.preload = "/dev/null";  // present; the fake counts by itself
    LoadedFacts facts;
    const Invocation i = count_row(row_, context(w), &facts);
    EXPECT_EQ(i.status, Status::kError) << fault;
    EXPECT_THAT(i.reason, HasSubstr(said)) << fault;
    EXPECT_FALSE(i.allocs) << fault;
  }
  fmt::print("rogue answers: {}\n", faults.size());
}

TEST_F(InvokeTest, WhatAWorkerSaysIsOnePrintableLine) {
  const Invocation i =
      time({"refuse=load", "set=load /error/message \"a\\u001b[31m\\n::error::b\""});
  EXPECT_EQ(i.status, Status::kUnsupported);
  EXPECT_EQ(i.reason, "a?[31m ::error::b");
}

TEST_F(InvokeTest, RefusalIsUnsupportedWithItsReason) {
  const Invocation i = time({"refuse=load"});
  EXPECT_EQ(i.status, Status::kUnsupported);
  EXPECT_EQ(i.reason, "only on Sundays");
}

TEST_F(InvokeTest, AnotherTargetThanAskedForIsAnError) {
  const Invocation i = time({"target=other"});
  EXPECT_EQ(i.status, Status::kError);
  EXPECT_THAT(i.reason, HasSubstr("asked for target AVX2, it runs on SSE4"));
}

int strays() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream comm(entry.path() / "comm");
    std::string name;
    if (comm >> name && name == "nsop-stray") ++count;
  }
  return count;
}

TEST_F(InvokeTest, WhatAWorkerLeavesInAnotherSessionEndsWithIt) {
  EXPECT_EQ(time({"stray"}).status, Status::kOk);
  EXPECT_EQ(strays(), 0);
}

TEST_F(InvokeTest, OutputWithoutEndHoldsNothingUp) {
  EXPECT_EQ(time({"flood"}).status, Status::kOk);
}

// A worker is built from what a stranger proposes.
TEST_F(InvokeTest, AWorkerSeesNoSecretOfTheEnvironment) {
  for (const char* name : {"GH_TOKEN", "ACTIONS_RUNTIME_URL", "MY_api_key", "NSOP_HARMLESS"}) {
    setenv(name, "x", 1);
  }
  EXPECT_EQ(time({"tell=TOKEN"}).chose, "NSOP_HARMLESS");
}

TEST_F(InvokeTest, ChatterOnStandardOutputDisturbsNothing) {
  EXPECT_EQ(time({"chatter"}).status, Status::kOk);
}

TEST_F(InvokeTest, AnOperationOfSecondsGetsFewerRepetitionsAndSaysSo) {
  const Invocation i = time({"slow"});
  EXPECT_EQ(i.repetitions.size(), 1u);
  EXPECT_THAT(i.warnings, testing::Contains(HasSubstr("by plan: an operation takes over 0.2 s")));
}

// Seconds for what the first invocation has shown already.
TEST_F(InvokeTest, ASlowRowIsTriedOnOtherInputsByItsFirstInvocationOnly) {
  for (const bool first_time : {true, false}) {
    for (const bool slow : {true, false}) {
      std::vector<std::string> faults = {"wrong=second"};
      if (slow) faults.emplace_back("slow");
      const Worker w = worker(faults);
      InvokeContext c = context(w);
      c.first_time = first_time;
      LoadedFacts facts;
      const bool seen = time_row(row_, c, &facts).status == Status::kWrong;
      EXPECT_EQ(seen, first_time || !slow) << first_time << slow;
    }
  }
}

TEST_F(InvokeTest, CountsAreOfTheSteadyStateWithOneTimeOnesApart) {
  Worker w = worker();
  w.counting.preload = "/dev/null";  // present; the fake counts by itself
  LoadedFacts facts;
  const Invocation i = count_row(row_, context(w), &facts);
  ASSERT_TRUE(i.allocs) << i.reason;
  EXPECT_EQ(i.allocs->allocs_per_op, 3);
  EXPECT_EQ(i.allocs->bytes_per_op, 96);
  EXPECT_EQ(i.allocs->one_time_allocs, 2);
  EXPECT_EQ(i.allocs->one_time_bytes, 64);
  EXPECT_TRUE(i.allocs->steady);
}

// On a PATH without valgrind, so that there is a reason in place of the count.
TEST_F(InvokeTest, InstructionsAreCountedWhereTheyAreAskedForAndTheRowRuns) {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", scratch_.path().c_str(), 1);
  const auto count = [&](bool instructions, const std::vector<std::string>& faults,
                         const std::string& preload) {
    Worker w = worker(faults);
    w.counting.preload = preload;
    InvokeContext asked = context(w);
    asked.measure.instructions = instructions;
    LoadedFacts facts;
    return count_row(row_, asked, &facts);
  };
  const Invocation asked = count(true, {}, "/dev/null");
  EXPECT_EQ(asked.status, Status::kOk) << asked.reason;
  EXPECT_TRUE(asked.allocs);
  ASSERT_TRUE(asked.instructions);
  EXPECT_EQ(asked.instructions->reason, "valgrind is not installed");
  EXPECT_FALSE(count(false, {}, "/dev/null").instructions);
  EXPECT_FALSE(count(true, {"crash=allocs"}, "/dev/null").instructions);
  EXPECT_FALSE(count(true, {"wrong=first"}, "/dev/null").instructions);
  EXPECT_FALSE(count(true, {}, "").instructions);
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(InvokeTest, WithoutPreloadAllocationsAreUnsupportedNotZero) {
  LoadedFacts facts;
  const Worker w = worker();
  const Invocation i = count_row(row_, context(w), &facts);
  EXPECT_EQ(i.status, Status::kUnsupported);
  EXPECT_FALSE(i.allocs);
}

TEST_F(InvokeTest, AHangIsATimeout) {
  WorkerClient client({{NSOP_FAKE_WORKER, "hang=hello"}, ""}, {}, 1);
  try {
    client.ask({{"do", "hello"}}, 50);
    FAIL();
  } catch (const WorkerFailure& failure) {
    EXPECT_EQ(failure.status(), Status::kTimeout);
    EXPECT_THAT(failure.what(), HasSubstr("gave no answer"));
  }
}

TEST_F(InvokeTest, ANewerProtocolIsRefused) {
  EXPECT_THROW(open_worker({NSOP_FAKE_WORKER, "newer"}, ""), WorkerFailure);
}

// The database would refuse them, in the middle of a run.
TEST_F(InvokeTest, NamesThatNoDatabaseTakesAreRefusedAtHello) {
  const std::string longest(101, 'x');
  for (const std::string& fault :
       {std::string("/variants/0/name \"\""), "/variants/0/name \"" + longest + "\"",
        std::string("/variants/0/name \"a\\u0000b\""), std::string("/variants/1/op \"a@b\""),
        std::string("/variants/1/targets/0 \"a\\nb\""), std::string("/ops/0/name \"a=b\"")}) {
    EXPECT_THROW(open_worker({NSOP_FAKE_WORKER, "set=hello " + fault}, ""), WorkerFailure) << fault;
  }
  EXPECT_NO_THROW(open_worker({NSOP_FAKE_WORKER, "set=hello /variants/0/name \"1.13.0a0+x\""}, ""));
}

TEST_F(InvokeTest, AMissingWorkerIsAnEnvironmentError) {
  try {
    open_worker({"/nowhere/nsop-worker"}, "");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kEnvironment);
  }
}

TEST_F(InvokeTest, ConformanceFindsWhatIsBroken) {
  const auto check = [&](const std::vector<std::string>& faults) {
    const auto inputs = oracle_.get("double n=5", kFirstSeed).inputs;
    return check_conformance(worker(faults).timing, row_, inputs, scratch_.path());
  };
  EXPECT_THAT(check({}).problems, testing::IsEmpty());
  EXPECT_GE(check({}).checks, 10);
  EXPECT_THAT(check({"target=other"}).problems, testing::SizeIs(1));
  EXPECT_THAT(check({"touch=inputs"}).problems, testing::IsEmpty());  // seen by the runner instead
  EXPECT_THAT(check({"crash=dump"}).problems, testing::Contains(HasSubstr("died")));
  EXPECT_THAT(check({"rubbish=no_such_verb"}).problems,
              testing::Contains(HasSubstr("not the protocol")));
}

}  // namespace
}  // namespace nsop::run
