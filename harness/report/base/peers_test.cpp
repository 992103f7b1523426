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
  const auto standing = [](const Json& table, size_t row) {
    return cell_of(table, row, "standing")["text"].get<std::string>();
  };
  EXPECT_THAT(standing(adds, 0), testing::EndsWith(" % of L1"));    // 12 KB
  EXPECT_THAT(standing(adds, 2), testing::EndsWith(" % of DRAM"));  // 24 MB
  EXPECT_NEAR(cell_of(adds, 0, "standing")["value"].get<double>(), 50.0 / 55, 0.02);
  const Json& each = table_with(section(report, "Element-wise"), "rate");
  ASSERT_EQ(cell_of(each, 1, "variant")["text"], "hwy@AVX2");
  EXPECT_NEAR(cell_of(each, 1, "rate")["value"].get<double>(), 12e3 / 55, 3);
  EXPECT_EQ(cell_of(each, 1, "rate")["unit"], "GB/s");
  const Json& gemm = section(report, "Products")["tables"][0];
  EXPECT_THAT(standing(gemm, 0), testing::EndsWith(" % of compute"));
  EXPECT_EQ(cell_of(table_with(section(report, "Products"), "rate"), 0, "rate")["unit"], "GFLOP/s");
}

TEST(PeersReport, TheBestPeerIsThePlainOneWithTheLowestTime) {
  const Json report = peers_report();
  const Json& gemm = section(report, "Products")["tables"][0];
  EXPECT_EQ(cell_of(gemm, 0, "best_peer")["text"], "onednn");  // onednn_blocked is faster
  EXPECT_LT(cell_of(gemm, 0, "vs_best_peer")["value"].get<double>(), 1);
  EXPECT_EQ(cell_of(gemm, 1, "best_peer")["text"], "torch");  // numpy is wrong
  const Json& each = table_with(section(report, "Products"), "vs_onednn_blocked");
  EXPECT_EQ(each["title"], "Against each peer");
  EXPECT_EQ(cell_of(each, 0, "vs_onednn_blocked")["kind"], "ratio");
  const Json& columns = each["columns"];
  EXPECT_EQ(columns[columns.size() - 2]["label"], "hwy vs onednn_blocked (library layout)");
}

TEST(PeersReport, WrongPeersAreShownAndOnesThatCanDoNothingHaveTheirReasonOnly) {
  const Json report = peers_report();
  const Json& times = table_with(section(report, "Products"), "time_numpy");
  EXPECT_EQ(cell_of(times, 1, "time_numpy")["text"], "wrong");
  EXPECT_EQ(cell_of(times, 1, "time_onednn")["text"], "unsupported");
  const Json& adds = section(report, "Element-wise");
  const Json& of_adds = table_with(adds, "time_numpy");
  EXPECT_EQ(of_adds["title"], "Times of the peers");
  EXPECT_THAT(of_adds["columns"].dump(), testing::Not(testing::HasSubstr("time_onednn")));
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
  EXPECT_EQ(cell_of(table, numpy, "mean")["text"], "not judged: numpy wrong");
  const size_t torch = row_of("torch", 1);
  EXPECT_EQ(cell_of(table, torch, "matched")["value"], 4);
  const double expected = std::pow(1100.0 / 55 * 610 / 620 * 395 / 380 * 2, 0.25);
  EXPECT_NEAR(cell_of(table, torch, "mean")["value"].get<double>(), expected, 0.03);
  EXPECT_EQ(cell_of(table, row_of("onednn", 2), "mean")["kind"], "missing");
  EXPECT_EQ(cell_of(table, row_of("best peer of each row", 1), "matched")["value"], 4);
}

TEST(PeersReport, AShortcutIsInNoMean) {
  Suite suite = peers_suite();
  Goal goal = parse_goal("mean hwy <= 0.50 x numpy");
  goal.on = {"*"};
  suite.goals = {goal};
  suite.cases[0].shortcut = "One sum stands for all.";  // both sizes of add
  const RunData data = peers_run().data();
  const Json means = section(build_report(suite, data, std::nullopt), "Geometric means");
  EXPECT_EQ(means["notes"][0], "Not in the means: Add. One sum stands for all.");
  EXPECT_EQ(means["notes"].size(), 1U);
  const Json& table = means["tables"][0];
  for (size_t i = 0; i < table["rows"].size(); ++i) {
    EXPECT_EQ(table["rows"][i]["threads"], 1);  // only add was measured on two
    EXPECT_EQ(cell_of(table, i, "rows")["value"], 2);
  }
  const std::vector<GoalRow> rows = judge_goals(Context(suite, data, nullptr));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].remark, "over 1 of 2 rows");  // numpy is wrong in the other
}

