#include "harness/report/site/site.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/files.h"
#include "harness/judge/history/alert.h"
#include "harness/judge/testing/stored_nights_support.h"
#include "harness/report/forms/forms.h"
#include "harness/report/site/cases.h"
#include "harness/report/site/site_links.h"
#include "harness/report/testing/site_support.h"
#include "harness/run/plan/plan.h"

namespace nsop::report {
namespace {

using namespace test;
using store::test::example_invocation;
using store::test::example_run;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(SiteTest, OfAnEmptyStoreSaysThatNothingIsShown) {
  const std::vector<Json> all = lines();
  ASSERT_THAT(kinds(all), ElementsAre("site"));
  EXPECT_EQ(all[0]["schema"], "nsop.site/1");
  EXPECT_EQ(all[0]["nightly"]["verdict"], "none");
  EXPECT_THAT(all[0]["conclusions"][0].get<std::string>(), HasSubstr("No run is shown"));
  EXPECT_THAT(all[0]["runs"], IsEmpty());
  EXPECT_FALSE(all[0]["method"].empty());
}

TEST_F(SiteTest, ACaseHasOursBeforeItsPeersWithTheGapBetweenThem) {
  add_run(1, {{kPeerShort, 200}, {kOurShort, 300}}, [](nsop::Run& run) {
    run::Plan plan;
    plan.suites = {"s"};
    run.plan_json = run::plan_to_json(plan, {});
  });
  const std::vector<Json> all = lines();
  ASSERT_THAT(kinds(all), ElementsAre("case", "site"));
  const Json& one = all[0];
  EXPECT_EQ(one["case"], kShortRelu);
  EXPECT_EQ(one["id"], case_id(kShortRelu));
  EXPECT_EQ(one["pass"], "forward");
  ASSERT_EQ(one["rows"].size(), 2u);
  const Json &ours = one["rows"][0], &peer = one["rows"][1];
  EXPECT_EQ(ours["who"], "hwy@AVX2");
  EXPECT_EQ(ours["ours"], true);
  EXPECT_EQ(peer["ours"], false);
  EXPECT_TRUE(peer["peer"].is_null());
  EXPECT_EQ(ours["peer_name"], "numpy");
  EXPECT_EQ(ours["peer"]["verdict"], "worse");
  EXPECT_NEAR(ours["gap"].get<double>(), 1.5, 0.01);
  EXPECT_EQ(ours["invocations"].size(), 8u);
  ASSERT_EQ(ours["invocation_texts"].size(), 8u);
  EXPECT_EQ(ours["invocation_texts"][0], "300 ns");
  EXPECT_THAT(ours["invocations_text"].get<std::string>(), HasSubstr("8 processes, 300 ns to"));
  EXPECT_EQ(ours["suites"], Json({"s"}));
  ASSERT_EQ(one["suites"].size(), 1u);
  EXPECT_EQ(one["suites"][0]["title"], "S");
  EXPECT_EQ(one["suites"][0]["text"], "all rows of this case");
  EXPECT_EQ(one["suites"][0]["command"], "nsop report run-01 --suite s");
  EXPECT_THAT(one["conclusion"].get<std::string>(), HasSubstr("hwy@AVX2 takes 300 ns on 1 thread"));
  EXPECT_THAT(one["conclusion"].get<std::string>(), HasSubstr("numpy"));
  const Json& gains = all[1]["gains_peers"];
  ASSERT_EQ(gains.size(), 1u);
  EXPECT_EQ(gains[0]["case_id"], one["id"]);
  EXPECT_THAT(gains[0]["text"].get<std::string>(), HasSubstr("than numpy"));
}

TEST_F(SiteTest, ACaseThatTwoMachinesMeasuredIsOneGain) {
  const auto of_suite = [](nsop::Run& run) {
    run::Plan plan;
    plan.suites = {"s"};
    run.plan_json = run::plan_to_json(plan, {});
  };
  add_run(1, {{kPeerShort, 200}, {kOurShort, 300}}, of_suite);
  add_run(2, {{kPeerShort, 200}, {kOurShort, 500}}, [&](nsop::Run& run) {
    of_suite(run);
    run.host_id = std::string(64, 'e');
  });
  const Json gains = lines().back()["gains_peers"];
  ASSERT_EQ(gains.size(), 1u);
  EXPECT_THAT(gains[0]["text"].get<std::string>(), HasSubstr("2.50x slower"));
}

TEST_F(SiteTest, RowsThatNoSuiteAsksForAreShownWithTheirNewestRun) {
  add_run(1, {{kOurShort, 300}, {kOurLong, 900}});
  add_run(2, {{kOurShort, 250}});
  const std::vector<Json> all = lines();
  ASSERT_THAT(kinds(all), ElementsAre("case", "case", "gate", "site"));
  EXPECT_EQ(all[0]["rows"][0]["run"], "run-02");
  EXPECT_EQ(all[1]["case"], kLongRelu);
  EXPECT_EQ(all[1]["rows"][0]["run"], "run-01");
  EXPECT_EQ(all[0]["title"], "relu");
  EXPECT_THAT(all[0]["suites"], IsEmpty());
}

TEST_F(SiteTest, VariantsOfUnlikeNamesHaveUnlikeIds) {
  RowKey dashed = kOurShort, underlined = kOurShort;
  dashed.variant = "a-b";
  underlined.variant = "a_b";
  add_run(1, {{dashed, 300}, {underlined, 300}});
  const Json rows = lines()[0]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1]["id"], "a_b-AVX2-1-host-a");
  EXPECT_NE(rows[0]["id"], rows[1]["id"]);
}

