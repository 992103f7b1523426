// What a report must not say for sure: of rows with a wrong or failed peer, of limits that a row
// beats, of doubtful rows in its head, of goals on shortcuts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/base/goals/goals.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const Json& titled(const Json& report, const std::string& title) {
  for (const Json& one : report["sections"]) {
    if (one["title"] == title) return one;
  }
  throw std::runtime_error("no section " + title);
}

std::string footer_item(const Json& report, const std::string& label) {
  for (const Json& item : report["footer"]) {
    if (item["label"] == label) return item["text"];
  }
  return "";
}

// The run in which this peer's rows have no right time; of some that it can't do, it still can't.
RunData with_failed(const std::string& peer, Status status) {
  RunData run = peers_run().data();
  for (stats::RowSummary& row : run.rows) {
    if (row.row.variant != peer || row.status == Status::kUnsupported) continue;
    row.status = status;
    row.reason = "of no use";
  }
  return run;
}

// Whichever peer is wrong or fails: as if it were missing, no figure is the better for it.
TEST(NotJudged, AWrongOrFailedPeerImprovesNothing) {
  Suite suite = peers_suite();
  suite.cases.pop_back();  // softmax, of which numpy is wrong anyhow
  const Json before = build_report(suite, peers_run().data(), std::nullopt);
  const std::vector<std::string> head = before["head"];
  EXPECT_THAT(head, testing::Contains(testing::StartsWith("Median row")));
  for (const std::string name : {"numpy", "torch", "onednn"}) {
    for (const Status status : {Status::kWrong, Status::kTimeout}) {
      const std::string why = name + (status == Status::kWrong ? " wrong" : " failed");
      const Json after = build_report(suite, with_failed(name, status), std::nullopt);
      EXPECT_LE(after["summary"]["goals_met"], before["summary"]["goals_met"]) << why;
      EXPECT_THAT(after["headline"].get<std::string>(), testing::HasSubstr("; " + why + " in "));
      EXPECT_THAT(after["headline"].get<std::string>(), testing::HasSubstr(" not judged of "));
      const std::vector<std::string> lines = after["head"];
      EXPECT_THAT(lines, testing::Not(testing::Contains(testing::StartsWith("Median row"))));
      for (const Json& row : titled(after, "Geometric means")["tables"][0]["rows"]) {
        const bool best = row["label"] == "best peer of each row" && row["threads"] == 1;
        if (best || (row["label"] == name && row["threads"] == 1)) {
          EXPECT_EQ(row["cells"][2]["text"], "not judged: " + why);
        }
      }
    }
  }
}

TEST(NotJudged, ARowWithAWrongPeerIsNotJudgedUnlessItIsSlower) {
  const Json gemm =
      titled(build_report(peers_suite(), with_failed("onednn", Status::kWrong), std::nullopt),
             "Products")["tables"][0];
  EXPECT_EQ(cell_of(gemm, 0, "best_peer")["text"], "numpy");
  EXPECT_EQ(cell_of(gemm, 0, "vs_best_peer")["verdict"], "not judged");
  EXPECT_THAT(gemm["rows"][0]["notes"].dump(),
              testing::HasSubstr(R"("not judged","who":"Ours against it","text":"onednn wrong")"));
  const Json other =
      titled(build_report(peers_suite(), with_failed("numpy", Status::kWrong), std::nullopt),
             "Products")["tables"][0];
  EXPECT_EQ(cell_of(other, 0, "best_peer")["text"], "onednn");
  EXPECT_EQ(cell_of(other, 0, "vs_best_peer")["verdict"], "worse");
}

TEST(NotJudged, TheFooterCountsWrongAndFailedRowsOfPeers) {
  RunData run = with_failed("onednn", Status::kTimeout);
  const Json report = build_report(peers_suite(), run, std::nullopt);
  EXPECT_EQ(report["summary"]["peers_failed"], 2);
  EXPECT_EQ(report["summary"]["peers_wrong"], 1);
  EXPECT_THAT(footer_item(report, "Rows"),
              testing::HasSubstr("of our rows 0 wrong, 0 failed; of the peers' rows 1 wrong, 1 "
                                 "failed"));
}

