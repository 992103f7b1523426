#include "harness/judge/history/releases.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/run/plan/plan.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

class LoggedReleases : public testing::Test {
 protected:
  // A complete run of the commit that measured the suite, on the n-th day.
  nsop::Run add(int day, const std::string& commit, const std::string& suite = "tracking",
                const std::string& host = "host-a") {
    nsop::Run run = store::test::example_run(fmt::format("run-{}", day),
                                             fmt::format("2026-01-0{}T00:00:00Z", day));
    run.host_id = host;
    run::Plan plan;
    plan.suites = {suite};
    run.plan_json = run::plan_to_json(plan, {});
    Host where = store::test::example_host();
    where.id = host;
    store_.put_host(where);
    Build build = store::test::example_build("build-" + commit, commit);
    store_.put_build(build);
    store_.begin_run(run);
    Invocation one = store::test::example_invocation(run.id, 1);
    one.build_id = build.id;
    store_.append(one);
    store_.end_run(run.id, RunState::kComplete, run.started_utc);
    return run;
  }

  // `name=run`, the run's id or `-`.
  std::string lines(const nsop::Run& run) {
    std::string text;
    for (const LoggedRun& line : logged_runs(store_, suite_, listed_, run)) {
      text += fmt::format("{}={} ", line.name, line.run_id.empty() ? "-" : line.run_id);
    }
    return text;
  }

  store::test::TempDir dir_;
  store::Store store_{dir_.file("t.db")};
  Suite suite_;
  std::vector<NamedCommit> listed_{{"v1", "aaaaaaa1"}, {"v2", "bbbbbbb2"}, {"v3", "ccccccc3"}};

  void SetUp() override { suite_.name = "tracking"; }
};

TEST_F(LoggedReleases, StandInTheOrderOfTheListWhateverWasMeasuredFirst) {
  add(1, "ccccccc3aa");
  add(2, "aaaaaaa1aa");
  const nsop::Run own = add(3, "ddddddd4");
  EXPECT_EQ(lines(own), "v1=run-2 v2=- v3=run-1 this run=run-3 ");
}

TEST_F(LoggedReleases, AreTheNewestRunOfTheirCommitOnThisHostThatMeasuredTheSuite) {
  add(1, "aaaaaaa1");
  add(2, "aaaaaaa1");
  add(3, "aaaaaaa1", "layers");
  add(4, "aaaaaaa1", "tracking", "host-b");
  const nsop::Run own = add(5, "ddddddd4");
  EXPECT_EQ(lines(own), "v1=run-2 v2=- v3=- this run=run-5 ");
}

TEST_F(LoggedReleases, EndWithTheRunWhereItIsOneOfThem) {
  add(1, "aaaaaaa1");
  const nsop::Run own = add(2, "bbbbbbb2");
  add(3, "bbbbbbb2");
  add(4, "ccccccc3");
  EXPECT_EQ(lines(own), "v1=run-1 v2=run-2 ");
}

TEST_F(LoggedReleases, StandBeforeBaselinesThatAreNone) {
  const nsop::Run release = add(1, "aaaaaaa1"), other = add(2, "eeeeeee5");
  store_.set_baseline({"one", "host-a", release.id, "", "2026-02-01T00:00:00Z"});
  store_.set_baseline({"two", "host-a", other.id, "", "2026-02-01T00:00:00Z"});
  EXPECT_EQ(lines(add(3, "ddddddd4")), "v1=run-1 v2=- v3=- two=run-2 this run=run-3 ");
}

TEST_F(LoggedReleases, AreLackingWhereNoRunOfThisHostMeasuredThemForTheSuite) {
  const auto lacking = [&](const std::string& host) {
    std::string names;
    for (const NamedCommit& one : lacking_releases(store_, dir_.file("."), "tracking", host)) {
      names += one.name + "=" + one.commit + " ";
    }
    return names;
  };
  EXPECT_THAT([&] { lacking("host-a"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("lists no release")));
  std::string text;
  for (const NamedCommit& one : listed_) {
    text += fmt::format("[[release]]\nname = \"{}\"\ncommit = \"{}\"\n", one.name, one.commit);
  }
  write_file_atomically(dir_.file(kReleasesFile), text);
  EXPECT_EQ(lacking("host-a"), "v1=aaaaaaa1 v2=bbbbbbb2 v3=ccccccc3 ");
  add(1, "aaaaaaa1");
  add(2, "bbbbbbb2", "layers");
  add(3, "ccccccc3", "tracking", "host-b");
  EXPECT_EQ(lacking("host-a"), "v2=bbbbbbb2 v3=ccccccc3 ");
  EXPECT_EQ(lacking("host-b"), "v1=aaaaaaa1 v2=bbbbbbb2 ");
}

TEST_F(LoggedReleases, TheRunBeforeIsOneThatMeasuredTheSuite) {
  const nsop::Run first = add(1, "aaaaaaa1", "layers"), other = add(2, "bbbbbbb2", "tracking");
  const nsop::Run last = add(3, "ccccccc3", "layers");
  EXPECT_EQ(previous_run(store_, last, "layers"), first.id);
  EXPECT_EQ(previous_run(store_, last, "tracking"), other.id);
  EXPECT_EQ(previous_run(store_, last, "sweeps"), std::nullopt);
  EXPECT_EQ(previous_run(store_, first, "layers"), std::nullopt);
}

TEST_F(LoggedReleases, ARunOfSingleCasesIsNotTheOneBeforeASuites) {
  const nsop::Run first = add(1, "aaaaaaa1", "layers");
  const nsop::Run single = add(2, "bbbbbbb2", ""), last = add(3, "ccccccc3", "layers");
  EXPECT_EQ(previous_run(store_, last, "layers"), first.id);
  EXPECT_EQ(previous_run(store_, single, "layers"), first.id);
}

TEST_F(LoggedReleases, GiveWayToRunsThatTheSuiteNames) {
  add(1, "aaaaaaa1");
  const nsop::Run own = add(2, "bbbbbbb2");
  suite_.releases = {"run-1"};
  EXPECT_EQ(lines(own), "run-1=run-1 this run=run-2 ");
}

TEST(MustBeBaseline, OnlyACompleteRunOfOneBuildCanBeOne) {
  nsop::Run run = store::test::example_run("11111111-0000-4000-8000-000000000001");
  const auto named = [&] { return store::test::outcome([&] { must_be_baseline(run); }); };
  run.state = RunState::kComplete;
  EXPECT_EQ(named().code, ExitCode::kOk);
  run.profile = "gate";
  EXPECT_EQ(named().code, ExitCode::kUsage);
  EXPECT_EQ(named().message,
            "run 11111111 is a gate, which has two builds: `nsop list runs` shows other runs");
  run.profile = "quick";
  for (const RunState state : {RunState::kRunning, RunState::kAborted}) {
    run.state = state;
    EXPECT_EQ(named().code, ExitCode::kUsage);
    EXPECT_EQ(named().message,
              fmt::format("run 11111111 is {}: only a complete run can be a baseline",
                          run_state_text(state)));
  }
}

}  // namespace
}  // namespace nsop::judge
