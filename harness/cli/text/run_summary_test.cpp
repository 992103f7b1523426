// What a run ends with on a terminal: every suite, within its lines, and what found no room.
#include "harness/cli/text/run_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/core/text.h"
#include "harness/report/testing/report_support.h"

namespace nsop::cli {
namespace {

// What is printed of so many suites, all of which have slower rows, and rows that failed for
// `reasons` reasons.
std::vector<std::string> summary_lines(int suites, int reasons) {
  report::FakeRun run = report::peers_run();
  for (int i = 0; i < reasons; ++i) {
    run.fail({fmt::format("gelu pass=forward n={}", i + 1), "hwy", "AVX2", 1}, Status::kError,
             fmt::format("reason {}", i));
  }
  std::vector<Suite> all;
  for (int i = 0; i < suites; ++i) {
    all.push_back(report::peers_suite());
    all.back().name = fmt::format("suite{:02}", i);
  }
  std::ostringstream out, err;
  Context context{out, err};
  print_suites(context, all, run.data(), std::nullopt);
  std::vector<std::string> lines;
  std::istringstream text(out.str());
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

long count_beginning(const std::vector<std::string>& lines, const std::string& begin) {
  return std::count_if(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.starts_with(begin); });
}

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(RunSummary, FewSuitesShowAll) {
  const std::vector<std::string> lines = summary_lines(3, 0);
  EXPECT_EQ(count_beginning(lines, "suite0"), 3);
  EXPECT_EQ(count_beginning(lines, "  slower: "), 3);
  EXPECT_THAT(lines, Not(Contains(StartsWith("not shown here"))));
}

TEST(RunSummary, AllSuitesOfTheProjectHaveTheirLine) {
  for (const int reasons : {0, 1, 12}) {
    const std::vector<std::string> lines = summary_lines(18, reasons);
    EXPECT_LE(lines.size(), kMostLines);
    EXPECT_EQ(count_beginning(lines, "suite"), 18) << reasons;
    EXPECT_GE(count_beginning(lines, "  slower: "), 14) << reasons;
    EXPECT_EQ(count_beginning(lines, "reports: "), 1);
  }
}

TEST(RunSummary, SlowerRowsWithoutRoomAreNamedByTheirSuite) {
  const std::vector<std::string> lines = summary_lines(18, 12);
  ASSERT_EQ(lines.size(), kMostLines);
  const long shown = count_beginning(lines, "  slower: ");
  std::vector<std::string> others;
  for (long i = shown; i < 18; ++i) others.push_back(fmt::format("suite{:02}", i));
  ASSERT_FALSE(others.empty());
  EXPECT_THAT(lines,
              Contains("not shown here, but in the reports: slower rows of " + join(others, ", ")));
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

TEST(RunSummary, WithRoomForEveryLineNothingIsSaidToBeLeftOut) {
  const std::vector<std::string> lines = summary_lines(19, 0);  // 19 pairs and the place of reports
  EXPECT_LE(lines.size(), kMostLines);
  EXPECT_EQ(count_beginning(lines, "suite"), 19);
  const bool whole = count_beginning(lines, "  slower: ") == 19;
  EXPECT_EQ(count_beginning(lines, "not shown here"), whole ? 0 : 1);
}

}  // namespace
}  // namespace nsop::cli
