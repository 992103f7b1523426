// What the authors of a suite say of rows that miss.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/base/goals/goals.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json report_of(const Suite& suite) { return build_report(suite, peers_run().data(), std::nullopt); }

Json goals_of(const Suite& suite) {
  const Json report = report_of(suite);
  for (const Json& section : report["sections"]) {
    if (section["title"] == "Goals") return section;
  }
  throw std::runtime_error("no goals");
}

// The text in the authors' column of every row of a table.
std::vector<std::string> words_of_authors(const Json& table) {
  EXPECT_EQ(table["columns"][6]["label"], "Why, by the authors");
  std::vector<std::string> out;
  for (const Json& row : table["rows"]) out.push_back(row["cells"][6]["text"]);
  return out;
}

TEST(GoalReasons, RowsThatMissNameTheirNumbersAndEachIsSaidOnce) {
  const Json goals = goals_of(peers_suite());
  EXPECT_EQ(goals["tables"][1]["title"], "Rows that miss a goal");
  EXPECT_THAT(words_of_authors(goals["tables"][1]), ElementsAre("(1)", "(1), (2)"));
  const std::vector<std::string> notes = goals["notes"];
  EXPECT_THAT(
      std::vector(notes.begin() + 1, notes.end()),
      ElementsAre("(1) tried wider tiles",
                  "(2) onednn packs both sides beforehand. Tried: larger panels: 2 % slower."));
}

TEST(GoalReasons, EveryGoalOnEveryRowIsFoldedAndTheMissedComeFirst) {
  const Json goals = goals_of(peers_suite());
  const Json& all = goals["tables"].back();
  EXPECT_EQ(all["collapsed"], true);
  std::vector<std::string> results;
  for (const Json& row : all["rows"]) results.push_back(row["cells"][0]["text"]);
  ASSERT_EQ(results.size(), 11U);
  results.resize(4);
  EXPECT_THAT(results, ElementsAre("missed", "missed", "undecided", "undecided"));
  EXPECT_EQ(words_of_authors(all)[2], "-");
}

TEST(GoalReasons, TotalsAreByNumberOfThreads) {
  const Json totals = goals_of(peers_suite())["tables"][0];
  std::vector<std::string> cells;
  for (const Json& row : totals["rows"]) {
    for (const Json& cell : row["cells"]) cells.push_back(cell["text"]);
  }
  EXPECT_THAT(cells, ElementsAre("1", "5", "2", "1", "0", "0", "2", "2", "0", "1", "0", "0"));
}

TEST(GoalReasons, AMissWithoutOneSaysSoAndIsCounted) {
  Suite suite = peers_suite();
  suite.goals[0].note.clear();
  EXPECT_EQ(words_of_authors(goals_of(suite)["tables"][1])[0], "none given");
  EXPECT_EQ(report_of(suite)["summary"]["goals_unexplained"], 1);
  EXPECT_EQ(report_of(peers_suite())["summary"]["goals_unexplained"], 0);
}

TEST(GoalReasons, OneWhoseRowsAllMeetTheirGoalsIsOutdated) {
  Suite suite = peers_suite();
  EXPECT_THAT(report_of(suite)["outdated_reasons"], ElementsAre("add n=1000"));
  suite.reasons.pop_back();
  EXPECT_THAT(report_of(suite)["outdated_reasons"], IsEmpty());
  suite.reasons[0].goals = {"hwy <= 2.0 x numpy"};  // matmul meets that one
  EXPECT_THAT(report_of(suite)["outdated_reasons"], ElementsAre("matmul (hwy <= 2.0 x numpy)"));
}

TEST(GoalReasons, WhatARunDidNotMeasureMakesNoneOutdated) {
  RunData run = peers_run().data();
  run.planned = {{"softmax pass=forward n=32x128 axis=1", 1}};
  const Json report = build_report(peers_suite(), run, std::nullopt);
  EXPECT_THAT(report["outdated_reasons"], IsEmpty());
}

}  // namespace
}  // namespace nsop::report
