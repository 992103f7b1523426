#include "harness/report/base/goals/goals.h"

#include <gmock/gmock.h>

#include <cmath>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

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
      "add n=2000000 1: inconclusive",  // 1.24 against 1.22 ms of torch: no difference that counts
      "add n=2000000 2: met",
      "matmul m=256 n=256 k=256 trans=nn 1: missed",
      "add n=1000 1: met",
      "add n=2000000 1: met",
      "matmul m=256 n=256 k=256 trans=nn 1: met",
      "softmax pass=forward n=32x128 axis=1 1: not judged",  // numpy is wrong there
      "add n=2000000 1: met",                                // 1.2 ms at 20 GB/s
      "add n=2000000 2: inconclusive",                       // beats the limit by 29 %
  };
  EXPECT_EQ(results(peers_suite(), peers_run().data()), expected);
  const Json report = build_report(peers_suite(), peers_run().data(), std::nullopt);
  EXPECT_EQ(report["summary"]["goals_met"], 7);
  EXPECT_EQ(report["summary"]["goals_missed"], 1);
  EXPECT_EQ(report["summary"]["goals_inconclusive"], 2);
  EXPECT_EQ(report["summary"]["goals_not_judged"], 1);
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
  EXPECT_EQ(row.result, GoalResult::kInconclusive);
  EXPECT_EQ(row.remark, "the interval holds the bound");
  EXPECT_LE(row.lo, 1);
  EXPECT_GT(row.hi, 1);
}

Suite suite_with_goal(const std::string& that) {
  Suite suite = peers_suite();
  Goal goal = parse_goal(that);
  goal.on = {"add"};
  suite.goals = {goal};
  return suite;
}

constexpr const char* kNotInstalled = "peer torch is not installed; run: make peers";

// add n=1000 on one thread: ours 10 ns, numpy as given, onednn can't, torch is not there.
FakeRun without_torch(double numpy_ns) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.time({text, "hwy", "AVX2", 1}, 10).time({text, "numpy", "1.24", 1}, numpy_ns);
  fake.fail({text, "onednn", "none", 1}, Status::kUnsupported, "onednn has no add");
  fake.fail({text, "torch", "none", 1}, Status::kUnsupported, kNotInstalled);
  return fake;
}

TEST(Goals, ThatAMissingPeerMightHaveTakenAreNotJudged) {
  Suite suite = peers_suite();
  suite.goals.resize(1);
  const RunData fast = without_torch(100).data();
  const Context context(suite, fast, nullptr);
  EXPECT_EQ(context.missing_peers(context.rows().front()),
            (std::vector<MissingPeer>{{"torch", kNotThere}}));
  const GoalRow row = judge_goals(context).front();
  EXPECT_EQ(row.result, GoalResult::kNotJudged);
  EXPECT_EQ(row.remark, "torch missing (make peers)");
  // One that is missed already can't get better.
  const RunData slow = without_torch(5).data();
  EXPECT_EQ(judge_goals(Context(suite, slow, nullptr)).front().result, GoalResult::kMissed);
}

TEST(Goals, ThatNameAMissingPeerAreNotJudged) {
  const RunData data = without_torch(100).data();
  for (const char* that : {"hwy <= 1.0 x torch", "mean hwy <= 1.0 x torch"}) {
    const Suite suite = suite_with_goal(that);
    const GoalRow row = judge_goals(Context(suite, data, nullptr)).front();
    EXPECT_EQ(row.result, GoalResult::kNotJudged) << that;
    EXPECT_EQ(row.remark, "torch missing (make peers)") << that;
  }
}

TEST(Goals, ThatAWrongOrFailedPeerMightHaveTakenAreNotJudged) {
  for (const Status status : {Status::kWrong, Status::kError, Status::kTimeout, Status::kLost}) {
    const std::string why = status == Status::kWrong ? "torch wrong" : "torch failed";
    FakeRun fake = without_torch(100);
    fake.fail({"add n=1000", "torch", "2.0", 1}, status, "of no use");
    const RunData data = fake.data();
    for (const char* that : {"hwy <= 1.0 x best_peer", "hwy <= 1.0 x torch",
                             "mean hwy <= 1.0 x best_peer", "mean hwy <= 1.0 x torch"}) {
      const Suite suite = suite_with_goal(that);
      const GoalRow row = judge_goals(Context(suite, data, nullptr)).front();
      EXPECT_EQ(row.result, GoalResult::kNotJudged) << that << ", " << why;
      EXPECT_THAT(row.remark, testing::HasSubstr(why)) << that;
    }
    FakeRun slow = without_torch(5);
    slow.fail({"add n=1000", "torch", "2.0", 1}, status, "of no use");
    const Suite suite = suite_with_goal("hwy <= 1.0 x best_peer");
    const RunData missed = slow.data();
    EXPECT_EQ(judge_goals(Context(suite, missed, nullptr)).front().result, GoalResult::kMissed);
  }
}

TEST(Goals, AFailureOnFewerThreadsLeavesTheRowUnjudged) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.time({text, "hwy", "AVX2", 2}, 10).time({text, "numpy", "1.24", 2}, 100);
  fake.fail({text, "numpy", "1.24", 1}, Status::kWrong, "y[3]");
  fake.fail({text, "onednn", "none", 2}, Status::kUnsupported, "onednn has no add");
  fake.fail({text, "torch", "none", 2}, Status::kUnsupported, "torch has no add");
  Suite suite = suite_with_goal("hwy <= 1.0 x best_peer");
  suite.goals[0].threads = {2};
  const RunData data = fake.data();
  const GoalRow row = judge_goals(Context(suite, data, nullptr)).front();
  EXPECT_EQ(row.result, GoalResult::kNotJudged);
  EXPECT_EQ(row.remark, "numpy wrong");
}

