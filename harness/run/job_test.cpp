#include "harness/run/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/host/host.h"
#include "harness/run/plan/named_suites.h"
#include "harness/run/plan/plan.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::run {
namespace {

using store::test::outcome;
using testing::HasSubstr;

constexpr const char* kId = "11111111-0000-4000-8000-000000000001";

class ResumedJobTest : public testing::Test {
 protected:
  void add(const std::string& host_id, bool complete) {
    nsop::Run run = store::test::example_run(kId);
    run.host_id = host_id;
    store_.put_host(store::test::example_host(host_id));
    store_.put_build(store::test::example_build());
    store_.begin_run(run);
    if (complete) store_.end_run(kId, RunState::kComplete, "2026-01-01T01:00:00Z");
  }
  store::test::Outcome resume(const std::string& name) {
    return outcome([&] { resumed_job(name, store_, {"no-worker", {}, "", "no-worker", {}}); });
  }
  store::test::TempDir dir_;
  store::Store store_{dir_.file("t.db")};
};

TEST_F(ResumedJobTest, OnlyAnUnfinishedRunOfThisHostGoesOn) {
  EXPECT_THAT(resume("").message, HasSubstr("no unfinished run of this machine"));
  add("host-a", false);
  EXPECT_EQ(resume("").code, ExitCode::kUsage);  // it is of another machine
  EXPECT_THAT(resume(kId).message, HasSubstr("was started on another machine"));
}

TEST_F(ResumedJobTest, ACompleteRunHasNothingToResume) {
  add(this_host().id, true);
  EXPECT_THAT(resume(kId).message, HasSubstr("is complete: nothing to resume"));
  EXPECT_THAT(resume("").message, HasSubstr("no unfinished run"));
}

TEST(NewJob, ChoosesBeforeAnyWorkerIsAsked) {
  JobOptions options;
  std::vector<std::string> asked = {"nothing"};
  const NamedSuites suites = [&](const std::vector<std::string>& names) {
    asked = names;
    return std::vector<Suite>{};
  };
  const auto start = [&] {
    return outcome([&] { new_job(options, {"no-worker", {}, "", "no-worker", {}}, suites); });
  };
  EXPECT_EQ(start().code, ExitCode::kEnvironment);  // no worker
  EXPECT_TRUE(asked.empty());                       // all suites
  options.suites = {"conv"};
  start();
  EXPECT_EQ(asked, options.suites);
  options = {};
  options.cases = {"relu n=1"};
  asked = {"nothing"};
  start();
  EXPECT_EQ(asked[0], "nothing");  // a case needs no suite
  options.profile = "quik";
  EXPECT_EQ(start().code, ExitCode::kUsage);
}

TEST(NewJob, TakesTheSeedThatIsGiven) { EXPECT_EQ(seed_of(7), 7u); }

TEST(NamedSuitesTest, ComeInTheOrderOfTheirNames) {
  Suite conv, layers;
  conv.name = "conv";
  layers.name = "layers";
  EXPECT_EQ(named_suites({conv, layers}, {}).size(), 2u);
  EXPECT_EQ(named_suites({conv, layers}, {"layers", "conv"})[0].name, "layers");
  const auto wrong = outcome([&] { named_suites({conv, layers}, {"cnov"}); });
  EXPECT_EQ(wrong.code, ExitCode::kUsage);
  EXPECT_EQ(wrong.message, "unknown suite 'cnov'; did you mean 'conv'? (suites: conv, layers)");
}

Suite suite_of(const std::string& name, const std::vector<std::vector<std::string>>& tags) {
  Suite suite;
  suite.name = name;
  for (const auto& of_case : tags) suite.cases.emplace_back().tags = of_case;
  return suite;
}

// A run with a plan of these suites and this tag.
nsop::Run run_of(const std::vector<std::string>& suites, const std::string& tag) {
  Plan plan;
  plan.suites = suites;
  plan.profile.tag = tag;
  nsop::Run run = store::test::example_run(kId);
  run.plan_json = plan_to_json(plan, {});
  return run;
}

TEST(MeasuredSuites, AreThoseOfThePlanOrTheNamed) {
  const std::vector<Suite> all = {suite_of("conv", {{}}), suite_of("layers", {{}, {}})};
  const std::vector<Suite> of_plan = measured_suites(all, run_of({"layers"}, ""), {});
  ASSERT_EQ(of_plan.size(), 1u);
  EXPECT_EQ(of_plan[0].name, "layers");
  EXPECT_EQ(of_plan[0].cases.size(), 2u);
  EXPECT_EQ(of_plan[0].about, "");
  EXPECT_EQ(measured_suites(all, run_of({"layers"}, ""), {"conv"})[0].name, "conv");
}

TEST(MeasuredSuites, OfATaggedRunHaveItsCasesOnlyAndSaySo) {
  const std::vector<Suite> all = {suite_of("conv", {{"quick"}, {}, {"odd", "quick"}}),
                                  suite_of("layers", {{"odd"}})};
  const std::vector<Suite> tagged = measured_suites(all, run_of({"conv", "layers"}, "quick"), {});
  ASSERT_EQ(tagged.size(), 1u);
  EXPECT_EQ(tagged[0].cases.size(), 2u);
  EXPECT_EQ(tagged[0].about, "Only the cases tagged quick were measured.");
}

TEST(MeasuredSuites, RefuseARunOfSingleCasesOrOfASuiteThatIsGone) {
  const std::vector<Suite> all = {suite_of("conv", {{}})};
  const auto refused = [&](const nsop::Run& run) {
    return outcome([&] { measured_suites(all, run, {}); });
  };
  EXPECT_EQ(refused(run_of({}, "")).code, ExitCode::kUsage);
  EXPECT_THAT(refused(run_of({}, "")).message, HasSubstr("name one with --suite"));
  nsop::Run imported = run_of({}, "");
  imported.plan_json = "";
  EXPECT_EQ(refused(imported).code, ExitCode::kUsage);
  EXPECT_THAT(refused(run_of({"gone"}, "")).message, HasSubstr("unknown suite 'gone'"));
}

}  // namespace
}  // namespace nsop::run
