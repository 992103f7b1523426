#include "harness/report/runs/run_reports.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/history/alert.h"
#include "harness/report/forms/forms.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::report {
namespace {

// A store of three imported runs, a day apart.
class RunReportsTest : public testing::Test {
 protected:
  RunReportsTest() {
    for (const int day : {1, 2, 3}) {
      nsop::Run run = store::test::example_run(fmt::format("run-{}", day),
                                               fmt::format("2026-01-0{}T00:00:00Z", day));
      run.plan_json.clear();
      store::test::add_run(store_, run);
    }
  }
  Suite suite(const std::string& form) const {
    return parse_suite("[report]\nname = \"s\"\ntitle = \"S\"\nform = \"" + form +
                           "\"\nafter = \"hwy\"\n[[cases]]\nlabel = \"R\"\n"
                           "case = \"relu pass=forward n=10 range=-3:3\"\n",
                       "s.toml", suite_forms());
  }

  store::test::TempDir folder_;
  store::Store store_{folder_.file("nsop.db")};
};

TEST_F(RunReportsTest, AReportIsAboutTheRunAndTheOneBeforeOrTheOneThatWasNamed) {
  const Suite limits = suite("limits");
  const auto before = [&](const std::string& run, const std::string& previous) {
    const Json report = RunReports(store_, run, previous, folder_.file("none"), {}).of(limits);
    EXPECT_EQ(report["run"]["id"], run);
    return report["previous"].is_null() ? "none" : report["previous"]["id"].get<std::string>();
  };
  EXPECT_EQ(before("run-3", ""), "run-2");
  EXPECT_EQ(before("run-3", "run-1"), "run-1");
  EXPECT_EQ(before("run-1", ""), "none");
}

// Whose times can't be compared is no run before: another machine, another profile.
TEST_F(RunReportsTest, TheRunBeforeIsOfTheSameMachineAndProfileWhateverItsKernelIs) {
  const auto before = [&](const std::string& id, const std::string& day, auto change) {
    nsop::Run run = store::test::example_run(id, "2026-01-" + day + "T00:00:00Z");
    run.plan_json.clear();
    change(run);
    store::test::add_run(store_, run);
    const Json report = RunReports(store_, id, "", folder_.file("none"), {}).of(suite("limits"));
    return report["previous"].is_null() ? "none" : report["previous"]["id"].get<std::string>();
  };
  EXPECT_EQ(before("other machine", "04", [](nsop::Run& run) { run.host_id = "host-b"; }), "none");
  EXPECT_EQ(before("other profile", "05", [](nsop::Run& run) { run.profile = "full"; }), "none");
  EXPECT_EQ(before("other kernel", "06",
                   [](nsop::Run& run) {
                     run.conditions.kernel = "6.1.0-99";
                     run.conditions.governor = "powersave";
                   }),
            "run-3");
  EXPECT_EQ(before("again", "07", [](nsop::Run& run) { run.host_id = "host-b"; }), "other machine");
}

TEST_F(RunReportsTest, AReportSaysHowItsRowsStandAgainstTheHistoryOfTheirHost) {
  const auto head = [&](const std::string& run) {
    return RunReports(store_, run, "", folder_.file("none"), {}).of(suite("limits"))["head"].dump();
  };
  EXPECT_THAT(head("run-3"), testing::HasSubstr("No row has more than 2 earlier runs, and"));
  EXPECT_THAT(head("run-1"), testing::HasSubstr("No earlier run is stored, and"));
  judge::Alert alert;
  alert.host_id = "host-a";
  alert.kind = "step";
  alert.direction = "worse";
  alert.last_good = "aaaa";
  alert.first_bad = "bbbb";
  alert.rows = {{{"relu pass=forward n=10 range=-3:3", "hwy", "AVX2", 1}, 1.06, 1.05, 1.07, ""}};
  alert.id = judge::alert_id(alert);
  store_.append_alert_event(judge::finding_event(alert, "open", "2026-01-01T00:05:00Z"));
  const auto waits =
      testing::HasSubstr("R Forward +6.0 % time [+5.0 %, +7.0 %] since bbbb (open, alert");
  EXPECT_THAT(head("run-3"), waits);
  judge::Alert known = judge::alerts_of(store_.alert_events(), "2026-01-02T00:00:00Z").at(0);
  const judge::AlertChange closed{"close", "", "mended", "", "me"};
  store_.append_alert_event(judge::change_event(known, closed, "2026-01-02T00:00:00Z"));
  EXPECT_THAT(head("run-3"), waits) << "closed after the run";
}

TEST_F(RunReportsTest, TheRunBeforeOfATrackingLogIsItsNewestMeasuredRelease) {
  Suite log = suite("tracking");
  log.releases = {"run-1"};
  RunReports reports(store_, "run-3", "", folder_.file("none"), {});
  EXPECT_EQ(reports.run().id, "run-3");
  const Json report = reports.of(log);
  EXPECT_EQ(report["previous"]["id"], "run-1");
  EXPECT_EQ(report["previous"]["release"], "run-1");
  EXPECT_THAT(report["head"].dump(), testing::HasSubstr("Against the last release, run-1 ("));
}

TEST_F(RunReportsTest, ATrackingLogIsAboutTheRunBeforeThatWasNamed) {
  Suite log = suite("tracking");
  log.releases = {"run-1"};
  const Json report = RunReports(store_, "run-3", "run-2", folder_.file("none"), {}).of(log);
  EXPECT_EQ(report["previous"]["id"], "run-2");
  EXPECT_FALSE(report["previous"].contains("release"));
  EXPECT_THAT(report["head"].dump(), testing::HasSubstr("Against the previous run ("));
}

TEST(ExitOfGoals, IsFailedWhereOneIsMissed) {
  EXPECT_EQ(exit_of_goals(0), ExitCode::kOk);
  EXPECT_EQ(exit_of_goals(1), ExitCode::kFailed);
}

}  // namespace
}  // namespace nsop::report
