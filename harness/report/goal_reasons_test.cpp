// What the authors of a suite say of rows that miss.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/fixture.h"
#include "harness/report/goals.h"

namespace nsop::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json report_of(const Suite& suite) { return build_report(suite, peers_run().data(), std::nullopt); }

// The text in the authors' column of every row of the table of rows that miss.
std::vector<std::string> words_of_authors(const Suite& suite) {
  std::vector<std::string> out;
  const Json report = report_of(suite);
  for (const Json& section : report["sections"]) {
    if (section["title"] != "Goals") continue;
    EXPECT_EQ(section["tables"][1]["columns"][6]["label"], "Why, by the authors");
    for (const Json& row : section["tables"][1]["rows"]) out.push_back(row["cells"][6]["text"]);
  }
  return out;
}

TEST(GoalReasons, StandBesideTheRowsThatMiss) {
  EXPECT_THAT(words_of_authors(peers_suite()),
              ElementsAre("tried wider tiles",
                          "tried wider tiles onednn packs both sides beforehand. Tried: larger "
                          "panels: 2 % slower.",
                          "-"));
}

TEST(GoalReasons, AMissWithoutOneSaysSoAndIsCounted) {
  Suite suite = peers_suite();
  suite.goals[0].note.clear();
  EXPECT_EQ(words_of_authors(suite)[0], "none given");
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