// A row that beats a limit puts it in doubt for every row under it, and the footer says so once.
TEST(NotJudged, ABeatenLimitGivesNoRowAShareOrAGoal) {
  FakeRun fake = peers_run();
  const auto standing = [](const Json& report, size_t row) {
    const Json& table = titled(report, "Element-wise")["tables"][0];
    return cell_of(table, row, "standing")["text"].get<std::string>();
  };
  const Json before = build_report(peers_suite(), fake.data(), std::nullopt);
  EXPECT_THAT(standing(before, 2), testing::EndsWith(" % of DRAM"));  // one thread
  EXPECT_THAT(footer_item(before, "Limits in doubt"),
              testing::Not(testing::HasSubstr("DRAM triad on 1 thread")));
  const std::string other = "mul n=2000000";  // of no row of the report
  fake.facts(other, {2e6, 0, 24e6, 24e6, 8e6}).time({other, "hwy", "AVX2", 1}, 1'000'000);
  const RunData data = fake.data();
  const Json after = build_report(peers_suite(), data, std::nullopt);
  EXPECT_EQ(standing(after, 2), "limit in doubt");
  EXPECT_THAT(footer_item(after, "Limits in doubt"),
              testing::HasSubstr("DRAM triad on 1 thread (mul n=2000000 of hwy@AVX2 reaches 120 % "
                                 "of it)"));
  EXPECT_THAT(standing(after, 0), testing::EndsWith(" % of L1"));
  EXPECT_EQ(after["summary"]["goals_met"].get<int>() + 1, before["summary"]["goals_met"]);
  const Suite suite = peers_suite();
  const Context context(suite, data, nullptr);
  for (const GoalRow& row : judge_goals(context)) {
    if (row.goal->kind != Goal::Kind::kBandwidth || row.threads != 1) continue;
    EXPECT_EQ(row.result, GoalResult::kInconclusive);
    EXPECT_THAT(row.remark, testing::StartsWith("another row beats the limit of DRAM"));
  }
}

