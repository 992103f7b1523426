#include "harness/run/runner.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/core/error.h"
#include "harness/run/scratch.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::run {
namespace {

class Silent : public Observer {
 public:
  void note(const std::string&) override {}
  void progress(const RowKey&, int64_t, int64_t, double left_s) override { left.push_back(left_s); }
  void finished(const Invocation&) override {}
  std::vector<double> left;  // seconds, as told
};

class RunnerTest : public testing::Test {
 protected:
  Plan plan(const std::vector<std::string>& lines, int rounds) {
    std::vector<PlanRequest> requests;
    for (const std::string& line : lines) {
      requests.push_back({line, "", {{"slow", "best"}, {"fast", "best"}, {"fast", "AVX3"}}, {1}});
    }
    Profile profile = profile_named("manual");
    profile.rounds = rounds;
    WorkerClient reference({{NSOP_FAKE_WORKER}, ""}, {}, 1);
    return make_plan(requests, workers_, reference, profile, 42);
  }

  std::vector<Invocation> run(const Plan& p, const Done& done = {}) {
    std::vector<Invocation> all;
    Silent observer;
    Runner runner(p, workers_, oracle_, scratch_.path(), observer);
    outcome_ = runner.run("run", done, [&](const Invocation& i) { all.push_back(i); });
    left_ = observer.left;
    return all;
  }

