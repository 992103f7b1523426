// With which code run_main() ends a verb: verdicts, signals, and what callers make of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "harness/cli/testing/cli_support.h"
#include "harness/core/io/json.h"
#include "harness/run/workers/interrupt.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::cli {
namespace {

using test::Words;
using testing::HasSubstr;
using testing::StartsWith;

class ExitCodes : public test::NsopTest {};

TEST_F(ExitCodes, AWorseRowEndsADiffWith1AndNothingElseDoes) {
  fill();
  {
    store::Store store(db_);
    ::nsop::Run slow =
        store::test::example_run("33333333-0000-4000-8000-000000000003", "2026-01-03T00:00:00Z");
    slow.plan_json = "";  // as of an imported run
    store.begin_run(slow);
    for (int n = 0; n < 3; ++n) {
      Invocation one = store::test::example_invocation(slow.id, n);
      for (Repetition& r : one.repetitions) {
        r.wall_ns *= 2;
        r.process_cpu_ns *= 2;
        r.thread_cpu_ns *= 2;
      }
      store.append(one);
    }
    store.end_run(slow.id, RunState::kComplete, "2026-01-03T00:10:00Z");
  }
  const test::Ended worse = nsop({"diff", "11111111", "33333333"});
  EXPECT_EQ(worse.code, 1) << worse.out << worse.err;
  EXPECT_THAT(worse.out, HasSubstr("worse"));
  EXPECT_EQ(worse.err, "");
  const test::Ended json = nsop({"diff", "11111111", "33333333", "--json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(Json::parse(json.out)["rows"][0]["verdict"], "worse");
  EXPECT_EQ(nsop({"diff", "11111111", "33333333", "--inconclusive=pass"}).code, 1);
  const test::Ended better = nsop({"diff", "33333333", "11111111"});
  EXPECT_EQ(better.code, 0) << better.out << better.err;
  EXPECT_THAT(better.out, HasSubstr("better"));
}

TEST_F(ExitCodes, AnInconclusiveEndIsWhatTheCallerWants) {
  fill();
  // Where no row is left, nothing is compared.
  const Words diff = {"diff", "11111111", "22222222", "--filter", "none n=1"};
  const auto end = [&](const std::string& how) {
    Words words = diff;
    words.push_back("--inconclusive=" + how);
    return nsop(words).code;
  };
  EXPECT_EQ(nsop(diff).code, 3);
  EXPECT_EQ(end("report"), 3);
  EXPECT_EQ(end("pass"), 0);
  EXPECT_EQ(end("fail"), 1);
}

TEST_F(ExitCodes, ASignalEndsAVerbWith128AndItsNumber) {
  fill();
  const Words history = {"history", "relu pass=forward n=10 range=-3:3", "--host", "host-a"};
  EXPECT_EQ(nsop(history).code, 0);
  run::install_interrupt_handlers();
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    raise(signal);
    const test::Ended ended = nsop(history);
    run::clear_interrupt();
    EXPECT_EQ(ended.code, code);
    EXPECT_EQ(ended.out + ended.err, "");
  }
  // Whatever an inconclusive end is to be: a signal is none.
  raise(SIGINT);
  Words words = history;
  words.emplace_back("--inconclusive=pass");
  EXPECT_EQ(nsop(words).code, 130);
  run::clear_interrupt();
  EXPECT_EQ(nsop(history).code, 0);
}

TEST_F(ExitCodes, AStepOfGitBisectNeverEndsAsBadByMistake) {
  EXPECT_EQ(nsop({"bisect", "--step"}).code, 125);
  EXPECT_EQ(nsop({"bisect", "--step", "--good", "HEAD", "relu n=1"}).code, 125);
}

TEST_F(ExitCodes, WhatGoesWrongInAStepOfGitBisectIsNoVerdictWhateverItIs) {
  const Words step = {"bisect", "relu pass=forward n=1 range=-3:3", "--good", "HEAD", "--step"};
  const test::Ended ended = nsop(step);
  EXPECT_EQ(ended.code, 125);
  EXPECT_THAT(ended.err, StartsWith("nsop: can't judge: " + dir_.file("no-worker")));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  for (const char* how : {"pass", "fail"}) {
    Words words = step;
    words.push_back(std::string("--inconclusive=") + how);
    EXPECT_EQ(nsop(words).code, 125) << how;
  }
  EXPECT_EQ(nsop({"bisect", "relu n=1", "--good", "HEAD"}).code, 5) << "no step";
  EXPECT_EQ(nsop({"bisect", "--step", "--help"}).code, 0);
}

}  // namespace
}  // namespace nsop::cli
