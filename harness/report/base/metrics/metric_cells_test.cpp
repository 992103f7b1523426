// Times that metered steps tell have intervals as the times of rows have, on every page.
#include "harness/report/base/metrics/metric_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const RowKey kMeteredLoop{"dqn2048 updates=1 episodes=100", "functional", "x86-64", 1};

// The cell of a metric around 25 us in so many invocations.
Json call_cell(int invocations, double spread = 0.01) {
  FakeRun run("metrics");
  run.time(kMeteredLoop, 4e8, invocations).metric("train_call_ns", 25'000, spread);
  const RunData data = run.data();
  return metric_time_cell(&data.rows.at(0), "train_call_ns");
}

TEST(MetricTimeCell, HasTheMedianAndItsIntervalAsTheTimeOfARow) {
  const Json cell = call_cell(8);
  const double value = cell["value"].get<double>();
  ASSERT_TRUE(cell.contains("interval"));
  EXPECT_LT(cell["interval"][0].get<double>(), value);
  EXPECT_GT(cell["interval"][1].get<double>(), value);
  EXPECT_EQ(cell["text"], "25.0 µs");
  EXPECT_EQ(cell["interval_text"], "[24.8, 25.2]");
  EXPECT_FALSE(cell.contains("doubt"));
}

TEST(MetricTimeCell, BelowSixInvocationsHasTheRangeAndADoubt) {
  const Json cell = call_cell(3);
  EXPECT_EQ(cell["doubt"], true);
  EXPECT_EQ(cell["text"], "25.0 µs ?");
  EXPECT_TRUE(cell.contains("interval_text"));
}

TEST(MetricTimeCell, OfOneInvocationHasADoubtAndNoInterval) {
  const Json cell = call_cell(1);
  EXPECT_EQ(cell["doubt"], true);
  EXPECT_FALSE(cell.contains("interval_text"));
}

TEST(MetricTimeCell, OfEqualValuesNeedsNoTextOfItsInterval) {
  const Json cell = call_cell(8, 0);
  EXPECT_EQ(cell["interval"], Json::array({25'000.0, 25'000.0}));
  EXPECT_FALSE(cell.contains("interval_text"));
}

// Every time of every table has its interval, or a doubt of which the row's notes say why.
void expect_intervals(const Json& report) {
  for (const Json& section : report["sections"]) {
    for (const Json& table : section["tables"]) {
      for (const Json& row : table["rows"]) {
        for (const Json& cell : row["cells"]) {
          if (cell["kind"] != "time") continue;
          EXPECT_TRUE(cell.contains("interval") || cell.contains("doubt"))
              << section["title"] << ' ' << table["title"] << ' ' << row["label"] << ' ' << cell;
        }
      }
    }
  }
}

TEST(Times, HaveIntervalsInTablesOfEveryForm) {
  const std::optional<RunData> none;
  expect_intervals(build_report(before_after_suite(), before_after_run().data(), none));
  expect_intervals(build_report(sweep_suite(), sweep_run().data(), none));
  expect_intervals(build_report(matched_suite(), matched_run().data(), none));
  expect_intervals(build_report(peers_suite(), peers_run().data(), none));
  expect_intervals(build_report(threads_suite(), threads_run().data(), none));
  expect_intervals(build_report(workload_suite(), workload_run().data(), none));
}

TEST(Times, HaveIntervalsInALogOfReleasesThatTellsOfTrainingCalls) {
  std::vector<Release> releases = tracking_releases();
  for (Release& release : releases) {
    for (stats::RowSummary& row : release.data.rows) {
      row.metrics["train_call_ns"] = row.wall_values;
    }
  }
  const Json report =
      build_report(tracking_suite(), releases.back().data, std::nullopt, std::nullopt, releases);
  expect_intervals(report);
  const Json& table = report["sections"][0]["tables"][1];
  ASSERT_EQ(table["title"], "Rates and memory");
  EXPECT_TRUE(cell_of(table, 2, "train_call_ns").contains("interval_text"));
}

}  // namespace
}  // namespace nsop::report
