#include "harness/run/invoke.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"
#include "harness/run/runner.h"
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
    int64_t step_ns = 0;
    return time_row(row_, context(w), &step_ns);
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
      int64_t step_ns = 0;
      const bool seen = time_row(row_, c, &step_ns).status == Status::kWrong;
      EXPECT_EQ(seen, first_time || !slow) << first_time << slow;
    }
  }
}

TEST_F(InvokeTest, CountsAreOfTheSteadyStateWithOneTimeOnesApart) {
  Worker w = worker();
  w.counting.preload = "/dev/null";  // present; the fake counts by itself
  int64_t step_ns = 0;
  const Invocation i = count_row(row_, context(w), &step_ns);
  ASSERT_TRUE(i.allocs) << i.reason;
  EXPECT_EQ(i.allocs->allocs_per_op, 3);
  EXPECT_EQ(i.allocs->bytes_per_op, 96);
  EXPECT_EQ(i.allocs->one_time_allocs, 2);
  EXPECT_EQ(i.allocs->one_time_bytes, 64);
  EXPECT_TRUE(i.allocs->steady);
}

TEST_F(InvokeTest, WithoutPreloadAllocationsAreUnsupportedNotZero) {
  int64_t step_ns = 0;
  const Worker w = worker();
  const Invocation i = count_row(row_, context(w), &step_ns);
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