  std::vector<Worker> workers_{open_worker({NSOP_FAKE_WORKER}, "/dev/null")};
  ScratchFolder scratch_;
  OracleCache oracle_{{{NSOP_FAKE_WORKER}, ""}, "sha", "", scratch_.path()};
  RunOutcome outcome_;
  std::vector<double> left_;
};

// Not what says only that it can't be.
bool is_timed(const Invocation& i) {
  return i.phase == Phase::kTime && i.status != Status::kUnsupported;
}

std::vector<std::string> order(const std::vector<Invocation>& all, int round) {
  std::vector<std::string> rows;
  for (const Invocation& i : all) {
    if (is_timed(i) && i.round == round) {
      rows.push_back(i.row.case_text + " " + i.row.variant);
    }
  }
  return rows;
}

TEST_F(RunnerTest, ARowThatDiffersTooMuchIsMeasuredAgainAndSaysSo) {
  Plan p = plan({"double n=3,4"}, 4);
  for (PlanRow& row : p.rows) {
    if (row.key.case_text == "double n=3") row.most_sd = row.key.variant == "fast" ? -1 : 0.1;
  }
  std::map<std::string, int> counts, notes;
  for (const Invocation& i : run(p)) {
    if (!is_timed(i)) continue;
    ++counts[i.row.text()];
    notes[i.row.text()] += static_cast<int>(i.warnings.size());
  }
  // No spread is below -1: what could be measured for ever is measured three times.
  EXPECT_EQ(counts["double n=3 | fast@AVX2 | threads=1"], 12);
  EXPECT_EQ(notes["double n=3 | fast@AVX2 | threads=1"], 8);
  EXPECT_EQ(counts["double n=3 | slow@x86-64 | threads=1"], 4);  // all equal: 0 is below 10 %
  EXPECT_EQ(counts["double n=4 | fast@AVX2 | threads=1"], 4);
}

TEST_F(RunnerTest, CountsOnceThenTimesEveryRowInEveryRound) {
  const auto all = run(plan({"double n=3,4"}, 4));
  std::map<std::pair<Phase, std::string>, int> counts;
  for (const Invocation& i : all) ++counts[{i.phase, i.row.text()}];
  EXPECT_EQ((counts[{Phase::kCount, "double n=3 | fast@AVX2 | threads=1"}]), 1);
  EXPECT_EQ((counts[{Phase::kTime, "double n=3 | fast@AVX2 | threads=1"}]), 4);
  EXPECT_EQ((counts[{Phase::kTime, "double n=4 | slow@x86-64 | threads=1"}]), 4);
  // A target that this machine lacks is recorded once, with its reason, in place of its times.
  EXPECT_EQ((counts[{Phase::kCount, "double n=3 | fast@AVX3 | threads=1"}]), 0);
  EXPECT_EQ((counts[{Phase::kTime, "double n=3 | fast@AVX3 | threads=1"}]), 1);
  EXPECT_EQ(outcome_.failed, 0);
}

TEST_F(RunnerTest, VariantsOfACaseAreNeighboursAndOrderIsAbba) {
  const auto all = run(plan({"double n=1,2,3,4,5"}, 4));
  for (int round = 0; round < 4; ++round) {
    const auto rows = order(all, round);
    ASSERT_EQ(rows.size(), 10u);
    for (size_t i = 0; i < rows.size(); i += 2) {
      EXPECT_EQ(rows[i].substr(0, 10), rows[i + 1].substr(0, 10));
      EXPECT_THAT(rows[i], testing::EndsWith(round % 2 == 0 ? "slow" : "fast"));
    }
  }
  EXPECT_NE(order(all, 0), order(all, 2));  // shuffled per round
}

TEST_F(RunnerTest, NothingIsSaidOfTheTimeLeftBeforeAnythingWasTimed) {
  const auto all = run(plan({"double n=1"}, 3));
  const auto timed =
      static_cast<size_t>(std::find_if(all.begin(), all.end(), is_timed) - all.begin());
  ASSERT_GT(left_.size(), timed + 1);
  for (size_t i = 0; i <= timed; ++i) EXPECT_TRUE(std::isnan(left_[i])) << i;
  for (size_t i = timed + 1; i < left_.size(); ++i) EXPECT_GT(left_[i], 0) << i;
}

TEST_F(RunnerTest, TheSeedDecidesTheOrder) {
  const Plan p = plan({"double n=1,2,3,4,5"}, 2);
  EXPECT_EQ(order(run(p), 1), order(run(p), 1));
}

TEST_F(RunnerTest, ResumeMeasuresOnlyWhatIsMissing) {
  const Plan p = plan({"double n=3"}, 3);
  const auto whole = run(p);
  Done done;
  for (size_t i = 0; i < 5; ++i)
    done[{whole[i].phase, whole[i].round, whole[i].row}] = whole[i].status;
  const auto rest = run(p, done);
  EXPECT_EQ(rest.size() + 5, whole.size());
  for (const Invocation& i : rest) EXPECT_FALSE(done.contains({i.phase, i.round, i.row}));
}

TEST_F(RunnerTest, ABrokenWorkerCostsItsRowsOnlyAndEveryInvocationIsReported) {
  Plan p = plan({"double n=3"}, 3);
  workers_.push_back(workers_[0]);
  workers_[1].timing.command.push_back("crash=load");
  workers_[1].counting.command.push_back("crash=load");
  for (PlanRow& row : p.rows) {
    if (row.key.variant == "slow") row.worker = 1;
  }
  const auto all = run(p);
  int crashed = 0, fine = 0;
  for (const Invocation& i : all) {
    if (i.row.variant == "slow") crashed += i.status == Status::kError;
    if (i.row.variant == "fast" && i.phase == Phase::kTime) fine += i.status == Status::kOk;
  }
  EXPECT_EQ(crashed, 1);  // not tried again
  EXPECT_EQ(fine, 3);
  EXPECT_EQ(outcome_.failed, 1);
}

TEST_F(RunnerTest, AReusableWorkerServesARoundAndACrashCostsItsRowOnly) {
  workers_[0] = open_worker({NSOP_FAKE_WORKER, "reusable"}, "");
  std::vector<double> ages;
  for (const Invocation& i : run(plan({"double n=3,4"}, 2))) {
    if (is_timed(i)) ages.push_back(i.process_age_s);
  }
  EXPECT_THAT(ages, testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
  workers_[0] = open_worker({NSOP_FAKE_WORKER, "reusable", "crash=second"}, "");
  std::vector<Status> status;
  ages.clear();
  for (const Invocation& i : run(plan({"double n=3,4"}, 1))) {
    if (!is_timed(i)) continue;
    status.push_back(i.status);
    ages.push_back(i.process_age_s);
  }
  EXPECT_THAT(status,
              testing::ElementsAre(Status::kOk, Status::kError, Status::kOk, Status::kError));
  EXPECT_THAT(ages, testing::ElementsAre(1, 0, 1, 0)) << "a new process after each crash";
}

TEST_F(RunnerTest, BudgetsTakeRoundsAwayAndSaySo) {
  Plan p = plan({"double n=3"}, 50);
  p.profile.total_budget_s = 1e-6;
  const auto all = run(p);
  int timed = 0;
  for (const Invocation& i : all) timed += is_timed(i);
  EXPECT_EQ(timed, 2);  // the first round of both rows, which finds out what a round costs
  EXPECT_EQ(outcome_.dropped_rounds, 98);
}

TEST_F(RunnerTest, ARowOverItsBudgetKeepsAsManyInvocationsAsAnIntervalNeeds) {
  Plan p = plan({"double n=3"}, 9);
  p.profile.row_budget_s = 1e-6;
  p.profile.fewest_rounds = 6;
  int timed = 0;
  std::string said;
  for (const Invocation& i : run(p)) {
    timed += is_timed(i);
    if (is_timed(i) && i.round == 5) said = i.warnings.at(0);
  }
  EXPECT_EQ(timed, 2 * 6);
  EXPECT_THAT(said, testing::StartsWith("by plan: 6 invocations instead of 9: one takes "));
}

TEST_F(RunnerTest, AnInterruptLeavesWhatWasFinished) {
  const Plan p = plan({"double n=3"}, 3);
  Silent observer;
  Runner runner(p, workers_, oracle_, scratch_.path(), observer);
  int finished = 0;
  install_interrupt_handlers();
  EXPECT_THROW(runner.run("run", {},
                          [&](const Invocation&) {
                            if (++finished == 4) raise(SIGINT);
                          }),
               Interrupted);
  clear_interrupt();
  EXPECT_EQ(finished, 4);
}

}  // namespace
}  // namespace nsop::run
