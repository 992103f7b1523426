#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "harness/report/base/goals/goals.h"
#include "harness/report/forms/forms.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

Json peers_report() { return build_report(peers_suite(), peers_run().data(), std::nullopt); }

const Json& section(const Json& report, const std::string& title) {
  for (const Json& one : report["sections"]) {
    if (one["title"] == title) return one;
  }
  throw std::runtime_error("no section " + title);
}

TEST(PeersReport, EachRowHasItsRateBoundAndShareOfTheLimit) {
  const Json report = peers_report();
  const Json& adds = section(report, "Element-wise")["tables"][0];
  EXPECT_EQ(cell_of(adds, 0, "bound")["text"], "L1");    // 12 KB
  EXPECT_EQ(cell_of(adds, 2, "bound")["text"], "DRAM");  // 12 MB
  EXPECT_NEAR(cell_of(adds, 0, "rate")["value"].get<double>(), 12e3 / 55, 3);
  EXPECT_EQ(cell_of(adds, 0, "rate")["unit"], "GB/s");
  EXPECT_NEAR(cell_of(adds, 0, "limit")["value"].get<double>(), 50.0 / 55, 0.02);
  const Json& gemm = section(report, "Products")["tables"][0];
  EXPECT_EQ(cell_of(gemm, 0, "bound")["text"], "compute");
  EXPECT_EQ(cell_of(gemm, 0, "rate")["unit"], "GFLOP/s");
}

TEST(PeersReport, TheBestPeerIsThePlainOneWithTheLowestTime) {
  const Json report = peers_report();
  const Json& gemm = section(report, "Products")["tables"][0];
  EXPECT_EQ(cell_of(gemm, 0, "best_peer")["text"], "onednn");  // onednn_blocked is faster
  EXPECT_LT(cell_of(gemm, 0, "vs_best_peer")["value"].get<double>(), 1);
  EXPECT_EQ(cell_of(gemm, 1, "best_peer")["text"], "torch");  // numpy is wrong
  const Json& each = section(report, "Products")["tables"][1];
  EXPECT_EQ(each["title"], "Against each peer");
  EXPECT_EQ(cell_of(each, 0, "vs_onednn_blocked")["kind"], "ratio");
  EXPECT_EQ(each["columns"].back()["label"], "hwy vs onednn_blocked (library layout)");
}

TEST(PeersReport, WrongPeersAreShownAndOnesThatCanDoNothingHaveTheirReasonOnly) {
  const Json report = peers_report();
  const Json& times = section(report, "Products")["tables"][2];
  EXPECT_EQ(cell_of(times, 1, "time_numpy")["text"], "wrong");
  EXPECT_EQ(cell_of(times, 1, "time_onednn")["text"], "not measured");
  const Json& adds = section(report, "Element-wise");
  EXPECT_EQ(adds["tables"][2]["title"], "Times of the peers");
  EXPECT_THAT(adds["tables"][2]["columns"].dump(), testing::Not(testing::HasSubstr("time_onednn")));
  EXPECT_THAT(adds["tables"][0]["rows"][0]["notes"].dump(),
              testing::HasSubstr("onednn has no op add"));
  EXPECT_EQ(report["summary"]["wrong"], 0);  // of ours
  EXPECT_EQ(report["summary"]["peers_failed"], 1);
}

TEST(PeersReport, AVariantLeftOutOfACaseHasNoRow) {
  Suite suite = peers_suite();
  suite.also = {Selector::parse("elementwise")};
  const auto rows_of = [&] {
    return section(build_report(suite, peers_run().data(), std::nullopt),
                   "Products")["tables"][0]["rows"];
  };
  EXPECT_EQ(rows_of().size(), 4U);  // of softmax it was to be measured, and wasn't
  for (SuiteCase& one : suite.cases) one.without = suite.also;
  EXPECT_EQ(rows_of().size(), 2U);
}

// Its target says nothing: a peer that lacks the op has none.
TEST(PeersReport, VersionsAreThoseOfRowsWithATime) {
  RunData data = peers_run().data();
  for (stats::RowSummary& row : data.rows) {
    if (row.status != Status::kOk) row.row.target = "none";
  }
  const Json report = build_report(peers_suite(), data, std::nullopt);
  EXPECT_THAT(report["dispatched"].dump(), testing::Not(testing::HasSubstr("none")));
  EXPECT_THAT(report["dispatched"].dump(), testing::HasSubstr("onednn"));
}

