// The tracking log: what is compared with what, and what never is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

Json report_of(const std::vector<Release>& releases) {
  return build_report(tracking_suite(), releases.back().data, std::nullopt, std::nullopt, releases);
}

// The texts of a column, with verdict, of the section's table.
std::vector<std::string> column(const Json& section, const std::string& id) {
  const Json& table = section["tables"][0];
  std::vector<std::string> out;
  for (size_t i = 0; i < table["columns"].size(); ++i) {
    if (table["columns"][i]["id"] != id) continue;
    for (const Json& row : table["rows"]) {
      const Json& cell = row["cells"][i];
      const bool judged = cell.contains("verdict");
      out.push_back(cell["text"].get<std::string>() +
                    (judged ? " " + cell["verdict"].get<std::string>() : ""));
    }
  }
  return out;
}

std::vector<std::string> notes_of(const Json& row) {
  std::vector<std::string> out;
  for (const Json& note : row["notes"]) {
    out.push_back(note["kind"].get<std::string>() + ": " + note["text"].get<std::string>());
  }
  return out;
}

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tracking, EachReleaseIsComparedWithTheFirstAndThePrevious) {
  const Json log = report_of(tracking_releases())["sections"][0];
  EXPECT_EQ(log["title"], "Training, batched");
  EXPECT_THAT(column(log, "release"),
              ElementsAre("v0.1.0", "v0.1.1", "v0.2.0", "v0.2.0", "this run", "this run"));
  EXPECT_THAT(column(log, "first"),
              ElementsAre("first", HasSubstr("18.6 % less time"), HasSubstr("18.3 % less time"),
                          "incomparable", "n/a", HasSubstr("2.00x faster")));
  EXPECT_THAT(column(log, "previous"),
              ElementsAre("first", HasSubstr("18.6 % less time"), HasSubstr("0.4 % more time "),
                          "incomparable", "n/a", HasSubstr("2.00x faster")));
}

TEST(Tracking, AnotherCaseOfTheNameIsIncomparableAndSaysWhy) {
  const Json log = report_of(tracking_releases())["sections"][0];
  EXPECT_THAT(log["notes"], ElementsAre(HasSubstr("is other work than 32 updates")));
  EXPECT_THAT(column(log, "case"), Contains("dqn updates=1 episodes=100").Times(2));
  EXPECT_THAT(notes_of(log["tables"][0]["rows"][3]),
              Contains("incomparable: v0.1.1 measured another case, dqn updates=32 episodes=100"));
}

TEST(Tracking, OtherInputsAreIncomparable) {
  const Json log = report_of(tracking_releases())["sections"][2];
  EXPECT_EQ(log["title"], "Dense Forward");
  EXPECT_THAT(column(log, "first"), ElementsAre("first", HasSubstr("0.5 % more time"),
                                                "incomparable", HasSubstr("49.4 % less time")));
  EXPECT_THAT(column(log, "previous"),
              ElementsAre("first", HasSubstr("0.5 % more time"), "incomparable", "incomparable"));
  EXPECT_THAT(notes_of(log["tables"][0]["rows"][3]),
              Contains("incomparable: v0.2.0 had other inputs"));
  EXPECT_TRUE(column(log, "case").empty());
  EXPECT_TRUE(log["notes"].empty());
}

TEST(Tracking, AnotherHostOrBuildTypeOrTargetIsIncomparable) {
  const auto previous = [](void (*change)(Release&)) {
    std::vector<Release> releases = tracking_releases();
    change(releases[1]);
    const Json log = report_of(releases)["sections"][2];
    EXPECT_EQ(column(log, "previous")[1], "incomparable");
    return notes_of(log["tables"][0]["rows"][1]);
  };
  EXPECT_THAT(previous([](Release& r) { r.data.host.id = std::string(64, '9'); }),
              Contains("incomparable: v0.1.0 was measured on another host"));
  EXPECT_THAT(previous([](Release& r) { r.data.builds[0].build_type = "Debug"; }),
              Contains("incomparable: v0.1.0 is of another build type, Release"));
  EXPECT_THAT(previous([](Release& r) {
                for (stats::RowSummary& row : r.data.rows) row.row.target = "SSE4";
              }),
              Contains("incomparable: v0.1.0 was measured on another target, AVX2"));
}

