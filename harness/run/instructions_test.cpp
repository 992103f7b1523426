#include "harness/run/instructions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "harness/run/scratch.h"
#include "harness/run/workers/oracle_cache.h"

namespace nsop::run {
namespace {

using testing::HasSubstr;

constexpr const char* kFile =
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\nevents: Ir\n"
    "summary: 468\n\nfn=(1) run\n0 468\n\ntotals: 468\n";

TEST(ReadCallgrind, TheTotalAndWhoCounted) {
  const auto total = read_callgrind(kFile);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->creator, "callgrind-3.19.0");
  EXPECT_EQ(total->instructions, 468);
}

TEST(ReadCallgrind, AFileThatIsNotWholeHasNone) {
  const std::string text = kFile;
  EXPECT_FALSE(read_callgrind(""));
  EXPECT_FALSE(read_callgrind("totals: 468\n"));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(read_callgrind(text.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_callgrind(text + "totals: 46x\n"));
  EXPECT_FALSE(read_callgrind(text + "totals: -1\n"));
  EXPECT_FALSE(read_callgrind(text + "totals: 99999999999999999999\n"));
}

RC_GTEST_PROP(ReadCallgrind, AnyTextIsReadOrRefused, (const std::string& noise, size_t at)) {
  std::string text = kFile;
  text.insert(at % text.size(), noise);
  const auto total = read_callgrind(text);
  RC_ASSERT(!total || (total->instructions >= 0 && !total->creator.empty()));
}

// A valgrind of our own on the PATH: it runs the worker, and says that its n-th process executed
// `instructions[n]`, or nothing where there are no more.
class CountInstructions : public testing::Test {
 protected:
  void SetUp() override { path_ = ::getenv("PATH"); }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void install(const std::vector<std::string>& totals) {
    const std::string folder = scratch_.path() + "/bin", file = folder + "/valgrind";
    std::filesystem::create_directories(folder);
    for (size_t i = 0; i < totals.size(); ++i) {
      std::ofstream(fmt::format("{}/total{}", folder, i))
          << "creator: callgrind-1\ntotals: " << totals[i] << '\n';
    }
    std::ofstream(file) << "#!/bin/sh\n"
                           "while case $1 in --callgrind-out-file=*) out=${1#*=} ;; esac\n"
                           "  case $1 in --*) true ;; *) false ;; esac; do shift; done\n"
                           "\"$@\" || exit\n"
                           "n=$(ls \""
                        << folder << "\" | grep -c run)\ntouch \"" << folder << "/run$n\"\n[ -e \""
                        << folder << "/total$n\" ] && cp \"" << folder << "/total$n\" \"$out\"\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder + ":" + path_).c_str(), 1);
  }

  InstructionCounts count(const std::vector<std::string>& faults = {}) {
    Worker worker = open_worker({NSOP_FAKE_WORKER}, "");
    worker.timing.command.insert(worker.timing.command.end(), faults.begin(), faults.end());
    OracleCache oracle({{NSOP_FAKE_WORKER}, ""}, "sha", "", scratch_.path());
    const std::vector<std::string> inputs = oracle.get(row_.case_text, 1).inputs;
    return count_instructions({worker, inputs, {}, scratch_.path()}, {row_, chose_, step_ns_});
  }

  ScratchFolder scratch_;
  std::string path_;
  RowKey row_{"double n=5", "fast", "AVX2", 1};
  std::string chose_ = "doubling";
  int64_t step_ns_ = 1000;
};

TEST_F(CountInstructions, WhatTheFirstOperationDoesOnceIsLeftOut) {
  install({"1468", "2404"});
  const InstructionCounts counts = count();
  EXPECT_EQ(counts.reason, "");
  EXPECT_EQ(counts.per_op, 468);
  EXPECT_EQ(counts.counted_by, "callgrind-1");
  EXPECT_EQ(counts.target, "AVX2");
}

TEST_F(CountInstructions, WithoutValgrindThereIsAReason) {
  ::setenv("PATH", scratch_.path().c_str(), 1);
  EXPECT_THAT(missing_valgrind(), HasSubstr("install the package valgrind"));
  const InstructionCounts counts = count();
  EXPECT_EQ(counts.per_op, 0);
  EXPECT_EQ(counts.reason, "valgrind is not installed");
}

TEST_F(CountInstructions, WhatCallgrindCannotRunIsNotTried) {
  install({});
  row_.threads = 2;
  EXPECT_EQ(count().reason, "counted on one thread only");
  row_.threads = 1;
  step_ns_ = 3'000'000'000;
  EXPECT_THAT(count().reason, HasSubstr("an operation takes 3.0 s"));
  EXPECT_EQ(missing_valgrind(), "");
}

TEST_F(CountInstructions, AWorkerThatFailsUnderCallgrindCostsTheCountOnly) {
  install({"1468", "2404"});
  EXPECT_THAT(count({"crash=load"}).reason, HasSubstr("under callgrind: worker died at 'load'"));
  EXPECT_THAT(count({"refuse=load"}).reason, HasSubstr("under callgrind: "));
  EXPECT_THAT(count({"bad_case=load"}).reason, HasSubstr("under callgrind: n must be even"));
}

TEST_F(CountInstructions, AnotherWayThanOutsideIsNoCount) {
  install({"1468", "2404"});
  chose_ = "adding twice";
  EXPECT_EQ(count().reason, "it runs another way under callgrind: doubling on AVX2");
}

TEST_F(CountInstructions, ATargetThatTheSimulatedProcessorLacksGivesWayToItsBest) {
  install({"1468", "2404"});
  row_.target = "AVX3";
  chose_ = "doubling by sixteen";
  const InstructionCounts counts = count({"lacks=AVX3"});
  EXPECT_EQ(counts.reason, "");
  EXPECT_EQ(counts.per_op, 468);
  EXPECT_EQ(counts.target, "AVX2");
}

TEST_F(CountInstructions, NothingCountedIsSaid) {
  install({});
  EXPECT_EQ(count().reason, "callgrind wrote no count: is the worker a script?");
  install({"", "0"});  // the process before was the first
  EXPECT_THAT(count().reason, HasSubstr("was it stripped?"));
}

TEST_F(CountInstructions, LaterOperationsMustCount) {
  install({"1468", "1468"});
  EXPECT_EQ(count().reason, "later operations count nothing");
}

}  // namespace
}  // namespace nsop::run