TEST(PeersReport, WhatCantBeDoneIsNoMeasurement) {
  const Json report = peers_report();
  const Json& details = section(report, "Element-wise")["tables"].back();
  EXPECT_EQ(details["collapsed"], true);
  EXPECT_THAT(details.dump(), testing::Not(testing::HasSubstr("onednn")));
  const Json& add = section(report, "Element-wise")["tables"][0]["rows"][0];
  EXPECT_THAT(add["repro"].dump(), testing::Not(testing::HasSubstr("onednn")));
  EXPECT_THAT(add["repro"].dump(), testing::HasSubstr("numpy"));
  EXPECT_EQ(cell_of(details, 0, "faults")["text"], "0");
  EXPECT_EQ(cell_of(details, 0, "allocs")["text"], "n/a");
}

TEST(PeersReport, MeansAreOverRowsThatBothHave) {
  const Json report = peers_report();
  const Json& table = section(report, "Geometric means")["tables"][0];
  const auto row_of = [&](const std::string& label, int threads) {
    for (size_t i = 0; i < table["rows"].size(); ++i) {
      const Json& row = table["rows"][i];
      if (row["label"] == label && row["threads"] == threads) return i;
    }
    throw std::runtime_error("no row " + label);
  };
  const size_t onednn = row_of("onednn", 1);
  EXPECT_EQ(cell_of(table, onednn, "matched")["value"], 1);
  EXPECT_EQ(cell_of(table, onednn, "rows")["value"], 4);
  EXPECT_NEAR(cell_of(table, onednn, "mean")["value"].get<double>(), 362.0 / 380, 0.02);
  const size_t numpy = row_of("numpy", 1);
  EXPECT_EQ(cell_of(table, numpy, "matched")["value"], 3);
  const double expected = std::cbrt(450.0 / 55 * 640 / 620 * 372 / 380);
  EXPECT_NEAR(cell_of(table, numpy, "mean")["value"].get<double>(), expected, 0.03);
  EXPECT_EQ(cell_of(table, row_of("onednn", 2), "mean")["kind"], "missing");
  EXPECT_EQ(cell_of(table, row_of("best peer of each row", 1), "matched")["value"], 4);
}

TEST(PeersReport, WithoutLimitsSharesAreNotKnown) {
  FakeRun fake = peers_run();
  fake.host.cache_bytes.clear();  // then everything is DRAM, which one thread has measured
  fake.run.facts.erase("peak_flops");
  const Json report = build_report(peers_suite(), fake.data(), std::nullopt);
  EXPECT_EQ(cell_of(report["sections"][0]["tables"][0], 0, "limit")["text"], "n/a");
}

TEST(PeersReport, LimitsOfAnotherRunAreTakenFromTheSameHostOnly) {
  const auto share = [](const std::optional<RunData>& limits) {
    FakeRun fake("88888888-8888-4888-8888-888888888888");
    const std::string text = "add n=1000";
    fake.facts(text, {1e3, 0, 12e3, 12e3, 4e3}).time({text, "hwy", "AVX2", 1}, 100);
    const Json report = build_report(peers_suite(), fake.data(), std::nullopt, limits);
    return std::pair(cell_of(report["sections"][0]["tables"][0], 0, "limit")["text"],
                     report["limits"]);
  };
  FakeRun other = limits_run();
  EXPECT_EQ(share(other.data()).first, "50.0 %");
  EXPECT_EQ(share(other.data()).second["id"], other.run.id);
  other.host.id = "another";
  EXPECT_EQ(share(other.data()).first, "n/a");
  EXPECT_TRUE(share(std::nullopt).second.is_null());
}

std::vector<std::string> results(const Suite& suite, const RunData& data) {
  const Context context(suite, data, nullptr);
  std::vector<std::string> out;
  for (const GoalRow& row : judge_goals(context)) {
    out.push_back(row.case_text + " " + std::to_string(row.threads) + ": " +
                  goal_result_text(row.result));
  }
  return out;
}