TEST(Tracking, VariantsOfACaseHaveLogsOfTheirOwn) {
  const Json log = report_of(tracking_releases())["sections"][1];
  EXPECT_EQ(log["title"], "Training, pooled");
  EXPECT_THAT(column(log, "time"),
              ElementsAre("40.0 s", "not measured", "not measured", "not measured"));
}

TEST(Tracking, ALostCaseKeepsItsLine) {
  std::vector<Release> releases = tracking_releases();
  const Json log = report_of(releases)["sections"][0];
  EXPECT_EQ(column(log, "time")[4], "not measured");  // updates=32 in the last run
  releases[1].data.rows.clear();
  const Json without = report_of(releases)["sections"][2];
  EXPECT_THAT(column(without, "time")[1], "not measured");
  EXPECT_EQ(column(without, "previous")[1], "n/a");
}

TEST(Tracking, AReleaseWithoutACaseOfTheLogHasNoLineInIt) {
  const Json log = report_of(tracking_releases())["sections"][3];
  EXPECT_EQ(log["title"], "Softmax Forward");
  EXPECT_THAT(column(log, "release"), ElementsAre("v0.2.0", "this run"));
  EXPECT_THAT(column(log, "time"), ElementsAre("2.50 µs", "not measured"));  // lost since
  EXPECT_EQ(log["plots"][0]["categories"], Json::array({"v0.2.0", "this run"}));
}

TEST(Tracking, ACaseThatNobodyMeasuredIsSaidOfTheRunItself) {
  std::vector<Release> releases = tracking_releases();
  releases[2].data.rows.clear();
  const Json log = report_of(releases)["sections"][3];
  EXPECT_THAT(column(log, "release"), ElementsAre("this run"));
  EXPECT_THAT(column(log, "time"), ElementsAre("not measured"));
}

TEST(Tracking, ChangesStandUnderTheirRelease) {
  const Json report = report_of(tracking_releases());
  ASSERT_EQ(report["sections"].size(), 9U);
  // The day of measuring, which is not the release's.
  EXPECT_EQ(report["sections"][6]["title"], "Changes in v0.1.1, measured 2026-01-02");
  EXPECT_THAT(report["sections"][6]["notes"],
              ElementsAre("Loops unrolled.", "Indices computed once."));
  EXPECT_THAT(report["sections"][7]["notes"], ElementsAre("The changelog says nothing of it."));
  EXPECT_THAT(column(report["sections"][7], "reason"), ElementsAre("batched training"));
}

TEST(Tracking, AColumnOfReasonsIsThereWhereAReleaseHasOne) {
  std::vector<Release> releases = tracking_releases();
  EXPECT_THAT(column(report_of(releases)["sections"][6], "reason"), ElementsAre("-"));
  for (Release& release : releases) release.reason.clear();
  const Json without = report_of(releases)["sections"][6];
  EXPECT_THAT(column(without, "reason"), ElementsAre());
  EXPECT_EQ(column(without, "run").size(), 1U);
}

TEST(Tracking, ASingleRunIsTheFirst) {
  std::vector<Release> releases = {tracking_releases()[0]};
  const Json log = report_of(releases)["sections"][0];
  EXPECT_THAT(column(log, "first"), ElementsAre("first"));
}

TEST(Tracking, AReleaseThatNobodyMeasuredHereSaysHowToAndHasNoLine) {
  std::vector<Release> releases = tracking_releases();
  const Json before = report_of(releases);
  releases.insert(releases.begin() + 1, {"v0.1.0b", "", {}, {"Added: More."}, "abcdef12"});
  const Json report = report_of(releases);
  EXPECT_EQ(report["sections"][0]["tables"], before["sections"][0]["tables"]);
  const Json& changes = report["sections"][report["sections"].size() - 4];
  EXPECT_EQ(changes["title"], "Changes in v0.1.0b, not measured");
  EXPECT_THAT(
      changes["notes"],
      ElementsAre(HasSubstr("`nsop run --suite tracking --revision abcdef12`"), "Added: More."));
  EXPECT_TRUE(changes["tables"].empty());
  EXPECT_THAT(report["headline"].get<std::string>(),
              testing::AllOf(HasSubstr("3 releases from v0.1.0 to v0.2.0 and this run"),
                             HasSubstr("not measured here: v0.1.0b")));
}