TEST(PeersReport, GoalsAgainstWhatWasBeforeAreCountedApart) {
  Suite suite = peers_suite();
  const auto line = [&] {
    const Json report = build_report(suite, peers_run().data(), std::nullopt);
    for (const Json& one : report["head"]) {
      if (one.get<std::string>().starts_with("Goals:")) return one.get<std::string>();
    }
    return std::string();
  };
  Goal goal = parse_goal("hwy <= 1.00 x elementwise");
  goal.on = {"add"};
  suite.goals = {goal};
  EXPECT_THAT(line(), testing::StartsWith("Goals: all against elementwise: 1 met, "));
  suite.goals.push_back(parse_goal("hwy <= 1.00 x numpy"));
  suite.goals[1].on = {"add n=1000"};
  EXPECT_THAT(line(), testing::StartsWith("Goals: 2 met, 0 missed, 0 inconclusive, 0 not judged; "
                                          "against elementwise, counted apart: 1 met, "));
  suite.goals.resize(1);
  suite.goals[0] = parse_goal("hwy <= 1.00 x numpy");
  suite.goals[0].on = {"add"};
  EXPECT_THAT(line(), testing::Not(testing::HasSubstr("counted apart")));
}

TEST(PeersReport, AShortcutCountsAgainstNothing) {
  Suite suite = peers_suite();
  const auto line = [&] {
    const Json report = build_report(suite, peers_run().data(), std::nullopt);
    for (const Json& one : report["head"]) {
      const std::string text = one;
      if (text.starts_with("Against elementwise")) return text;
    }
    return std::string();
  };
  const std::string all = line();
  EXPECT_THAT(all, testing::HasSubstr(" rows."));
  suite.cases[0].shortcut = "One sum stands for all.";
  EXPECT_NE(line(), all) << "add is no longer counted";
}

TEST(PeersReport, TheHeadTellsOfLibrariesWhoseLayoutIsTheirOwn) {
  const std::string line =
      "Not counted, for its layout is its own choice: onednn_blocked, faster than ours in 1 of 1 "
      "row.";
  EXPECT_THAT(peers_report()["head"], testing::Contains(line));
  Suite suite = peers_suite();
  suite.peers.pop_back();
  const std::vector<std::string> head =
      build_report(suite, peers_run().data(), std::nullopt)["head"];
  EXPECT_THAT(head, testing::Not(testing::Contains(testing::StartsWith("Not counted"))));
}

// One row is slower for sure; of those in doubt the worst by its estimate is far slower.
TEST(PeersReport, TheHeadTellsWhatIsSlowerByTheEstimateAlone) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  fake.time({"add n=1000", "hwy", "AVX2", 1}, 120).time({"add n=1000", "numpy", "1.0", 1}, 100);
  fake.time({"add n=2000000", "hwy", "AVX2", 1}, 1.5e6, 8, 0.9);
  fake.time({"add n=2000000", "numpy", "1.0", 1}, 1e6);
  Suite suite = peers_suite();
  suite.peers = {"numpy"};
  suite.cases.resize(1);
  suite.cases[0].threads = {1};
  const Json report = build_report(suite, fake.data(), std::nullopt);
  ASSERT_THAT(report["headline"].get<std::string>(),
              testing::HasSubstr("1 slower, 1 inconclusive"));
  EXPECT_THAT(report["head"],
              testing::Contains(testing::ContainsRegex(
                  "; slower by the estimate alone: 1 row, worst: Add n=2000000, .*inconclusive")));
}

TEST(PeersReport, RowsThatTheSuiteLeavesNoRivalDontCount) {
  Suite suite = peers_suite();
  const auto headline = [&] {
    return build_report(suite, peers_run().data(), std::nullopt)["headline"].get<std::string>();
  };
  EXPECT_THAT(headline(), testing::HasSubstr(" of 6 rows against"));
  for (const std::string& peer : suite.peers) suite.cases[1].without.push_back({peer, "best"});
  EXPECT_THAT(headline(), testing::HasSubstr(" of 5 rows against"));
  const Json report = build_report(suite, peers_run().data(), std::nullopt);
  EXPECT_EQ(cell_of(section(report, "Products")["tables"][0], 0, "vs_best_peer")["text"], "-");
}