TEST(Goals, AreJudgedByTheWholeInterval) {
  const std::vector<std::string> expected = {
      "add n=1000 1: met",
      "add n=1000 2: met",
      "add n=1000000 1: missed",  // 620 against 610 µs of torch
      "add n=1000000 2: met",
      "matmul m=256 n=256 k=256 trans=nn 1: missed",
      "add n=1000 1: met",
      "add n=1000000 1: met",
      "matmul m=256 n=256 k=256 trans=nn 1: met",
      "softmax pass=forward n=32x128 axis=1 1: undecided",  // numpy is wrong there
      "add n=1000000 1: met",                               // 600 µs at 20 GB/s
      "add n=1000000 2: met",
  };
  EXPECT_EQ(results(peers_suite(), peers_run().data()), expected);
  const Json report = peers_report();
  EXPECT_EQ(report["summary"]["goals_met"], 8);
  EXPECT_EQ(report["summary"]["goals_missed"], 2);
  EXPECT_EQ(report["summary"]["goals_undecided"], 1);
}

TEST(Goals, AnIntervalAcrossTheBoundDecidesNothing) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.time({text, "hwy", "AVX2", 1}, 100, 8, 0.2).time({text, "numpy", "1.24", 1}, 100, 8, 0.2);
  Suite suite = peers_suite();
  suite.goals.resize(1);
  const RunData data = fake.data();
  const Context context(suite, data, nullptr);
  const GoalRow row = judge_goals(context).front();
  EXPECT_EQ(row.result, GoalResult::kUndecided);
  EXPECT_EQ(row.remark, "the interval holds the bound");
  EXPECT_LE(row.lo, 1);
  EXPECT_GT(row.hi, 1);
}

TEST(Goals, OursWrongMissesAndOursUnmeasuredDecidesNothing) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.fail({text, "hwy", "AVX2", 1}, Status::kWrong, "y[3]").time({text, "numpy", "1.24", 1}, 100);
  Suite suite = peers_suite();
  suite.goals.resize(1);
  const RunData data = fake.data();
  const Context context(suite, data, nullptr);
  const std::vector<GoalRow> rows = judge_goals(context);
  EXPECT_EQ(rows[0].result, GoalResult::kMissed);
  EXPECT_EQ(rows[0].remark, "hwy@AVX2 is wrong: y[3]");
  EXPECT_EQ(rows[1].result, GoalResult::kUndecided);
  EXPECT_EQ(rows[1].remark, "hwy was not measured");
}

TEST(Goals, FewRoundsDecideNothing) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.time({text, "hwy", "AVX2", 1}, 10, 4).time({text, "numpy", "1.24", 1}, 100, 4);
  Suite suite = peers_suite();
  suite.goals.resize(1);
  const RunData data = fake.data();
  const Context context(suite, data, nullptr);
  EXPECT_EQ(judge_goals(context).front().result, GoalResult::kUndecided);
}

Suite suite_with_goal(const std::string& that) {
  Suite suite = peers_suite();
  Goal goal = parse_goal(that);
  goal.on = {"add"};
  suite.goals = {goal};
  return suite;
}

TEST(Goals, OfAMeanAreJudgedByNumberOfThreads) {
  const Suite suite = suite_with_goal("mean hwy <= 0.50 x best_peer");
  const RunData data = peers_run().data();
  const Context context(suite, data, nullptr);
  const std::vector<GoalRow> rows = judge_goals(context);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "geometric mean, 1 thread");
  EXPECT_NEAR(rows[0].value, std::sqrt(55.0 / 450 * 620 / 610), 0.02);
  EXPECT_EQ(rows[0].result, GoalResult::kMet);
  EXPECT_EQ(rows[0].remark, "over 2 of 2 rows");
  EXPECT_LT(rows[0].lo, rows[0].value);
  EXPECT_GT(rows[0].hi, rows[0].value);
  EXPECT_EQ(rows[1].threads, 2);
  const Json report = build_report(suite, data, std::nullopt);
  EXPECT_EQ(report["summary"]["goals_met"], 2);
  const Suite strict = suite_with_goal("mean hwy <= 0.10 x best_peer");
  EXPECT_EQ(judge_goals(Context(strict, data, nullptr))[0].result, GoalResult::kMissed);
}

TEST(Goals, OfAMeanIsMissedByAWrongRow) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.time({"add n=1000", "hwy", "AVX2", 1}, 10).time({"add n=1000", "numpy", "1.24", 1}, 100);
  fake.fail({"add n=1000000", "hwy", "AVX2", 1}, Status::kWrong, "y[3]");
  const Suite suite = suite_with_goal("mean hwy <= 0.50 x best_peer");
  const RunData data = fake.data();
  const GoalRow row = judge_goals(Context(suite, data, nullptr)).front();
  EXPECT_EQ(row.result, GoalResult::kMissed);
  EXPECT_THAT(row.remark, testing::HasSubstr("is wrong: y[3]"));
}

