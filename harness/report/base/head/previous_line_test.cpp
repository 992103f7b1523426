#include "harness/report/base/head/previous_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

TEST(PreviousLine, SaysWhatOtherLibrariesTook) {
  const RunData run = peers_run().data();
  RunData previous = run;
  previous.run.id = "77777777-7777-4777-8777-777777777701";
  for (stats::RowSummary& row : previous.rows) row.wall_ns /= 0.88;
  const Json report = build_report(peers_suite(), run, previous);
  EXPECT_THAT(report["head"], testing::Contains(testing::HasSubstr(
                                  "The machine differs: other libraries, which are the same, took "
                                  "12.0 % less time than then")));
  EXPECT_THAT(build_report(peers_suite(), run, run)["head"],
              testing::Contains(testing::HasSubstr("The machine is as fast as then")));
  const Json alone =
      build_report(before_after_suite(), before_after_run().data(), before_after_previous().data());
  EXPECT_THAT(alone["head"], testing::Contains(testing::HasSubstr(
                                 "what a machine 15 % faster or slower doesn't explain")));
}

}  // namespace
}  // namespace nsop::report