TEST(PeersReport, WhatNobodyElseCanDoIsSaidSo) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  for (const char* text : {"add n=1000", "add n=2000000"}) {
    fake.time({text, "hwy", "AVX2", 1}, 100);
    fake.fail({text, "numpy", "1.0", 1}, Status::kUnsupported, "numpy has no add");
  }
  Suite suite = peers_suite();
  suite.peers = {"numpy"};
  suite.cases.resize(1);
  suite.cases[0].threads = {1};
  EXPECT_EQ(build_report(suite, fake.data(), std::nullopt)["headline"],
            "hwy: 2 that not both can do, of 2 rows against the fastest other library of each row");
}

TEST(PeersReport, WithoutLimitsSharesAreNotKnown) {
  FakeRun fake = peers_run();
  fake.host.cache_bytes.clear();  // then everything is DRAM, which one thread has measured
  fake.run.facts.erase("peak_flops");
  const Json report = build_report(peers_suite(), fake.data(), std::nullopt);
  EXPECT_EQ(cell_of(report["sections"][0]["tables"][0], 0, "standing")["text"], "n/a");
}

TEST(PeersReport, LimitsOfAnotherRunAreTakenFromTheSameHostOnly) {
  const auto share = [](const std::optional<RunData>& limits) {
    FakeRun fake("88888888-8888-4888-8888-888888888888");
    const std::string text = "add n=1000";
    fake.facts(text, {1e3, 0, 12e3, 12e3, 4e3}).time({text, "hwy", "AVX2", 1}, 100);
    const Json report = build_report(peers_suite(), fake.data(), std::nullopt, limits);
    return std::pair(cell_of(report["sections"][0]["tables"][0], 0, "standing")["text"],
                     report["limits"]);
  };
  FakeRun other = limits_run();
  EXPECT_EQ(share(other.data()).first, "50.0 % of L1");
  EXPECT_EQ(share(other.data()).second["id"], other.run.id);
  other.host.id = "another";
  EXPECT_EQ(share(other.data()).first, "n/a");
  EXPECT_TRUE(share(std::nullopt).second.is_null());
}

// Whichever peer is missing: no count of goals and no mean is the better for it.
TEST(PeersReport, AMissingPeerImprovesNothing) {
  const RunData all = peers_run().data();
  const Json before = build_report(peers_suite(), all, std::nullopt);
  for (const std::string& name : peers_suite().peers) {
    RunData fewer = all;
    for (stats::RowSummary& row : fewer.rows) {
      if (row.row.variant != name) continue;
      row.status = Status::kUnsupported;
      row.reason = "peer " + name + " is not installed; run: make peers";
    }
    const Json after = build_report(peers_suite(), fewer, std::nullopt);
    EXPECT_LE(after["summary"]["goals_met"], before["summary"]["goals_met"]) << name;
    const bool has_own = has_own_layout(name);  // is never the best peer
    for (const Json& row : section(after, "Geometric means")["tables"][0]["rows"]) {
      if (row["label"] != "best peer of each row" || has_own) continue;
      EXPECT_EQ(row["cells"][2]["kind"], "missing") << name;
      EXPECT_THAT(row["cells"][2]["text"].get<std::string>(), testing::HasSubstr(name));
    }
  }
}

// A shortcut is in no count of the headline, so it is no row of the table that tells them either.
TEST(PeersReport, TheHeadlineAndTheTableOfSlowerRowsCountTheSame) {
  Suite suite = peers_suite();
  const auto report = [&] { return build_report(suite, peers_run().data(), std::nullopt); };
  const Json all = report();
  EXPECT_THAT(all["headline"].get<std::string>(), testing::HasSubstr(", 1 slower, "));
  EXPECT_EQ(section(all, "What is slower, and why")["tables"][0]["rows"].size(), 1U);
  for (SuiteCase& one : suite.cases) {
    if (case_op(one.line) == "matmul") one.shortcut = "One sum stands for all.";
  }
  const Json without = report();
  EXPECT_THAT(without["headline"].get<std::string>(), testing::Not(testing::HasSubstr("slower")));
  for (const Json& table : section(without, "What is slower, and why")["tables"]) {
    EXPECT_NE(table["title"], "Slower than another library");
  }
}

