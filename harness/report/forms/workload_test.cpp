// The form `workload`: what metered steps tell becomes rates, costs per call and a verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const std::string kOneUpdate = "dqn2048 updates=1 episodes=100";
const std::string kManyUpdates = "dqn2048 updates=32 episodes=100";

Json cell(const Json& report, size_t table, size_t row, const std::string& id) {
  return cell_of(report["sections"][0]["tables"][table], row, id);
}

enum Table { kSpeed, kMemory, kSteady, kPhases };

class Workload : public testing::Test {
 protected:
  Json report_ = build_report(workload_suite(), workload_run().data(), std::nullopt);
};

TEST_F(Workload, ARowPerCaseAndVariantThatCanDoIt) {
  EXPECT_EQ(report_["sections"][0]["tables"][kSpeed]["rows"].size(), 3U);
  EXPECT_EQ(cell(report_, kMemory, 2, "case")["text"], kManyUpdates);
  EXPECT_EQ(cell(report_, kSpeed, 2, "speedup")["text"], "baseline");
  const Json& bars = report_["sections"][0]["plots"][0];
  EXPECT_EQ(bars["categories"].size(), 1U);  // the case that both can do
}

TEST_F(Workload, CountsBecomeRates) {
  const Json episodes = cell(report_, kSpeed, 1, "episodes");
  EXPECT_NEAR(episodes["value"].get<double>(), 100 / 4e6, 1e-7);
  EXPECT_EQ(episodes["unit"], "episodes/s");
  EXPECT_NEAR(cell(report_, kSpeed, 0, "moves")["value"].get<double>(), 12000 / 4e8, 1e-7);
  EXPECT_THAT(cell(report_, kSpeed, 1, "speedup")["text"].get<std::string>(),
              testing::HasSubstr("x faster"));
}

TEST_F(Workload, AllocationsAreGivenPerTrainingCall) {
  EXPECT_EQ(cell(report_, kMemory, 0, "allocs")["text"], "700");
  EXPECT_EQ(cell(report_, kMemory, 0, "bytes")["text"], "4,096");
  EXPECT_EQ(cell(report_, kMemory, 0, "peak")["text"], "3 KiB");
  EXPECT_EQ(cell(report_, kMemory, 0, "rss")["text"], "48 MiB");
}

TEST_F(Workload, APoolIsShownWhereARowTellsOfOne) {
  EXPECT_EQ(cell(report_, kMemory, 0, "pool")["text"], "90.0 % (100)");
  EXPECT_EQ(cell(report_, kMemory, 0, "retained")["text"], "2 KiB");
  EXPECT_EQ(cell(report_, kMemory, 1, "pool")["text"], "-");
  FakeRun run("no pool");
  run.time({kOneUpdate, "functional", "x86-64", 1}, 4e8);
  const Json report = build_report(workload_suite(), run.data(), std::nullopt);
  EXPECT_THROW(cell(report, kMemory, 0, "pool"), std::runtime_error);
}

TEST_F(Workload, PhasesAreSharesOfTheTime) {
  const Json& table = report_["sections"][0]["tables"][kPhases];
  EXPECT_EQ(table["title"], "Where the time goes");
  ASSERT_EQ(table["rows"].size(), 1U);  // the others tell none
  EXPECT_NEAR(cell(report_, kPhases, 0, "phase_play_ns")["value"].get<double>(), 0.25, 0.01);
  EXPECT_NEAR(cell(report_, kPhases, 0, "phase_forward_ns")["value"].get<double>(), 0.125, 0.01);
  EXPECT_NEAR(cell(report_, kPhases, 0, "other")["value"].get<double>(), 0.5, 0.02);
  double sum = 0;
  for (const char* id : {"phase_play_ns", "phase_forward_ns", "phase_backward_ns", "other"}) {
    sum += cell(report_, kPhases, 0, id)["value"].get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(table["columns"].size(), 6U);  // nobody samples or updates
  for (const Json& one : table["rows"][0]["cells"]) EXPECT_FALSE(one.contains("verdict"));
}

// A call that costs six times as much at the end is seen, one that swings by 4 % is not accused.
TEST_F(Workload, GrowthIsAVerdict) {
  EXPECT_NE(cell(report_, kSteady, 0, "growth")["verdict"], "worse");
  const Json grown = cell(report_, kSteady, 1, "growth");
  EXPECT_EQ(grown["verdict"], "worse");
  EXPECT_NEAR(grown["value"].get<double>(), 1 / 6.0, 0.01);
}

TEST_F(Workload, APeerThatASectionLeavesOutHasNoColumnThere) {
  Suite suite = workload_suite();
  suite.peers = {"torch"};
  suite.cases[1].section = "other";
  suite.cases[1].without = {{"torch", "best"}};
  const Json report = build_report(suite, workload_run().data(), std::nullopt);
  std::vector<bool> has_column;
  for (const Json& section : report["sections"]) {
    if (section["title"] == "" || section["title"] == "other") {
      has_column.push_back(section.dump().find("vs torch") != std::string::npos);
    }
  }
  EXPECT_THAT(has_column, testing::ElementsAre(true, false));
}

TEST_F(Workload, WithoutMetricsNothingIsGuessed) {
  FakeRun run("plain");
  run.time({kOneUpdate, "functional", "x86-64", 1}, 4e8);
  const Json report = build_report(workload_suite(), run.data(), std::nullopt);
  EXPECT_EQ(cell(report, kSpeed, 0, "call")["text"], "n/a");
  EXPECT_EQ(cell(report, kMemory, 0, "rss")["text"], "unknown");
  EXPECT_THROW(cell(report, kSpeed, 0, "episodes"), std::runtime_error);  // nobody plays: no column
  EXPECT_THROW(cell(report, kSpeed, 0, "moves"), std::runtime_error);
  EXPECT_EQ(cell(report, kSteady, 0, "growth")["text"], "n/a");
}

TEST_F(Workload, NoMemoryInRamIsUnknown) {
  FakeRun run("proc is not mounted");
  run.time({kOneUpdate, "functional", "x86-64", 1}, 4e8).metric("peak_rss_bytes", 0, 0);
  const Json report = build_report(workload_suite(), run.data(), std::nullopt);
  EXPECT_EQ(cell(report, kMemory, 0, "rss")["text"], "unknown");
}

}  // namespace
}  // namespace nsop::report