// 480 KiB are more than the L2 of 256 KiB, and less than twice as much.
TEST(NotJudged, ARowBetweenTwoLevelsHasNoShareAndBeatsNothing) {
  FakeRun fake = peers_run();
  const std::string between = "mul n=40960";
  fake.facts(between, {4e4, 0, 491'520, 491'520, 163'840});
  fake.time({between, "hwy", "AVX2", 1}, 491'520.0 / 200);  // L3: 80 GB/s
  Suite suite = peers_suite();
  suite.cases.front().line = between;
  suite.cases.front().threads = {1};
  suite.goals.resize(1);
  suite.goals[0] = parse_goal("bandwidth >= 90 %");
  suite.goals[0].on = {"mul"};
  const RunData data = fake.data();
  const Context context(suite, data, nullptr);
  EXPECT_FALSE(context.is_beaten({Level::kL3, Traffic::kTriad, 1}));
  const GoalRow goal = judge_goals(context).front();
  EXPECT_EQ(goal.result, GoalResult::kInconclusive);
  EXPECT_EQ(goal.remark, "what the row moves lies between L2 and L3");
  const Json report = build_report(suite, data, std::nullopt);
  EXPECT_EQ(cell_of(titled(report, "Element-wise")["tables"][0], 0, "standing")["text"],
            "between L2 and L3");
  EXPECT_THAT(footer_item(report, "Between two levels"), testing::HasSubstr("no share of a limit"));
}

// Both sides of a page's numbers: the rows of its run, and of the run that measured the limits.
TEST(NotJudged, ARowOfTheRunThatMeasuredALimitBeatsItToo) {
  FakeRun other = limits_run();
  const std::string fast = "mul n=2000000", text = "add n=2000000";
  other.facts(fast, {2e6, 0, 24e6, 24e6, 8e6}).time({fast, "hwy", "AVX2", 1}, 1'000'000);
  FakeRun fake("88888888-8888-4888-8888-888888888888");
  for (FakeRun* run : {&other, &fake}) {
    run->facts(text, {2e6, 0, 24e6, 24e6, 8e6}).time({text, "hwy", "AVX2", 1}, 2'000'000);
  }
  const Json report = build_report(peers_suite(), fake.data(), std::nullopt, other.data());
  const std::string doubt = footer_item(report, "Limits in doubt");
  EXPECT_THAT(doubt,
              testing::HasSubstr("(mul n=2000000 of hwy@AVX2 reaches 120 % of it, in the run "
                                 "that measured it)"));
  EXPECT_THAT(doubt, testing::EndsWith(". Measure the suite limits again"));
  const Json own = build_report(peers_suite(), other.data(), std::nullopt);
  EXPECT_THAT(footer_item(own, "Limits in doubt"),
              testing::AllOf(testing::EndsWith(" reaches 120 % of it)"),
                             testing::Not(testing::HasSubstr("again"))));
}

TEST(NotJudged, WhatMovesAsNoPatternDoesPutsNoneInDoubt) {
  const auto of_one_thread = [](double written) {
    FakeRun fake = peers_run();
    const std::string text = "fma n=2000000";
    fake.facts(text, {4e6, 0, 32e6, 32e6, written}).time({text, "hwy", "AVX2", 1}, 1'000'000);
    const RunData data = fake.data();
    const Suite suite = peers_suite();
    return Context(suite, data, nullptr).is_beaten({Level::kDram, Traffic::kTriad, 1});
  };
  EXPECT_TRUE(of_one_thread(32e6 / 3));
  EXPECT_FALSE(of_one_thread(8e6));
}

TEST(NotJudged, OnlyACertainRowThatIsNoShortcutBeatsALimit) {
  const auto beaten = [](const Suite& suite, int invocations, double spread) {
    FakeRun fake = peers_run();
    fake.time({"add n=2000000", "numpy", "2.0", 1}, 1'000'000, invocations, spread);
    const RunData data = fake.data();
    return Context(suite, data, nullptr).is_beaten({Level::kDram, Traffic::kTriad, 1});
  };
  Suite suite = peers_suite();
  EXPECT_TRUE(beaten(suite, 8, 0.01));
  EXPECT_FALSE(beaten(suite, 8, 0.5));   // its interval holds the limit
  EXPECT_FALSE(beaten(suite, 3, 0.01));  // has none
  suite.cases[0].shortcut = "One sum stands for all.";
  EXPECT_FALSE(beaten(suite, 8, 0.01));
}

// A row that is faster for sure, and one that is as fast as numpy: for sure or in doubt.
Json head_with_spread(double spread, int invocations) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.time({"add n=1000", "hwy", "AVX2", 1}, 100).time({"add n=1000", "numpy", "1.0", 1}, 400);
  fake.time({"add n=2000000", "hwy", "AVX2", 1}, 1e5, invocations, spread);
  fake.time({"add n=2000000", "numpy", "1.0", 1}, 1.01e5, invocations, 0.01);
  Suite suite = peers_suite();
  suite.peers = {"numpy"};
  suite.cases.resize(1);
  suite.cases[0].threads = {1};
  return build_report(suite, fake.data(), std::nullopt);
}

TEST(NotJudged, TheHeadMarksWhatTheTablesDoubt) {
  const auto worst = [](const Json& report) {
    for (const std::string line : report["head"]) {
      if (line.starts_with("Median row")) return line.substr(line.find("worst: "));
    }
    return std::string();
  };
  const Json certain = head_with_spread(0.001, 8);
  EXPECT_THAT(worst(certain), testing::Not(testing::HasSubstr("?")));
  const Json few = head_with_spread(0.01, 3);
  const Json& cell = cell_of(titled(few, "Element-wise")["tables"][0], 1, "vs_best_peer");
  ASSERT_EQ(cell["verdict"], "inconclusive");
  ASSERT_THAT(cell["text"].get<std::string>(), testing::EndsWith(" ?"));
  EXPECT_THAT(worst(few),
              testing::HasSubstr("Add n=2000000, " + cell["text"].get<std::string>() + " "));
  EXPECT_THAT(worst(few), testing::EndsWith("numpy (inconclusive)."));
}

// Goals on a shortcut stand apart unless it misses: it meets nothing, and hides no miss.
TEST(NotJudged, AShortcutMeetsNoGoal) {
  Suite suite = peers_suite();
  const auto goals_line = [](const Json& report) {
    for (const std::string line : report["head"]) {
      if (line.starts_with("Goals:")) return line;
    }
    return std::string();
  };
  const Json before = build_report(suite, peers_run().data(), std::nullopt);
  EXPECT_THAT(goals_line(before), testing::Not(testing::HasSubstr("shortcut")));
  suite.cases[0].shortcut = "One sum stands for all.";  // both sizes of add
  const RunData data = peers_run().data();
  const Json after = build_report(suite, data, std::nullopt);
  EXPECT_EQ(goals_line(after),
            "Goals: 1 met, 1 missed, 0 inconclusive, 1 not judged; 4 shortcut rows stand apart.");
  EXPECT_EQ(after["summary"]["goals_met"], 1);
  EXPECT_EQ(after["summary"]["goals_apart"], 8);
  EXPECT_THAT(footer_item(after, "Goals"),
              testing::EndsWith("8 on rows of shortcuts, which stand apart"));
  const Json& tables = titled(after, "Goals")["tables"];
  double met = 0;
  for (size_t i = 0; i < tables[0]["rows"].size(); ++i) {
    met += cell_of(tables[0], i, "met")["value"].get<double>();
  }
  EXPECT_EQ(met, 1);
  EXPECT_THAT(tables.back().dump(), testing::HasSubstr("a shortcut, counted nowhere"));
  suite.cases[1].shortcut = "So here.";  // matmul, which misses one
  EXPECT_EQ(build_report(suite, data, std::nullopt)["summary"]["goals_missed"], 1);
}

}  // namespace
}  // namespace nsop::report
