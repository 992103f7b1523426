#include "harness/report/site/run_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/report/testing/site_support.h"
#include "harness/run/plan/plan.h"

namespace nsop::report {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

class RunPairsTest : public SiteTest {};

TEST_F(RunPairsTest, ARunStandsBesideTheOneBeforeOfItsMachine) {
  add_run(1, {{kOurShort, 300}, {kOurLong, 900}});
  add_run(2, {{kOurShort, 600}, {kPeerShort, 200}});
  const Json pair = first_pair();
  ASSERT_TRUE(pair.is_object());
  EXPECT_EQ(pair["title"], "Run run-02 after run-01");
  EXPECT_EQ(pair["outcome"], "worse");
  EXPECT_EQ(pair["headline"], "1 worse of 1 rows in both runs; 2 in one of them only");
  const Json& rows = pair["rows"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["case"], kShortRelu);
  EXPECT_EQ(rows[0]["verdict"], "worse");
  EXPECT_FALSE(rows[0]["paired"]);
  EXPECT_NEAR(rows[0]["ratio"].get<double>(), 2, 0.01);
  EXPECT_LT(rows[0]["lo"], rows[0]["hi"]);
  EXPECT_THAT(rows[0]["text"].get<std::string>(), HasSubstr("+100"));
}

TEST_F(RunPairsTest, ARunStandsBesideTheOneThatSharesMostSuites) {
  const auto measured = [](const std::vector<std::string>& suites) {
    return [suites](nsop::Run& run) {
      run::Plan plan;
      plan.suites = suites;
      run.plan_json = run::plan_to_json(plan, {});
    };
  };
  add_run(1, {{kOurShort, 300}}, measured({"s"}));
  add_run(2, {{kOurShort, 300}});  // single cases
  add_run(3, {{kOurShort, 300}}, measured({"s"}));
  add_run(4, {{kOurShort, 300}});
  EXPECT_THAT(pairs(), ElementsAre("Run run-04 after run-02", "Run run-03 after run-01"));
}

TEST_F(RunPairsTest, AnyTwoOfTheNewestRunsAreComparedAndOlderOnesWhenAsked) {
  for (int day = 1; day <= 10; ++day) add_run(day, {{kOurShort, 300}});
  const std::vector<std::string> found = pairs();
  EXPECT_EQ(found.size(), 28u + 1);  // of eight, and the oldest of them after the one before it
  EXPECT_THAT(found, testing::Contains("Run run-10 after run-03"));
  EXPECT_THAT(found, testing::Contains("Run run-05 after run-04"));
  EXPECT_EQ(found.front(), "Run run-10 after run-09");
  const std::vector<std::string> more = pairs({{"run-01", "run-10"}, {"run-09", "run-10"}});
  EXPECT_EQ(more.size(), found.size() + 1);  // the second is there already
  EXPECT_EQ(more.back(), "Run run-10 after run-01");
}

TEST_F(RunPairsTest, TwoRunsAreNamedByTimeAndWhatTheyMeasured) {
  add_run(1, {{kOurShort, 300}});
  add_run(2, {{kOurShort, 300}});
  const Json pair = first_pair();
  ASSERT_TRUE(pair.is_object());
  EXPECT_EQ(pair["before"], "2026-01-01 00:00, run-01: single cases");
  EXPECT_EQ(pair["after"], "2026-01-02 00:00, run-02: single cases");
}

TEST_F(RunPairsTest, TwoRunsThatCantBeComparedAreRefused) {
  add_run(1, {{kOurShort, 300}});
  add_run(2, {{kOurLong, 300}});
  add_run(3, {{kOurShort, 300}}, [](nsop::Run& run) { run.host_id = std::string(64, 'e'); });
  add_run(4, {{kOurShort, 300}}, [](nsop::Run& run) { run.trust = "pr"; });
  const auto said = [&](const std::string& before, const std::string& after) -> std::string {
    try {
      must_be_comparable(store_, {before, after});
      pairs({{before, after}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(said("run-01", "run-01"), HasSubstr("--compare run-01 run-01: one run twice"));
  EXPECT_THAT(said("run-01", "run-02"), HasSubstr("no row is in both"));
  EXPECT_THAT(said("run-01", "run-03"), HasSubstr("two machines"));
  EXPECT_THAT(said("run-04", "run-01"), HasSubstr("run-04 is no complete run"));
}

TEST_F(RunPairsTest, RunsOfUnlikeMachinesOrSuitesAreNoPair) {
  add_run(1, {{kOurShort, 300}});
  add_run(2, {{kOurLong, 300}});  // no row of the other
  add_run(3, {{kOurShort, 300}}, [](nsop::Run& run) { run.host_id = std::string(64, 'e'); });
  add_run(4, {{kOurShort, 300}}, [](nsop::Run& run) {
    run::Plan plan;
    plan.suites = {"s"};
    run.plan_json = run::plan_to_json(plan, {});
  });
  for (const Json& line : lines()) EXPECT_FALSE(line.contains("of")) << line["title"];
}

}  // namespace
}  // namespace nsop::report