TEST_F(SiteTest, SizesOfACaseMakeASweepAndNameEachOther) {
  add_run(1, {{kOurShort, 300}, {kOurLong, 900}});
  const std::vector<Json> all = lines();
  const Json& sweep = all[0]["sweep"];
  ASSERT_EQ(sweep["series"].size(), 1u);
  const Json& points = sweep["series"][0]["points"];
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0][0], 10);
  EXPECT_EQ(points[1][0], 100);
  EXPECT_EQ(points[1][3], case_id(kLongRelu));
  EXPECT_EQ(points[1][2], "900 ns");
  EXPECT_EQ(points[1][5], "100");
  EXPECT_EQ(points[1][6], "");
  ASSERT_EQ(all[0]["elsewhere"].size(), 1u);
  EXPECT_EQ(all[0]["elsewhere"][0]["why"], "n=100 instead of 10");
}

TEST_F(SiteTest, AHistoryHasItsPointsAndWhereItsLevelChanged) {
  for (int day = 1; day <= 28; ++day) add_run(day, {{kOurShort, day < 15 ? 300 : 360}});
  const Json history = lines()[0]["rows"][0]["history"];
  ASSERT_EQ(history["points"].size(), 28u);
  EXPECT_EQ(history["points"][0][3], "run-01");
  EXPECT_EQ(history["points"][0][2], "300 ns");
  ASSERT_EQ(history["changes"].size(), 1u);
  EXPECT_EQ(history["changes"][0]["at"], 14);
  EXPECT_EQ(history["changes"][0]["verdict"], "worse");
  EXPECT_EQ(history["levels"].size(), 2u);
  EXPECT_THAT(history["conclusion"].get<std::string>(), HasSubstr("changed once in 28 runs"));
}

TEST_F(SiteTest, AChangeBetweenTwoCommitsHasTheCommandThatLooksForIt) {
  const Build good = store::test::example_build("build-a", "aaaa1111");
  const Build bad = store::test::example_build("build-b", "bbbb2222");
  for (int day = 1; day <= 28; ++day) {
    add_run(day, {{kOurShort, day < 15 ? 300 : 360}}, {}, day < 15 ? good : bad);
  }
  const Json changes = lines()[0]["rows"][0]["history"]["changes"];
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0]["commit"], "bbbb2222");
  EXPECT_EQ(changes[0]["command"],
            "nsop bisect 'relu pass=forward n=10 range=-3:3' --variant hwy@AVX2 --threads 1 "
            "--good aaaa1111 --bad bbbb2222");
}