TEST(Goals, ThatNameOnePeerDoNotAskForOthers) {
  const Suite suite = suite_with_goal("hwy <= 1.0 x numpy");
  const RunData data = without_torch(100).data();
  EXPECT_EQ(judge_goals(Context(suite, data, nullptr)).front().result, GoalResult::kMet);
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
  EXPECT_EQ(rows[1].result, GoalResult::kInconclusive);
  EXPECT_EQ(rows[1].remark, "hwy was not measured");
}

TEST(Goals, AnotherVariantWithoutATimeLeavesThemUnjudged) {
  const Suite suite = suite_with_goal("hwy <= 1.0 x other");
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.time({text, "hwy", "AVX2", 1}, 10);
  EXPECT_EQ(judge_goals(Context(suite, fake.data(), nullptr)).front().result,
            GoalResult::kNotJudged);
  fake.fail({text, "other", "AVX2", 1}, Status::kError, "it crashed");
  const RunData data = fake.data();
  const GoalRow row = judge_goals(Context(suite, data, nullptr)).front();
  EXPECT_EQ(row.result, GoalResult::kNotJudged);
  EXPECT_THAT(row.remark, testing::HasSubstr("it crashed"));
}

TEST(Goals, FewRoundsDecideNothing) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.time({text, "hwy", "AVX2", 1}, 10, 4).time({text, "numpy", "1.24", 1}, 100, 4);
  Suite suite = peers_suite();
  suite.goals.resize(1);
  const RunData data = fake.data();
  const Context context(suite, data, nullptr);
  EXPECT_EQ(judge_goals(context).front().result, GoalResult::kInconclusive);
}

TEST(Goals, OfAMeanAreJudgedByNumberOfThreads) {
  const Suite suite = suite_with_goal("mean hwy <= 0.50 x best_peer");
  const RunData data = peers_run().data();
  const Context context(suite, data, nullptr);
  const std::vector<GoalRow> rows = judge_goals(context);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "geometric mean, 1 thread");
  EXPECT_NEAR(*rows[0].value, std::sqrt(55.0 / 450 * 620 / 610), 0.02);
  EXPECT_EQ(rows[0].result, GoalResult::kMet);
  EXPECT_EQ(rows[0].remark, "over 2 of 2 rows");
  EXPECT_LT(rows[0].lo, *rows[0].value);
  EXPECT_GT(rows[0].hi, *rows[0].value);
  EXPECT_EQ(rows[1].threads, 2);
  const Json report = build_report(suite, data, std::nullopt);
  EXPECT_EQ(report["summary"]["goals_met"], 2);
  const Suite strict = suite_with_goal("mean hwy <= 0.10 x best_peer");
  EXPECT_EQ(judge_goals(Context(strict, data, nullptr))[0].result, GoalResult::kMissed);
}

TEST(Goals, OfAMeanIsMissedByAWrongRow) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.time({"add n=1000", "hwy", "AVX2", 1}, 10).time({"add n=1000", "numpy", "1.24", 1}, 100);
  fake.fail({"add n=2000000", "hwy", "AVX2", 1}, Status::kWrong, "y[3]");
  const Suite suite = suite_with_goal("mean hwy <= 0.50 x best_peer");
  const RunData data = fake.data();
  const GoalRow row = judge_goals(Context(suite, data, nullptr)).front();
  EXPECT_EQ(row.result, GoalResult::kMissed);
  EXPECT_THAT(row.remark, testing::HasSubstr("is wrong: y[3]"));
}

// The sentence says all that decides: the interval, the row's verdict, peers that were not there.
TEST(Goals, HowTheyAreJudgedIsSaid) {
  const Json report = build_report(peers_suite(), peers_run().data(), std::nullopt);
  for (const Json& section : report["sections"]) {
    if (section["title"] != "Goals") continue;
    EXPECT_THAT(section["notes"][0].get<std::string>(),
                testing::AllOf(testing::HasSubstr("and the row's verdict does not"),
                               testing::HasSubstr("missing, wrong or failed")));
  }
}

TEST(Goals, SeveralThreadsAgainstOne) {
  const Suite suite = suite_with_goal("hwy <= 1.05 x one_thread");
  const RunData data = peers_run().data();
  const Context context(suite, data, nullptr);
  const std::vector<GoalRow> rows = judge_goals(context);
  ASSERT_EQ(rows.size(), 2U);  // those of two threads
  EXPECT_EQ(rows[1].case_text, "add n=2000000");
  EXPECT_EQ(rows[1].against, "one thread");
  EXPECT_NEAR(*rows[1].value, 0.5, 0.02);
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
        const bool absent = goal.kind == Goal::Kind::kMetric && one == Selector{};
        EXPECT_TRUE(absent || one.variant == kBestPeer || one.variant == kOneThread ||
                    std::find(measured.begin(), measured.end(), one) != measured.end())
            << goal.where << ": " << one.text() << " is not measured";
      }
    }
  }
}

}  // namespace
}  // namespace nsop::report
