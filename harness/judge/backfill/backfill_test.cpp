#include "harness/judge/backfill/backfill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/history/reference_runs.h"
#include "harness/judge/history/releases.h"
#include "harness/judge/history/row_history.h"
#include "harness/judge/testing/fake_builds_support.h"
#include "harness/run/workers/interrupt.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Somebody who presses Ctrl-C before the n-th invocation; 0: never.
class ImpatientObserver : public run::Observer {
 public:
  int interrupts_at = 0;
  void note(const std::string&) override {}
  void progress(const RowKey&, int64_t, int64_t, double) override {
    if (++calls_ == interrupts_at) raise(SIGINT);
  }
  void finished(const Invocation&) override {}

 private:
  int calls_ = 0;
};

class BackfillTest : public testing::Test {
 protected:
  // Commits whose workers are slower by so many per cent.
  void add(const std::string& subject, const test::Faults& faults = {}) {
    names_.push_back(repository_.commit(subject, "objects of " + subject, faults));
  }
  run::Plan plan() const {
    run::WorkerClient reference(oracle_.timing, {}, 1);
    run::Profile profile = run::profile_named("manual");
    profile.rounds = 4;
    return run::make_plan({{"double n=5", "", {{"fast", "AVX2"}, {"slow", "x86-64"}}, {1}}},
                          {oracle_}, reference, profile, 7);
  }
  BackfillSetup setup(const std::string& reference) const {
    return {repository_.place(), reference, {}, plan(), oracle_, "test", 0, folder_};
  }
  std::vector<BackfillCommit> planned() const {
    return plan_backfill({names_.rbegin(), names_.rend()}, wanted_night(plan()), &store_, folder_);
  }
  // The newest commit is the reference.
  std::vector<BackfillCommit> measured() {
    std::vector<BackfillCommit> commits = planned();
    measure_backfill(setup(names_.back()), commits, store_, observer_, note_);
    return commits;
  }
  static std::vector<BackfillState> states(const std::vector<BackfillCommit>& commits) {
    std::vector<BackfillState> states;
    for (const BackfillCommit& one : commits) states.push_back(one.state);
    return states;
  }
  RowHistory history() const {
    const Past past(dir_.file("t.db"), "");
    RowHistory found;
    each_history(past, {"double n=5", "fast", 0}, this_host().id,
                 [&](RowHistory&& row) { found = std::move(row); });
    FollowedBranch(repository_.place(), "HEAD", utc_now(), past.commits(this_host().id))
        .follow(found);
    return found;
  }

  store::test::TempDir dir_;
  const test::ChangedVariable lock_{"NSOP_LOCK", dir_.file("lock")},
      cache_{"XDG_CACHE_HOME", dir_.file("cache")};
  test::FakeRepository repository_;
  store::Store store_{dir_.file("t.db")};
  const run::Worker oracle_ = run::open_worker({NSOP_FAKE_WORKER}, "");
  std::string folder_;
  std::vector<std::string> names_, notes_;
  ImpatientObserver observer_;
  const BuildNote note_ = [this](const std::string& note) { notes_.push_back(note); };
};

constexpr auto kMeasured = BackfillState::kMeasured, kPresent = BackfillState::kPresent,
               kSkipped = BackfillState::kSkipped, kWanted = BackfillState::kWanted;

TEST_F(BackfillTest, EachCommitIsANightAndTheReferenceARunOfItsOwn) {
  add("Slow", {"slower=20"});
  add("Fast");
  const std::vector<BackfillCommit> commits = measured();
  EXPECT_THAT(states(commits), ElementsAre(kMeasured, kMeasured));
  EXPECT_EQ(commits[0].commit, names_[1]) << "newest first";
  EXPECT_THAT(notes_, Contains(HasSubstr("2 of 2: " + short_commit(names_[0]) + " Slow")));

  const nsop::Run night = store_.run(commits[1].run_id);
  EXPECT_EQ(night.origin, "measured");
  EXPECT_EQ(night.profile, "manual");
  EXPECT_EQ(night.state, RunState::kComplete);
  ASSERT_EQ(reference_runs(store_, this_host().id).size(), 2u);
  const ReferenceRun beside = reference_runs(store_, this_host().id)[0];  // of the newest session
  EXPECT_EQ(beside.night, night.id);
  EXPECT_EQ(beside.reference, names_[1]);
  const nsop::Run other = store_.run(beside.run_id);
  EXPECT_EQ(other.origin, "confirm");
  EXPECT_EQ(other.started_utc, night.started_utc);
  EXPECT_EQ(other.state, RunState::kComplete);
  EXPECT_EQ(store_.resolve_run("@last", this_host().id), night.id);
  EXPECT_EQ(store_.resolve_run(names_[1], this_host().id), commits[0].run_id)
      << "a commit is its night, not what was measured beside another one";

  const auto of = [&](const std::string& run) { return stats::summarize(store_.invocations(run)); };
  ASSERT_EQ(of(night.id).size(), 2u);
  ASSERT_EQ(of(other.id).size(), 2u);
  EXPECT_NEAR(of(night.id)[0].wall_ns / of(other.id)[0].wall_ns, 1.2, 1e-3);
  EXPECT_EQ(of(other.id)[0].invocations, 4);
  EXPECT_TRUE(store_.verify().problems.empty());
}