TEST_F(SiteTest, AChangeWithinOneCommitHasNoCommand) {
  for (int day = 1; day <= 28; ++day) add_run(day, {{kOurShort, day < 15 ? 300 : 360}});
  const Json changes = lines()[0]["rows"][0]["history"]["changes"];
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0]["command"], "");
}

TEST_F(SiteTest, LeavesOutPullRequestsOtherHostsAndWhatIsOlder) {
  add_run(1, {{kOurShort, 300}});
  add_run(2, {{kOurShort, 200}}, [](nsop::Run& run) { run.trust = "pr"; });
  add_run(3, {{kOurShort, 100}}, [](nsop::Run& run) { run.host_id = "host-b"; });
  EXPECT_EQ(lines()[0]["rows"].size(), 2u);
  const std::vector<Json> a = lines({.host = "host-a", .since = ""});
  ASSERT_EQ(a[0]["rows"].size(), 1u);
  EXPECT_EQ(a[0]["rows"][0]["run"], "run-01");
  EXPECT_THAT(kinds(lines({.host = "host-a", .since = "2026-01-02"})), ElementsAre("site"));
}

TEST_F(SiteTest, ARowThatFailedSaysSoAndIsCounted) {
  add_run(1, {{kOurShort, 300}});
  nsop::Run run = example_run("run-02", day_text(2));
  run.plan_json.clear();
  store_.begin_run(run);
  Invocation failed = example_invocation("run-02", 0);
  failed.status = Status::kError;
  failed.reason = "crashed";
  failed.repetitions.clear();
  store_.append(failed);
  store_.end_run("run-02", RunState::kComplete, day_text(2));
  const std::vector<Json> all = lines();
  EXPECT_EQ(all[0]["rows"][0]["status"], "error");
  EXPECT_EQ(all[0]["rows"][0]["time"]["kind"], "missing");
  EXPECT_THAT(all[0]["rows"][0]["notes"].dump(), HasSubstr("crashed"));
  EXPECT_THAT(all.back()["conclusions"].dump(), HasSubstr("1 row of ours failed"));
}

TEST_F(SiteTest, ARooflineSaysThatRowsLieAboveThePeakAndWhy) {
  const auto measured = [this](double flops) {
    add_run(1, {{{"peak_flops", "hwy", "SCALAR", 1}, 1'000'000}, {kOurShort, 300}, {kOurLong, 300}},
            [&](nsop::Run& run) {
              run.facts["peak_flops"] = {1e7, 5e6, 1e5, 1e5, 5e4};
              run.facts[kShortRelu] = {flops, 0, 80, 80, 40};
              run.facts[kLongRelu] = {100, 0, 800, 800, 400};
            });
    const Json roofline = lines().back()["rooflines"].at(0);
    EXPECT_EQ(roofline["points"][0]["x_text"], "100");
    EXPECT_EQ(roofline["roofs"][0]["text"], "10.0 GFLOP/s at any number of operations per byte");
    store_.remove_run("run-01", "for the next one");
    return roofline["conclusion"].get<std::string>();
  };
  EXPECT_THAT(measured(100), EndsWith("whose peak is 10.0 GFLOP/s."));
  EXPECT_THAT(measured(30000), HasSubstr("whose peak is 10.0 GFLOP/s. 1 lies above it: "));
}

