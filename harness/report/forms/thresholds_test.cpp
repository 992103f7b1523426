#include "harness/report/forms/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const Json& threshold(const Json& report, const std::string& name) {
  for (const Json& one : report["thresholds"]) {
    if (one["name"] == name) return one;
  }
  throw std::runtime_error("no threshold " + name);
}

TEST(Thresholds, AreTheLargestCrossingSharedOutToTheThreads) {
  const Json report = build_report(threads_suite(), threads_run().data(), std::nullopt);
  const Json& found = threshold(report, "kArithmeticElements");
  EXPECT_EQ(found["crossings"][0]["work"], 8192);  // relu: 4096 still loses
  EXPECT_EQ(found["crossings"][1]["work"], 4096);  // add
  EXPECT_EQ(found["per_thread"], 4096);            // half of relu's
  EXPECT_EQ(found["threads"], 2);
}

TEST(Thresholds, ASeriesThatWinsNowhereStaysOnOneThreadForTwiceWhatWasMeasured) {
  const Json report = build_report(threads_suite(), threads_run().data(), std::nullopt);
  const Json& found = threshold(report, "kProductMacs");
  EXPECT_TRUE(found["crossings"][0]["work"].is_null());
  EXPECT_EQ(found["crossings"][0]["measured_to"], 4096);
  EXPECT_EQ(found["per_thread"], 4096);
}

// What the kernels do with the numbers: they share out from threads x per_thread on.
RC_GTEST_PROP(Thresholds, NoMeasuredSizeThatIsSharedOutLoses, ()) {
  const auto gains = *rc::gen::container<std::vector<double>>(
      12, rc::gen::map(rc::gen::inRange(40, 180), [](int percent) { return percent / 100.0; }));
  const RunData run = threads_run_with(gains).data();
  const Suite suite = threads_suite();
  const Context context(suite, run, nullptr);
  for (const FoundThreshold& found : find_thresholds(context)) {
    if (!found.per_thread) continue;
    const double least = found.threads * static_cast<double>(*found.per_thread);
    for (const SharedSeries& series : found.series) {
      for (const SharedCase& one : series.cases) {
        if (!usable(one.alone) || !usable(one.shared) || one.work < least) continue;
        RC_ASSERT(context.paired(*one.alone, *one.shared).ratio <= 1);
      }
    }
  }
}

TEST(Thresholds, NothingIsFoundInARunOfOneThread) {
  Suite suite = threads_suite();
  for (SuiteCase& c : suite.cases) c.threads = {1};
  const Json report = build_report(suite, threads_run().data(), std::nullopt);
  for (const Json& one : report["thresholds"]) EXPECT_TRUE(one["per_thread"].is_null());
}

TEST(Thresholds, EachHasASectionWithItsRowsAndAPlot) {
  const Json report = build_report(threads_suite(), threads_run().data(), std::nullopt);
  std::vector<std::string> titles;
  for (const Json& section : report["sections"]) titles.push_back(section["title"]);
  EXPECT_THAT(titles, testing::ElementsAre("Thresholds", "Fork and join", "kArithmeticElements",
                                           "kProductMacs"));
  const Json& rows = report["sections"][2]["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0]["cells"][5]["text"], "worse");
  EXPECT_EQ(rows[0]["cells"][6]["text"], "one thread");
  EXPECT_EQ(rows[2]["cells"][5]["text"], "better");
  EXPECT_EQ(rows[2]["cells"][6]["text"], "shared");
  EXPECT_EQ(report["sections"][2]["plots"].size(), 1U);
}

TEST(Thresholds, EachTableStandsBesideThePreviousRun) {
  const RunData run = threads_run().data();
  const Json report = build_report(threads_suite(), run, run);
  for (const size_t section : {1U, 2U, 3U}) {
    const Json& columns = report["sections"][section]["tables"][0]["columns"];
    EXPECT_EQ(columns.back()["label"], "vs previous run") << section;
    EXPECT_LE(columns.size(), 8U);
  }
  const Json& same = cell_of(report["sections"][2]["tables"][0], 0, "previous");
  EXPECT_TRUE(same.contains("verdict") && same.contains("interval"));
  EXPECT_FALSE(same.contains("interval_text")) << "of hundreds of rows, too long for the page";
}

TEST(Thresholds, WorkIsWhatTheUnitSays) {
  const Suite suite = threads_suite();
  const RunData run = threads_run().data();
  const Context context(suite, run, nullptr);
  EXPECT_EQ(work_of(context, "add n=3x5", "elements"), 15);
  EXPECT_EQ(work_of(context, "maxpool2d pass=forward in=2x3x4x5 k=2 s=2 p=0", "elements"), 120);
  EXPECT_EQ(work_of(context, "matmul m=16 n=16 k=16 trans=nn", "macs"), 4096);
  EXPECT_EQ(work_of(context, "matmul m=1 n=1 k=1 trans=nn", "macs"), 0);  // not in the run
}

}  // namespace
}  // namespace nsop::report