TEST_F(BackfillTest, CommitAndReferenceTakeTurnsInEveryRound) {
  add("One");
  add("Two");
  const std::vector<BackfillCommit> commits = measured();
  std::map<std::string, std::map<std::pair<int, RowKey>, int>> slots;  // by run
  const std::string beside = reference_runs(store_, this_host().id)[0].run_id;
  for (const std::string& run : {commits[1].run_id, beside}) {
    for (const Invocation& one : store_.invocations(run)) {
      if (one.phase == Phase::kTime) slots[run][{one.round, one.row}] = one.slot;
    }
  }
  ASSERT_EQ(slots[beside].size(), 8u) << "4 rounds of 2 rows";
  for (const auto& [at, slot] : slots[beside]) {
    EXPECT_EQ(slots[commits[1].run_id].at(at), at.first % 2 == 0 ? slot - 1 : slot + 1);
  }
}

TEST_F(BackfillTest, WhatIsThereIsNotMeasuredAgain) {
  add("One");
  add("Two");
  const std::vector<BackfillCommit> first = measured();
  add("Three");
  EXPECT_THAT(states(planned()), ElementsAre(kWanted, kPresent, kPresent));
  EXPECT_EQ(planned()[1].run_id, first[0].run_id);
  EXPECT_THAT(states(measured()), ElementsAre(kMeasured, kPresent, kPresent));
  notes_.clear();
  measured();
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("all commits of the range are measured")));
  WantedNight other = wanted_night(plan());
  other.profile = "quick";
  EXPECT_THAT(states(plan_backfill(names_, other, &store_, "")),
              ElementsAre(kWanted, kWanted, kWanted));
  other = wanted_night(plan());
  other.suites = {"activations"};
  EXPECT_EQ(plan_backfill(names_, other, &store_, "")[0].state, kWanted);
  other = wanted_night(plan());
  other.rows.insert({"double n=6", "fast", "AVX2", 1});
  EXPECT_EQ(plan_backfill(names_, other, &store_, "")[0].state, kWanted);
  other.host_id = "another";
  EXPECT_EQ(plan_backfill(names_, other, &store_, "")[0].state, kWanted);
  EXPECT_EQ(plan_backfill(names_, other, nullptr, "")[0].state, kWanted);
}

TEST_F(BackfillTest, ACommitThatCannotBeMeasuredIsSkippedAndNamed) {
  names_.push_back(repository_.commit("Nothing to build"));
  add("Mute", {"rubbish=hello"});
  add("Another's", {"set=hello /build/commit \"other\""});
  add("Without the op", {"set=hello /variants []"});
  add("Good");
  const std::vector<BackfillCommit> commits = measured();
  EXPECT_THAT(states(commits), ElementsAre(kMeasured, kSkipped, kSkipped, kSkipped, kSkipped));
  EXPECT_THAT(commits[1].why, HasSubstr("it has none of the rows: this commit has no fast of"));
  EXPECT_THAT(commits[2].why, HasSubstr("its worker says that it is of other"));
  EXPECT_THAT(commits[3].why, HasSubstr("its worker can't be used"));
  EXPECT_THAT(commits[4].why, HasSubstr("has no nsop-worker to build"));
  EXPECT_THAT(notes_, Contains(HasSubstr(short_commit(names_[0]) + " is skipped: ")));
  EXPECT_EQ(store_.runs().size(), 2u);
}

TEST_F(BackfillTest, ARowThatACommitLacksIsLeftOutOfBoth) {
  add("Without fast", {"set=hello /variants/1/name \"later\""});
  add("Good");
  const std::vector<BackfillCommit> commits = measured();
  EXPECT_THAT(states(commits), ElementsAre(kMeasured, kMeasured));
  const auto rows = stats::summarize(store_.invocations(commits[1].run_id));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].status, Status::kUnsupported);
  EXPECT_EQ(rows[0].reason, "this commit has no fast of double");
  EXPECT_EQ(rows[1].status, Status::kOk);
  const auto values = reference_values(store_, names_[1], commits);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[1].rows.size(), 1u);
  EXPECT_EQ(reference_drift(values)[1].rounds.size(), 4u);
}