TEST_F(SiteTest, AnOpenAlertIsOnTheFrontPageWithItsAge) {
  add_run(11, {{kOurShort, 300}});
  judge::Alert alert;
  alert.host_id = "host-a";
  alert.kind = "step";
  alert.direction = "worse";
  alert.last_good = "aaaa";
  alert.first_bad = "bbbb";
  alert.rows = {{kOurShort, 1.06, 1.05, 1.07, ""}};
  alert.id = judge::alert_id(alert);
  store_.append_alert_event(judge::finding_event(alert, "open", day_text(1)));
  const Json site = lines().back();
  EXPECT_EQ(site["nightly"]["verdict"], "worse");
  EXPECT_THAT(site["nightly"]["text"].get<std::string>(), HasSubstr("1 regression is open"));
  ASSERT_EQ(site["alerts"].size(), 1u);
  EXPECT_EQ(site["alerts"][0]["age"], "10 days");
  EXPECT_EQ(site["alerts"][0]["rows"][0]["case_id"], case_id(kShortRelu));
  EXPECT_EQ(site["alerts"][0]["rows"][0]["text"], "+6.0 % [+5.0 %, +7.0 %]");
  EXPECT_THAT(site["alerts"][0]["other_hosts"], IsEmpty());

  add_run(12, {{kOurShort, 300}}, [](nsop::Run& run) { run.host_id = "host-b"; });
  alert.host_id = "host-b";
  alert.id = judge::alert_id(alert);
  store_.append_alert_event(judge::finding_event(alert, "open", day_text(2)));
  const Json both = lines().back();
  EXPECT_THAT(both["nightly"]["text"].get<std::string>(), HasSubstr("1 regression is open"));
  ASSERT_EQ(both["alerts"].size(), 1u) << "one alert per change";
  EXPECT_EQ(both["alerts"][0]["id"], site["alerts"][0]["id"]);
  ASSERT_THAT(both["alerts"][0]["other_hosts"], SizeIs(1));
  EXPECT_THAT(both["alerts"][0]["other_hosts"][0].get<std::string>(),
              AllOf(HasSubstr("worse +6.0 % on "), EndsWith("(host-b), alert " + alert.id)));
}

TEST_F(SiteTest, RowsThatOnlyNightsInFilesHaveAreShownWithTheirNewestNight) {
  add_run(1, {{kOurShort, 300}});
  const std::string nights = folder_.file("nights");
  judge::test::write_nights(nights, 3);
  const std::vector<Json> all = lines({}, nights);
  ASSERT_THAT(kinds(all), ElementsAre("case", "case", "site"));
  EXPECT_EQ(all[0]["case"], judge::test::kRelu.case_text);
  const Json& row = all[0]["rows"][0];
  EXPECT_EQ(row["run"], "run-0002");
  EXPECT_EQ(row["commit"], "c002");
  EXPECT_THAT(row["invocations"], IsEmpty());
  EXPECT_EQ(row["history"]["points"].size(), 3u);
}

TEST_F(SiteTest, TheJudgeSPageIsShownAsItStands) {
  EXPECT_TRUE(lines().back()["judge"].is_null());
  write_file_atomically(folder_.file("judge.md"),
                        "# Judge\n\n**1 missed, 2 met of 3 targets.**\n\n## Gates\n\n"
                        "| What | Measured |\n|---|---:|\n| False | 0.0 % |\n");
  const Json judge = lines().back()["judge"];
  EXPECT_EQ(judge["conclusion"], "1 missed, 2 met of 3 targets.");
  ASSERT_EQ(judge["tables"].size(), 1u);
  EXPECT_EQ(judge["tables"][0]["caption"], "Gates");
  EXPECT_EQ(judge["tables"][0]["columns"], Json({"What", "Measured"}));
  EXPECT_EQ(judge["tables"][0]["rows"], Json::array({Json({"False", "0.0 %"})}));
  EXPECT_THAT(judge["charts"], IsEmpty());
  write_file_atomically(folder_.file("judge.json"), "{\"charts\":[{\"title\":\"Power\"}]}");
  EXPECT_EQ(lines().back()["judge"]["charts"], Json::parse("[{\"title\":\"Power\"}]"));
}

TEST_F(SiteTest, TheSameStoreGivesTheSameLines) {
  add_run(1, {{kPeerShort, 200}, {kOurShort, 300}, {kOurLong, 900}});
  EXPECT_EQ(lines(), lines());
}

}  // namespace
}  // namespace nsop::report
