#include "harness/report/site/front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/site_support.h"
#include "harness/run/plan/plan.h"

namespace nsop::report {
namespace {

using test::kOurLong;
using test::kOurShort;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class FrontTest : public test::SiteTest {
 protected:
  // Runs of the first days of January, each of our two rows.
  void add_days(int days) {
    for (int day = 1; day <= days; ++day) add_run(day, {{kOurShort, 300}, {kOurLong, 900}});
  }

  void begin_run(int day, const std::function<void(nsop::Run&)>& change = {}) {
    nsop::Run run = store::test::example_run("begun", day_text(day));
    run.plan_json.clear();
    if (change) change(run);
    store_.begin_run(run);
  }

  Json front() const { return lines().back(); }
  std::string verdict() const { return front()["nightly"]["verdict"]; }
  std::string text() const { return front()["nightly"]["text"]; }
};

TEST_F(FrontTest, TooFewRunsToLookForChangesPassNothing) {
  add_days(11);
  EXPECT_EQ(verdict(), "inconclusive");
  EXPECT_EQ(text(),
            "The newest run is of 2026-01-11; no regression is open. 0 of 2 rows of ours have the "
            "12 runs from which changes are looked for.");
}

TEST_F(FrontTest, EnoughRunsWithoutAnAlertPass) {
  add_days(12);
  add_run(13, {{kOurShort, 300}});
  EXPECT_EQ(verdict(), "passed");
  EXPECT_THAT(text(), HasSubstr("no regression is open. 2 of 2 rows of ours have the 12 runs"));
}

TEST_F(FrontTest, ALaterRunThatIsNotCompletePassesNothing) {
  add_days(12);
  begin_run(14);
  EXPECT_EQ(verdict(), "inconclusive");
  EXPECT_THAT(text(), EndsWith("looked for; a run of 2026-01-14 is not complete."));
  store_.end_run("begun", RunState::kAborted, day_text(14));
  EXPECT_THAT(text(), EndsWith("looked for; a run of 2026-01-14 is not complete."));
  add_run(15, {{kOurShort, 300}});
  EXPECT_EQ(verdict(), "passed");
}

TEST_F(FrontTest, UnfinishedRunsOfStrangersAndGatesChangeNothing) {
  add_days(12);
  begin_run(14, [](nsop::Run& run) { run.trust = "pr"; });
  EXPECT_EQ(verdict(), "passed");
  store_.end_run("begun", RunState::kAborted, day_text(14));
  store_.remove_run("begun", "for the next one");
  begin_run(15, [](nsop::Run& run) { run.profile = "gate"; });
  EXPECT_EQ(verdict(), "passed");
}

TEST_F(FrontTest, ASuiteIsStaleThirtyDaysBeforeTheNewestRun) {
  const auto of_suite = [](nsop::Run& run) {
    run::Plan plan;
    plan.suites = {"s"};
    run.plan_json = run::plan_to_json(plan, {});
  };
  add_run(1, {{kOurShort, 300}}, of_suite);
  add_run(30, {{kOurLong, 900}});
  EXPECT_THAT(front()["stale"], IsEmpty());
  add_run(31, {{kOurLong, 900}});
  const Json stale = front()["stale"];
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_EQ(stale[0]["suite"], "s");
  EXPECT_EQ(stale[0]["text"], "measured on 2026-01-01, 30 days before the newest run");
}

TEST_F(FrontTest, AMachineWhoseTimeOthersTakeIsNoisy) {
  add_run(1, {{kOurShort, 300}});
  const Json quiet = front()["health"];
  ASSERT_EQ(quiet.size(), 1u);
  EXPECT_EQ(quiet[0]["state"], "ok");
  add_run(2, {{kOurShort, 300}}, [](nsop::Run& run) { run.conditions.steal_percent = 6; });
  const Json noisy = front()["health"];
  ASSERT_EQ(noisy.size(), 1u);
  EXPECT_EQ(noisy[0]["state"], "warn");
  EXPECT_THAT(noisy[0]["text"].get<std::string>(),
              HasSubstr("6.0 % of the CPU time was taken by others"));
}

}  // namespace
}  // namespace nsop::report
