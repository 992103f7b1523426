#include "harness/judge/evaluation/recordings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/identity.h"

namespace nsop::judge {
namespace {

using testing::HasSubstr;

class RecordingTest : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    write_file_atomically(path_, text, Durability::kScratch);
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ =
      std::filesystem::temp_directory_path() / ("nsop-recording-" + new_uuid() + ".csv");
};

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return error.what();
  }
  return "no error";
}

TEST_F(RecordingTest, GateRoundsPairTheShortestRepetitions) {
  const GateCases cases =
      read_gate_recording(write("case_id,round,slot,arm,rep,wall_ns,cpu_ns,nivcsw\n"
                                "c,0,0,base,0,9,4,0\nc,0,0,base,1,9,2,0\nc,0,1,head,0,9,3,0\n"
                                "c,1,0,head,0,9,5,0\n"));
  const auto rounds = paired_rounds(cases.at("c"));
  ASSERT_EQ(rounds.size(), 1u);  // round 1 has no base
  EXPECT_DOUBLE_EQ(rounds[0].log_ratio, std::log(1.5));
}

TEST_F(RecordingTest, CasesMayBeToldByDesignBlockAndKernel) {
  const GateCases cases =
      read_gate_recording(write("design,block,round,arm,kernel,cpu_ns\n"
                                "inter,0,0,a,gemm,10\ninter,0,0,b,gemm,11\n"));
  EXPECT_DOUBLE_EQ(paired_rounds(cases.at("inter/0/gemm")).at(0).log_ratio, std::log(1.1));
}

TEST_F(RecordingTest, RoundsOfOneLinkOrderAreOneCluster) {
  const GateCases cases =
      read_gate_recording(write("case_id,round,layout,arm,cpu_ns\nc,0,4,base,1\nc,0,4,head,1\n"
                                "c,1,4,base,1\nc,1,4,head,1\n"));
  const auto rounds = paired_rounds(cases.at("c"));
  ASSERT_EQ(rounds.size(), 2u);
  EXPECT_EQ(rounds[0].cluster, 4);
  EXPECT_EQ(rounds[1].cluster, 4);
}

TEST_F(RecordingTest, OtherArmsOfARecordingAreOtherExperiments) {
  const std::string head = "design,block,round,arm,kernel,cpu_ns\n";
  const GateCases cases = read_gate_recording(
      write(head + "inter,0,0,a,gemm,10\ninter,0,0,b,gemm,11\nlayout,0,0,p7,gemm,9\n"));
  EXPECT_EQ(cases.size(), 1u);
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head + "layout,0,0,p7,gemm,9\n")); }),
              HasSubstr("no line of arm base or head"));
}

TEST_F(RecordingTest, BadFilesAreNamedWithTheirLine) {
  EXPECT_THAT(message_of([&] { read_gate_recording(write("")); }), HasSubstr("is empty"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write("case_id,round,arm\n")); }),
              HasSubstr(":1: no column cpu_ns"));
  const std::string head = "case_id,round,arm,cpu_ns\n";
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head + "c,0,base\n")); }),
              HasSubstr(":2: 3 fields, expected 4"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head + "c,0,base,x\n")); }),
              HasSubstr(":2: 'x' is no number"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head + "c,0,base,0\n")); }),
              HasSubstr("expected a positive number"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head)); }), HasSubstr("but no rows"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head + "c,0,bass,1\n")); }),
              HasSubstr(":2: 'bass' is no arm"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head + "c,0.5,base,1\n")); }),
              HasSubstr(":2: 0.5 is no whole number"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write(head + "c,1e300,base,1\n")); }),
              HasSubstr("is no whole number"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write("cpu_ns,round,cpu_ns\n")); }),
              HasSubstr("two columns cpu_ns"));
  EXPECT_THAT(message_of([&] { read_gate_recording(write("\x1f\x8b,b\n")); }),
              HasSubstr("gunzip it first"));
}

TEST_F(RecordingTest, ANightIsTheMedianOfItsRepetitions) {
  const Histories histories =
      read_history_recording(write("series_id,idx,host,ns_per_op\n"
                                   "s,1,h,30\ns,0,h,10\ns,0,h,20\ns,0,h,90\n"));
  ASSERT_EQ(histories.at("s").size(), 2u);
  EXPECT_EQ(histories.at("s")[0].value, 20);
  EXPECT_EQ(histories.at("s")[1].value, 30);
}

TEST(Replay, AStepIsToldOnceAndNotBeforeItHappens) {
  std::vector<stats::HistoryPoint> points;
  for (int i = 0; i < 120; ++i) {
    points.push_back({(i % 2 == 0 ? 100.0 : 100.4) * (i < 80 ? 1.0 : 1.1), "h"});
  }
  const std::vector<ReplayAlert> alerts = replay("s", points, {.tripwire = true}, {});
  ASSERT_FALSE(alerts.empty());
  EXPECT_TRUE(alerts[0].tripwire);  // the same night
  EXPECT_EQ(alerts[0].night, 80u);
  EXPECT_NEAR(alerts[0].ratio, 1.1, 0.005);
  std::vector<ReplayAlert> levels;
  std::copy_if(alerts.begin(), alerts.end(), std::back_inserter(levels),
               [](const ReplayAlert& a) { return !a.tripwire; });
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].index, 80u);
  EXPECT_GE(levels[0].night, 83u);
  EXPECT_LE(levels[0].night, 90u);
}

}  // namespace
}  // namespace nsop::judge
