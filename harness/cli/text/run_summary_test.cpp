// What a run ends with on a terminal: every suite, within its lines, and what found no room.
#include "harness/cli/text/run_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/core/text.h"
#include "harness/report/model.h"
#include "harness/report/testing/report_support.h"

namespace nsop::cli {
namespace {

// What is printed of a run and so many suites.
std::vector<std::string> lines_of_suites(const report::FakeRun& run, int suites) {
  std::vector<Json> reports;
  for (int i = 0; i < suites; ++i) {
    Suite suite = report::peers_suite();
    suite.name = fmt::format("suite{:02}", i);
    reports.push_back(report::build_report(suite, run.data(), std::nullopt));
  }
  std::ostringstream out, err;
  Context context{out, err};
  print_suites(context, reports, run.data());
  std::vector<std::string> lines;
  std::istringstream text(out.str());
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// All suites have slower rows; other rows failed for `reasons` reasons.
std::vector<std::string> summary_lines(int suites, int reasons) {
  report::FakeRun run = report::peers_run();
  for (int i = 0; i < reasons; ++i) {
    run.fail({fmt::format("gelu pass=forward n={}", i + 1), "hwy", "AVX2", 1}, Status::kError,
             fmt::format("reason {}", i));
  }
  return lines_of_suites(run, suites);
}

long count_beginning(const std::vector<std::string>& lines, const std::string& begin) {
  return std::count_if(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.starts_with(begin); });
}

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The lines that a report's head has below its headline.
long head_size() {
  const Json report =
      report::build_report(report::peers_suite(), report::peers_run().data(), std::nullopt);
  return static_cast<long>(report["head"].size());
}

// Of those that are no heading, no slower rows and no last line.
long count_head_lines(const std::vector<std::string>& lines) {
  return count_beginning(lines, "  ") - count_beginning(lines, "  slower: ");
}

TEST(RunSummary, OneSuiteShowsItsWholeHead) {
  const std::vector<std::string> lines = summary_lines(1, 0);
  EXPECT_THAT(lines[0], StartsWith("suite00: "));
  EXPECT_GE(head_size(), 3);
  EXPECT_EQ(count_head_lines(lines), head_size());
  EXPECT_THAT(lines[1], StartsWith("  "));
  EXPECT_EQ(count_beginning(lines, "  slower: "), 1);
  EXPECT_THAT(lines, Not(Contains(StartsWith("not shown here"))));
}

TEST(RunSummary, HeadsAreShownWholeWhileThereIsRoom) {
  const std::vector<std::string> lines = summary_lines(8, 1);
  EXPECT_LE(lines.size(), kMostLines);
  EXPECT_EQ(count_beginning(lines, "suite"), 8);
  EXPECT_EQ(count_beginning(lines, "  slower: "), 8);
  const long heads = count_head_lines(lines) / head_size();
  EXPECT_GE(heads, 1);
  EXPECT_EQ(count_head_lines(lines) % head_size(), 0);
  EXPECT_THAT(lines, Contains(fmt::format(
                         "not shown here, but in the reports: the rest of {} heads", 8 - heads)));
}

TEST(RunSummary, AllSuitesOfTheProjectHaveTheirLine) {
  for (const int reasons : {0, 1, 12}) {
    const std::vector<std::string> lines = summary_lines(18, reasons);
    EXPECT_LE(lines.size(), kMostLines);
    EXPECT_EQ(count_beginning(lines, "suite"), 18) << reasons;
    EXPECT_EQ(count_beginning(lines, "  slower: "), 18) << reasons;
    EXPECT_EQ(count_head_lines(lines), 0) << reasons;
    EXPECT_EQ(count_beginning(lines, "reports: "), 1);
  }
}

TEST(RunSummary, SlowerRowsWithoutRoomAreNamedByTheirSuite) {
  const std::vector<std::string> lines = summary_lines(25, 12);
  ASSERT_EQ(lines.size(), kMostLines);
  const long shown = count_beginning(lines, "  slower: ");
  std::vector<std::string> others;
  for (long i = shown; i < 25; ++i) others.push_back(fmt::format("suite{:02}", i));
  ASSERT_FALSE(others.empty());
  EXPECT_THAT(lines, Contains(StartsWith("not shown here, but in the reports: slower rows of " +
                                         join(others, ", "))));
}

TEST(RunSummary, WhatWasNotMeasuredIsOneLineWithTheMostFrequentCausesFirst) {
  report::FakeRun run = report::peers_run();
  const auto fail = [&](int from, int to, Status status, const std::string& reason) {
    for (int i = from; i < to; ++i) {
      run.fail({fmt::format("gelu pass=forward n={}", i), "hwy", "AVX2", 1}, status, reason);
    }
  };
  fail(0, 1, Status::kTimeout, "60 s");
  fail(1, 21, Status::kError, "signal 11");
  fail(21, 51, Status::kUnsupported, "no such library");
  fail(51, 61, Status::kWrong, "y[3]");
  const std::vector<std::string> lines = lines_of_suites(run, 1);
  EXPECT_EQ(count_beginning(lines, "not measured"), 1);
  EXPECT_THAT(lines, Contains(testing::ContainsRegex(
                         "^not measured: [0-9]+ rows: 30 no such library; 20 error: signal 11; 10 "
                         "wrong: y.3.; and [0-9]+ more$")));
}

TEST(RunSummary, ASingleFailureIsNamed) {
  report::FakeRun run("33333333-0000-4000-8000-000000000003");
  run.fail({"gelu pass=forward n=1", "hwy", "AVX2", 1}, Status::kError, "signal 11");
  EXPECT_THAT(lines_of_suites(run, 1),
              Contains(testing::ContainsRegex("^not measured: 1 row: gelu pass=forward n=1.*hwy"
                                              ".*: error: signal 11$")));
}

TEST(RunSummary, SuitesWithoutRoomAreNamed) {
  const std::vector<std::string> lines = summary_lines(60, 12);
  ASSERT_EQ(lines.size(), kMostLines);
  const long shown = count_beginning(lines, "suite");
  EXPECT_LT(shown, 60);
  for (int i = 0; i < 60; ++i) {
    const std::string name = fmt::format("suite{:02}", i);
    EXPECT_THAT(lines, Contains(HasSubstr(name)));
    const bool below = i >= shown;
    EXPECT_EQ(count_beginning(lines, name), below ? 0 : 1) << name;
  }
  EXPECT_THAT(lines, Contains(StartsWith("not shown here, but in the reports: suites ")));
}

TEST(RunSummary, WithRoomForEverySlowerRowNoneIsSaidToBeLeftOut) {
  const std::vector<std::string> lines = summary_lines(18, 0);
  EXPECT_EQ(count_beginning(lines, "  slower: "), 18);
  EXPECT_THAT(lines, Contains("not shown here, but in the reports: the rest of 18 heads"));
}

}  // namespace
}  // namespace nsop::cli