TEST(Tracking, OfManyChangesTheFirstOfEachKindAreShown) {
  std::vector<Release> releases = tracking_releases();
  releases[1].changes.assign(40, "Added: it.");
  releases[1].changes.insert(releases[1].changes.end(), {"Changed: it.", "Fixed: it."});
  const Json sections = report_of(releases)["sections"];
  const Json& notes = sections[sections.size() - 3]["notes"];
  ASSERT_EQ(notes.size(), 31U);
  EXPECT_EQ(std::count(notes.begin(), notes.end(), "Added: it."), 28);
  EXPECT_EQ(notes[28], "Changed: it.");
  EXPECT_EQ(notes[29], "Fixed: it.");
  EXPECT_EQ(notes[30], "And 12 more: CHANGELOG.md.");
}

TEST(Tracking, WhatIsBeforeIsTheLastReleaseByName) {
  std::vector<Release> releases = tracking_releases();
  const RunData own = releases.back().data;
  const RunData last = releases[releases.size() - 2].data;
  const std::string name = releases[releases.size() - 2].name;
  const Json report = build_report(tracking_suite(), own, last, std::nullopt, releases);
  EXPECT_EQ(report["previous"]["release"], name);
  EXPECT_THAT(report["head"], testing::Contains(HasSubstr("Against the last release, " + name)));
}

TEST(Tracking, ARunThatIsNotTheLastReleaseIsNotCalledSo) {
  const std::vector<Release> releases = tracking_releases();
  const Json report = build_report(tracking_suite(), releases.back().data, releases[0].data,
                                   std::nullopt, releases);
  EXPECT_FALSE(report["previous"].contains("release"));
  EXPECT_THAT(report["head"], Contains(HasSubstr("Against the previous run (")));
}

TEST(Tracking, SaysWhichRowsAreSlowerThanAtTheReleaseBefore) {
  std::vector<Release> releases = tracking_releases();
  const auto slower = [&] {
    const Json section = report_of(releases)["sections"][4];
    EXPECT_EQ(section["title"], "What is slower, and why");
    return std::vector<std::string>(section["notes"]);
  };
  // The dense layer had other inputs in v0.2.0: only the batched loop is compared.
  EXPECT_THAT(slower(), ElementsAre("No row is slower than at the release before, of 1 row."));
  for (stats::RowSummary& row : releases[2].data.rows) {
    for (double& value : row.verdict_values) value /= 4;
    row.verdict_ns /= 4;
  }
  EXPECT_THAT(slower(), ElementsAre(HasSubstr("Training, batched: 2.00x slower")));
}

TEST(Tracking, ALogOfOneReleaseSaysSo) {
  const Json report = report_of({tracking_releases().back()});
  EXPECT_THAT(report["headline"].get<std::string>(),
              HasSubstr("No release before was measured on this host"));
  EXPECT_THAT(report["head"],
              Contains("No release before was measured on this machine: nothing is compared with "
                       "one."));
}

TEST(Tracking, WhatStepsTellBesideTheirTimeHasATableWhereTheyDo) {
  std::vector<Release> releases = tracking_releases();
  EXPECT_EQ(report_of(releases)["sections"][0]["tables"].size(), 1U);
  for (stats::RowSummary& row : releases[2].data.rows) {
    if (row.row.variant != "batched") continue;
    row.metrics["episodes"] = std::vector<double>(row.wall_values.size(), 100);
  }
  const Json report = report_of(releases);
  const Json& table = report["sections"][0]["tables"][1];
  EXPECT_EQ(table["title"], "Rates and memory");
  std::vector<std::string> ids, rates;
  for (const Json& one : table["columns"]) ids.push_back(one["id"].get<std::string>());
  EXPECT_THAT(ids, ElementsAre("release", "date", "case", "episodes", "peak"));
  for (const Json& row : table["rows"]) rates.push_back(row["cells"][3]["text"].get<std::string>());
  EXPECT_EQ(report["sections"][0]["notes"].back(),
            "Rates and RSS were not told by the programs of v0.1.0, v0.1.1, this run.");
  // 100 episodes in about 24.4 s and 192 ms
  EXPECT_THAT(rates, ElementsAre("n/a", "n/a", HasSubstr("4.09"), HasSubstr("520"), "n/a", "n/a"));
}

}  // namespace
}  // namespace nsop::report
