#include "harness/report/base/cells.h"

#include <gtest/gtest.h>

#include <limits>

namespace nsop::report {
namespace {

stats::RowSummary good_row() {
  stats::RowSummary row;
  row.row = {"relu n=1000", "hwy", "AVX2", 1};
  row.invocations = 8;
  row.repetitions = 80;
  row.wall_ns = 3'809'430;
  row.wall_lo_ns = 3'800'000;
  row.wall_hi_ns = 3'820'000;
  row.allocs = AllocCounts{};
  return row;
}

stats::Comparison comparison(double ratio, double lo, double hi, stats::Verdict verdict) {
  return {ratio, lo, hi, 0.03, true, verdict, "because"};
}

TEST(Cells, TimeOfAGoodRow) {
  const stats::RowSummary row = good_row();
  const Json cell = time_cell(&row);
  EXPECT_EQ(cell["kind"], "time");
  EXPECT_EQ(cell["value"], 3'809'430.0);
  EXPECT_EQ(cell["text"], "3.81 ms");
  EXPECT_EQ(cell["interval"], Json({3'800'000.0, 3'820'000.0}));
  EXPECT_FALSE(cell.contains("doubt"));
  EXPECT_EQ(ns_cell(&row)["text"], "3,809,430");
  EXPECT_EQ(ns_each_cell(&row, 1000)["text"], "3,809");
  EXPECT_EQ(ns_each_cell(&row, 0)["kind"], "missing");
}

TEST(Cells, UnmeasuredAndFailedRowsHaveNoNumber) {
  EXPECT_EQ(time_cell(nullptr)["text"], "not measured");
  EXPECT_TRUE(time_cell(nullptr)["value"].is_null());
  for (const Status status :
       {Status::kWrong, Status::kUnsupported, Status::kError, Status::kTimeout, Status::kLost}) {
    stats::RowSummary row = good_row();
    row.status = status;
    EXPECT_EQ(time_cell(&row)["kind"], "missing");
    EXPECT_EQ(ns_cell(&row)["text"], status_text(status));
  }
}

TEST(Cells, EachReasonForDoubtIsSaid) {
  stats::RowSummary row = good_row();
  EXPECT_TRUE(time_doubts(row).empty());
  row.invocations = 1;
  EXPECT_EQ(time_doubts(row),
            std::vector<std::string>{"only 1 invocation, 6 are needed for an interval"});
  row.invocations = 6;
  row.preempted_share = 1;  // interrupted, but nothing says that time was lost
  EXPECT_TRUE(time_doubts(row).empty());
  row.warnings = {"swapped"};
  EXPECT_EQ(time_doubts(row), std::vector<std::string>{"swapped"});
  EXPECT_EQ(time_cell(&row)["text"], "3.81 ms ?");
  EXPECT_EQ(allocs_cell(&row)["text"], "0");  // the counting pass is another process
}

TEST(Cells, AllocationsThatWereNotCountedAreNotZero) {
  stats::RowSummary row = good_row();
  EXPECT_EQ(allocs_cell(&row)["value"], 0.0);
  row.allocs.reset();
  EXPECT_EQ(allocs_cell(&row)["text"], "n/a");
  EXPECT_EQ(alloc_bytes_cell(&row)["kind"], "missing");
  const stats::RowSummary counted = good_row();
  EXPECT_EQ(reduction_cell(&counted, &row)["text"], "n/a");
  EXPECT_EQ(reduction_cell(&counted, &counted)["text"], "none to reduce");
  EXPECT_EQ(reduction_cell(nullptr, &counted)["kind"], "missing");
}

TEST(Cells, UnsteadyAllocationsAreDoubtful) {
  stats::RowSummary row = good_row();
  row.allocs->allocs_per_op = 2.5;
  row.allocs->steady = false;
  EXPECT_EQ(allocs_cell(&row)["text"], "2.50 ?");
  stats::RowSummary before = good_row();
  before.allocs->allocs_per_op = 5;
  const Json reduction = reduction_cell(&before, &row);
  EXPECT_EQ(reduction["text"], "50.0 % ?");
  EXPECT_EQ(reduction["value"], 0.5);
}

TEST(Cells, RatioTurnsTheComparisonIntoASpeed) {
  const Json faster = ratio_cell(comparison(0.25, 0.2, 0.5, stats::Verdict::kBetter));
  EXPECT_EQ(faster["value"], 4.0);
  EXPECT_EQ(faster["text"], "4.00x faster");
  EXPECT_EQ(faster["interval"], Json({2.0, 5.0}));
  EXPECT_EQ(faster["interval_text"], "[2.00, 5.00]");
  EXPECT_EQ(faster["verdict"], "better");
  const Json slower = ratio_cell(comparison(4, 2, 5, stats::Verdict::kWorse));
  EXPECT_EQ(slower["text"], "4.00x slower");
  EXPECT_EQ(slower["interval_text"], "[2.00, 5.00]");
}

TEST(Cells, RatioWithoutAnInterval) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Json cell = ratio_cell(comparison(0.5, 0, kInfinity, stats::Verdict::kInconclusive));
  EXPECT_EQ(cell["text"], "2.00x faster");
  EXPECT_FALSE(cell.contains("interval"));
  EXPECT_EQ(cell["note"], "because");
}

TEST(Cells, IncomparableRowsHaveNoRatio) {
  const Json cell = ratio_cell(comparison(0.5, 0.4, 0.6, stats::Verdict::kIncomparable));
  EXPECT_EQ(cell["kind"], "verdict");
  EXPECT_EQ(cell["text"], "incomparable");
}

}  // namespace
}  // namespace nsop::report