TEST(PeersReport, APeerMayBeAtItsBestOnFewerThreads) {
  FakeRun fake("99999999-9999-4999-8999-999999999999");
  const std::string text = "add n=1000";
  fake.time({text, "hwy", "AVX2", 1}, 100).time({text, "hwy", "AVX2", 2}, 90);
  fake.time({text, "numpy", "1.24", 1}, 80);
  fake.fail({text, "numpy", "1.24", 2}, Status::kUnsupported, "numpy runs on one thread");
  fake.time({text, "torch", "2.0", 1}, 120).time({text, "torch", "2.0", 2}, 85);
  Suite suite = peers_suite();
  suite.goals.resize(1);
  const RunData data = fake.data();
  const Context context(suite, data, nullptr);
  const CaseRow& two = context.rows()[1];
  ASSERT_EQ(two.threads, 2);
  EXPECT_EQ(context.best_peer(two)->row.text(), "add n=1000 | numpy@1.24 | threads=1");
  const Json report = build_report(suite, data, std::nullopt);
  const Json& adds = section(report, "Element-wise")["tables"][0];
  EXPECT_EQ(cell_of(adds, 1, "best_peer")["text"], "numpy (1 thread)");
  EXPECT_LT(cell_of(adds, 1, "vs_best_peer")["value"].get<double>(), 1);
  EXPECT_EQ(judge_goals(context)[1].against, "numpy (1 thread)");
  EXPECT_EQ(judge_goals(context)[1].result, GoalResult::kMissed);
}

// A second row of each case, pinned to AVX2, is compared with libraries that are held to that.
class HeldPeers : public testing::Test {
 protected:
  HeldPeers() {
    suite_.also = {{"hwy", "AVX2"}};
    suite_.peers = {"numpy", "onednn"};
    suite_.cases.resize(1);
    suite_.cases[0].line = kAdd;
    suite_.cases[0].threads = {1};
    suite_.goals.clear();
    run_.time({kAdd, "hwy", "AVX3", 1}, 50).time({kAdd, "hwy", "AVX2", 1}, 90);
    run_.time({kAdd, "numpy", "1.24", 1}, 80).time({kAdd, "onednn", "2.6", 1}, 60);
  }
  Json cell(size_t row, const std::string& id) {
    const Json report = build_report(suite_, run_.data(), std::nullopt);
    return cell_of(section(report, "Element-wise")["tables"][0], row, id);
  }
  static constexpr const char* kAdd = "add n=1000";
  Suite suite_ = peers_suite();
  FakeRun run_{"77777777-7777-4777-8777-777777777777"};
};

TEST_F(HeldPeers, AreTheRivalsOfThePinnedRowAlone) {
  run_.time({kAdd, "numpy", "1.24-AVX2", 1}, 140).time({kAdd, "onednn", "2.6-AVX2", 1}, 100);
  EXPECT_EQ(cell(0, "best_peer")["text"], "onednn");
  EXPECT_EQ(cell(0, "best_peer_time")["text"], "60.1 ns");
  EXPECT_EQ(cell(1, "best_peer")["text"], "onednn@AVX2");
  EXPECT_EQ(cell(1, "vs_best_peer")["verdict"], "better") << "slower than the plain one";
  EXPECT_NEAR(cell(1, "vs_best_peer")["value"].get<double>(), 100.0 / 90, 0.02);
}

TEST_F(HeldPeers, WhatWasNotMeasuredHeldIsNotJudged) {
  EXPECT_EQ(cell(1, "best_peer")["text"], "none");
  EXPECT_EQ(cell(1, "vs_best_peer")["kind"], "missing");
  run_.time({kAdd, "numpy", "1.24-AVX2", 1}, 140);
  EXPECT_EQ(cell(1, "best_peer")["text"], "numpy@AVX2");
  EXPECT_EQ(cell(1, "vs_best_peer")["verdict"], "not judged");
  EXPECT_EQ(cell(1, "vs_best_peer")["note"], "onednn not measured on that instruction set");
  EXPECT_EQ(cell(0, "vs_best_peer")["verdict"], "better");
}

TEST_F(HeldPeers, ALibraryThatCannotBeHeldIsNotMissing) {
  run_.time({kAdd, "numpy", "1.24-AVX2", 1}, 140);
  run_.fail({kAdd, "onednn", "AVX2", 1}, Status::kUnsupported, "target AVX2 is not available here");
  EXPECT_EQ(cell(1, "vs_best_peer")["verdict"], "better");
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

}  // namespace
}  // namespace nsop::report
