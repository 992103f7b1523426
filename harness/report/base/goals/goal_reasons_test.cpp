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

Json section_of(const Suite& suite, const std::string& title) {
  const Json report = report_of(suite);
  for (const Json& section : report["sections"]) {
    if (section["title"] == title) return section;
  }
  throw std::runtime_error("no section " + title);
}

Json goals_of(const Suite& suite) { return section_of(suite, "Goals"); }

Json slower_of(const Suite& suite) { return section_of(suite, "What is slower, and why"); }

// The text in the authors' column of every row of a table.
std::vector<std::string> words_of_authors(const Json& table) {
  EXPECT_EQ(table["columns"].back()["label"], "Why, by the authors");
  std::vector<std::string> out;
  for (const Json& row : table["rows"]) out.push_back(row["cells"].back()["text"]);
  return out;
}

TEST(GoalReasons, WhatIsSlowerNamesItsReasonsAndEachIsSaidOnce) {
  const Json slower = slower_of(peers_suite());
  EXPECT_EQ(slower["tables"][0]["title"], "Slower than another library");
  EXPECT_THAT(words_of_authors(slower["tables"][0]),
              ElementsAre("tried wider tiles (1) onednn packs both sides beforehand. (2)"));
  EXPECT_EQ(slower["tables"].size(), 1U);
  const std::vector<std::string> notes = slower["notes"];
  EXPECT_THAT(
      notes,
      ElementsAre("(1) tried wider tiles",
                  "(2) onednn packs both sides beforehand. Tried: larger panels: 2 % slower."));
  const std::vector<std::string> of_goals = goals_of(peers_suite())["notes"];
  EXPECT_EQ(of_goals.size(), 1U);  // nothing is said again
}

TEST(GoalReasons, WhatIsFasterButShortOfAGoalIsListedApart) {
  Suite suite = peers_suite();
  suite.goals = {parse_goal("hwy <= 0.1 x numpy"), parse_goal("hwy@AVX2 <= 0.01 x torch")};
  for (Goal& goal : suite.goals) goal.on = {"add n=1000"};
  const Json slower = slower_of(suite);
  EXPECT_EQ(slower["tables"][1]["title"], "Short of a goal, but not slower by the verdict");
  EXPECT_EQ(slower["tables"][1]["rows"].size(), 2U);  // on one thread and on two
  EXPECT_EQ(slower["tables"][2]["title"], "Goals of other instruction sets and variants");
  EXPECT_EQ(slower["tables"][2]["collapsed"], true);
}

TEST(GoalReasons, WhatOnlyAFoldedTableCitesIsSaidBelowIt) {
  Suite suite = peers_suite();
  suite.goals.push_back(parse_goal("hwy@AVX2 <= 0.01 x hwy"));
  suite.goals.back().on = {"add n=1000"};
  suite.goals.back().note = "half as wide";
  const Json slower = slower_of(suite);
  const Json& folded = slower["tables"].back();
  EXPECT_EQ(folded["title"], "Goals of other instruction sets and variants");
  const std::vector<std::string> below = folded["notes"];
  const auto of_it = testing::HasSubstr("half as wide");
  EXPECT_THAT(below, testing::Contains(of_it));
  const std::vector<std::string> above = slower["notes"];
  EXPECT_THAT(above, testing::Not(testing::Contains(of_it)));
}

TEST(GoalReasons, EveryGoalOnEveryRowIsFoldedAndTheMissedComeFirst) {
  const Json goals = goals_of(peers_suite());
  const Json& all = goals["tables"].back();
  EXPECT_EQ(all["collapsed"], true);
  std::vector<std::string> results;
  for (const Json& row : all["rows"]) results.push_back(row["cells"][0]["text"]);
  ASSERT_EQ(results.size(), 11U);
  results.resize(4);
  EXPECT_THAT(results, ElementsAre("missed", "not judged", "inconclusive", "inconclusive"));
  EXPECT_EQ(words_of_authors(all)[1], "-");
}

TEST(GoalReasons, TotalsAreByNumberOfThreads) {
  const Json totals = goals_of(peers_suite())["tables"][0];
  std::vector<std::string> cells;
  for (const Json& row : totals["rows"]) {
    for (const Json& cell : row["cells"]) cells.push_back(cell["text"]);
  }
  EXPECT_THAT(cells, ElementsAre("1", "5", "1", "1", "1", "0", "2", "2", "0", "1", "0", "0"));
}

TEST(GoalReasons, AMissWithoutOneSaysSoAndIsCounted) {
  Suite suite = peers_suite();
  suite.goals[0].note.clear();
  suite.reasons.clear();
  EXPECT_EQ(words_of_authors(slower_of(suite)["tables"][0])[0], "none given");
  EXPECT_EQ(report_of(suite)["summary"]["goals_unexplained"], 1);
  EXPECT_EQ(report_of(peers_suite())["summary"]["goals_unexplained"], 0);
}

TEST(GoalReasons, OneThatNamesNoGoalSpeaksOfTheRowItself) {
  Suite suite = peers_suite();
  suite.goals.clear();
  suite.reasons = {Reason{
      .on = {"*"}, .goals = {}, .threads = {}, .why = "It waits.", .tried = "", .where = ""}};
  EXPECT_THAT(words_of_authors(slower_of(suite)["tables"][0]), testing::Each("It waits. (1)"));
  suite.reasons[0].threads = {7};
  EXPECT_THAT(words_of_authors(slower_of(suite)["tables"][0]), testing::Each("none given"));
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
