#include "harness/report/base/head/history_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::Contains;
using testing::HasSubstr;

Json head_with(const std::optional<HistoryStatus>& status) {
  RunData run = before_after_run().data();
  run.history = status;
  return build_report(before_after_suite(), run, std::nullopt)["head"];
}

// The report's first row of ours.
RowKey first_row() {
  const RunData run = before_after_run().data();
  const Suite suite = before_after_suite();
  for (const stats::RowSummary& row : run.rows) {
    if (row.row.variant == suite.after.variant) return row.row;
  }
  throw std::logic_error("the example has no row of ours");
}

TEST(HistoryLine, IsNotThereWhereNobodyAskedTheStore) {
  EXPECT_THAT(head_with(std::nullopt), testing::Not(Contains(HasSubstr("history"))));
}

TEST(HistoryLine, SaysThatTooFewRunsAreNoHistory) {
  EXPECT_THAT(head_with(HistoryStatus{{{first_row(), 1}}, 12, {}}),
              Contains("Status against this machine's history: none. No row has more than 1 "
                       "earlier run, and `nsop check` needs 12."));
}

TEST(HistoryLine, SaysThatNoAlertWaits) {
  EXPECT_THAT(
      head_with(HistoryStatus{{{first_row(), 12}}, 12, {}}),
      Contains(testing::AllOf(HasSubstr("no alert waits for a row of this page. 1 of "),
                              HasSubstr(" has the 12 earlier runs that `nsop check` needs."))));
}

TEST(HistoryLine, NamesTheRowsWithAlertsOfThisPageAlone) {
  judge::Alert alert;
  alert.id = "0123456789ab";
  alert.first_bad = std::string(40, 'b');
  judge::AlertRow slower{first_row(), 1.06, 1.05, 1.07, ""}, crash{first_row(), 1, 1, 1, "crashes"};
  judge::AlertRow other = slower;
  other.row.case_text = "of another page";
  alert.rows = {slower, crash, other};
  const Json head = head_with(HistoryStatus{{}, 12, {alert}});
  EXPECT_THAT(head, Contains(testing::AllOf(
                        HasSubstr("history: alerts wait for 2 rows: "),
                        HasSubstr(" +6.0 % time [+5.0 %, +7.0 %] since bbbbbbbbbbbb (open, alert "
                                  "0123456789ab); "),
                        HasSubstr(" crashes since bbbbbbbbbbbb"))));
}

}  // namespace
}  // namespace nsop::report