TEST(Goals, SeveralThreadsAgainstOne) {
  const Suite suite = suite_with_goal("hwy <= 1.05 x one_thread");
  const RunData data = peers_run().data();
  const Context context(suite, data, nullptr);
  const std::vector<GoalRow> rows = judge_goals(context);
  ASSERT_EQ(rows.size(), 2U);  // those of two threads
  EXPECT_EQ(rows[1].case_text, "add n=1000000");
  EXPECT_EQ(rows[1].against, "one thread");
  EXPECT_NEAR(rows[1].value, 0.5, 0.02);
  EXPECT_EQ(rows[1].result, GoalResult::kMet);
}

TEST(Goals, OfTheSuitesSpeakOfRowsAndVariantsThatTheyMeasure) {
  for (const Suite& suite : load_suites(NSOP_SUITES_DIR, suite_forms())) {
    const std::vector<stats::RowSummary> none;
    const std::vector<CaseRow> rows = case_rows(suite, RunIndex(none));
    const RunData data{};
    const std::vector<Selector> measured = Context(suite, data, nullptr).selectors();
    for (const Goal& goal : suite.goals) {
      EXPECT_TRUE(std::any_of(
          rows.begin(), rows.end(),
          [&](const CaseRow& row) { return goal_applies(goal, row.text, row.threads); }))
          << goal.where << ": no case matches";
      if (goal.kind == Goal::Kind::kBandwidth) continue;
      for (const Selector& one : {goal.subject, goal.reference}) {
        EXPECT_TRUE(one.variant == kBestPeer || one.variant == kOneThread ||
                    std::find(measured.begin(), measured.end(), one) != measured.end())
            << goal.where << ": " << one.text() << " is not measured";
      }
    }
  }
}

TEST(Suites, TheFullProfileTakesInTheSweepsAndTheComprehensiveOneTheSources) {
  std::set<std::string> full, comprehensive;
  for (const Suite& suite : load_suites(NSOP_SUITES_DIR, suite_forms())) {
    if (is_of_profile(suite, "full")) full.insert(suite.name);
    if (!is_of_profile(suite, "comprehensive")) continue;
    comprehensive.insert(suite.name);
    if (suite.name != "activations") continue;
    EXPECT_THAT(suite.peers, testing::IsSupersetOf({"numpy", "torch"}));
    std::set<std::string> ops;
    for (const SuiteCase& c : suite.cases) ops.insert(case_op(c.line));
    EXPECT_THAT(ops, testing::IsSupersetOf({"relu", "sigmoid", "tanh"}));
  }
  EXPECT_THAT(full, testing::IsSupersetOf({"sweeps", "threads", "frameworks", "limits"}));
  EXPECT_TRUE(comprehensive.contains("activations"));
  EXPECT_FALSE(comprehensive.contains("sweeps"));
}

TEST(LimitsReport, ShowsWhatEachTargetAndLevelGives) {
  const Json report = build_report(limits_suite(), limits_run().data(), std::nullopt);
  const Json& peak = section(report, "Arithmetic")["tables"][0];
  ASSERT_EQ(peak["rows"].size(), 4);  // AVX2 and SCALAR, one and two threads
  EXPECT_EQ(cell_of(peak, 1, "target")["text"], "SCALAR");
  EXPECT_EQ(cell_of(peak, 0, "rate")["text"], "100 GFLOP/s");
  const Json& copy = section(report, "Bandwidth")["tables"][0];
  EXPECT_EQ(cell_of(copy, 0, "level")["text"], "L1");
  EXPECT_EQ(cell_of(copy, 3, "level")["text"], "DRAM");
  EXPECT_EQ(cell_of(copy, 3, "rate")["text"], "20.0 GB/s");
  const Json& plot = section(report, "Bandwidth")["plots"][0];
  EXPECT_EQ(plot["panels"][0]["series"][0]["label"], "copy");
  EXPECT_EQ(plot["panels"][0]["series"][0]["x"].size(), 4);
  EXPECT_TRUE(section(report, "Arithmetic")["plots"].empty());
}

}  // namespace
}  // namespace nsop::report