TEST_F(BackfillTest, AReferenceThatCannotBeMeasuredEndsIt) {
  names_.push_back(repository_.commit("Nothing to build"));
  const auto end = outcome([&] { measured(); });
  EXPECT_EQ(end.code, ExitCode::kEnvironment);
  EXPECT_THAT(end.message, HasSubstr("the reference " + short_commit(names_[0])));
  EXPECT_THAT(end.message, HasSubstr("--reference names another"));
  EXPECT_TRUE(store_.runs().empty());
}

TEST_F(BackfillTest, AnInterruptKeepsWhatIsCompleteAndTheNextCallGoesOn) {
  for (const char* subject : {"One", "Two", "Three"}) add(subject);
  run::install_interrupt_handlers();
  observer_.interrupts_at = 27;  // in the second session: one is 20 long
  std::vector<BackfillCommit> commits = planned();
  EXPECT_THROW(measure_backfill(setup(names_[2]), commits, store_, observer_, note_),
               run::Interrupted);
  EXPECT_THAT(states(commits), ElementsAre(kMeasured, kWanted, kWanted));
  EXPECT_THAT(notes_, Contains(HasSubstr("interrupted; 1 of 3 commits are complete")));
  std::vector<RunState> stored;
  for (const store::RunSummary& one : store_.runs()) stored.push_back(one.run.state);
  EXPECT_THAT(stored, ElementsAre(RunState::kAborted, RunState::kAborted, RunState::kComplete,
                                  RunState::kComplete));
  EXPECT_THAT(states(measured()), ElementsAre(kPresent, kMeasured, kMeasured));
  EXPECT_EQ(reference_values(store_, names_[2], planned()).size(), 3u)
      << "those of the first call, too";
}

TEST_F(BackfillTest, AHistoryHasThemInTheOrderOfTheirCommits) {
  for (const char* subject : {"One", "Two", "Three"}) add(subject);
  measured();
  const RowHistory row = history();
  std::vector<std::string> commits;
  for (const Point& point : row.line) commits.push_back(point.commit);
  EXPECT_EQ(commits, names_);
  EXPECT_THAT(row.left_out, ElementsAre("", "", ""));
  EXPECT_EQ(previous_run(store_, store_.run(planned()[0].run_id), ""), std::nullopt);
}

TEST_F(BackfillTest, AFolderKeepsTheNightsForMachinesThatAreThrownAway) {
  add("One");
  add("Two");
  measured();  // into the database alone
  folder_ = dir_.file("nights");
  add("Three");
  measured();
  const std::vector<Night> nights = read_nights(folder_);
  ASSERT_EQ(nights.size(), 3u);
  for (const Night& night : nights) EXPECT_TRUE(night.backfilled) << night.commit;
  EXPECT_EQ(parse_night(night_text(nights[0]), "f").backfilled, true);
  EXPECT_THAT(states(plan_backfill(names_, wanted_night(plan()), nullptr, folder_)),
              ElementsAre(kPresent, kPresent, kPresent));
}

TEST(OwnRows, OtherLibrariesAreNoneOfThem) {
  run::Plan plan;
  plan.rows = {{{"relu n=1", "hwy", "AVX2", 1}, 0, ""}, {{"relu n=1", "numpy", "none", 1}, 1, ""}};
  EXPECT_EQ(own_rows(plan).rows.size(), 1u);
  plan.rows.erase(plan.rows.begin());
  EXPECT_EQ(outcome([&] { own_rows(plan); }).code, ExitCode::kUsage);
}

TEST(BackfillExit, IsInconclusiveWhereTheHistoryHasNone) {
  const auto end = [](const std::vector<BackfillState>& states) {
    std::vector<BackfillCommit> commits;
    for (const BackfillState state : states) commits.push_back({"c", state});
    return exit_of(commits);
  };
  EXPECT_EQ(end({kMeasured, kPresent}), ExitCode::kOk);
  EXPECT_EQ(end({kSkipped, kPresent}), ExitCode::kOk);
  EXPECT_EQ(end({kMeasured, kSkipped}), ExitCode::kOk);
  EXPECT_EQ(end({kSkipped, kSkipped}), ExitCode::kInconclusive);
}

}  // namespace
}  // namespace nsop::judge
