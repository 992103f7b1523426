#include "harness/judge/nightly/revision_lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/testing/fake_builds_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using stats::Verdict;
using store::test::outcome;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class RevisionLabTest : public testing::Test {
 protected:
  LabOptions options() const {
    LabOptions options;
    options.place = repository_.place();
    options.gate.layouts = 1;
    options.gate.budget_s = 0;
    options.gate.seed = 7;
    options.tool_version = "test";
    return options;
  }
  // The workers take the controls, too.
  std::string commit(const std::string& subject, const std::string& objects,
                     test::Faults faults = {}) {
    faults.emplace_back("any");
    return repository_.commit(subject, objects, faults);
  }
  store::test::Outcome compared(const std::string& base, const std::string& head) {
    return outcome([&] { lab_.compare(base, head, {row_}, Purpose::kStep); });
  }

  const RowKey row_{"double n=5", "fast", "AVX2", 1};
  store::test::TempDir dir_;
  const test::ChangedVariable lock_{"NSOP_LOCK", dir_.file("lock")},
      cache_{"XDG_CACHE_HOME", dir_.file("cache")};
  test::FakeRepository repository_;
  store::Store store_{dir_.file("t.db")};
  const run::Worker reference_ = run::open_worker({NSOP_FAKE_WORKER}, "");
  std::vector<std::string> notes_;
  RevisionLab lab_{options(), reference_, store_,
                   [this](const std::string& note) { notes_.push_back(note); }};
};

TEST_F(RevisionLabTest, ASlowerCommitIsWorseAndWhatWasMeasuredIsStored) {
  const std::string good = commit("Good", "objects 1"),
                    bad = commit("Bad", "objects 2", {"slower=20"});
  const GateResult gate = lab_.compare("HEAD~1", "HEAD", {row_}, Purpose::kStep);
  EXPECT_EQ(gate.void_reason, "");
  ASSERT_EQ(gate.rows.size(), 3u) << "two controls and the row";
  const GateRowResult* row = result_of(gate, row_);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->verdict, Verdict::kWorse) << row->note;
  EXPECT_NEAR(row->first.decision.change().ratio, 1.2, 0.01);
  EXPECT_FALSE(row->second) << "a step of a search has one session";
  EXPECT_EQ(lab_.comparisons(), 1);
  EXPECT_EQ(lab_.seconds(), gate.seconds);
  EXPECT_THAT(notes_, Contains(HasSubstr("measuring " + bad.substr(0, 12) + " against " +
                                         good.substr(0, 12) + ": 1 row")));

  ASSERT_EQ(store_.runs().size(), 1u);
  const nsop::Run run = store_.run(store_.runs()[0].run.id);
  EXPECT_EQ(run.origin, "confirm");
  EXPECT_EQ(run.state, RunState::kComplete);
  EXPECT_EQ(run.seed, 7u);
  EXPECT_EQ(run.tool_version, "test");
  EXPECT_TRUE(run.facts.contains(row_.case_text));
  const GatePlan plan = parse_gate_plan(run.plan_json);
  EXPECT_EQ(plan.base.label, good);
  EXPECT_EQ(plan.base.commit, good);
  EXPECT_EQ(plan.head.commit, bad);
  EXPECT_EQ(plan.command, "nsop gate --base " + good + " --head " + bad);
  EXPECT_FALSE(plan.second_session);
  EXPECT_FALSE(store_.invocations(run.id).empty());
}

TEST_F(RevisionLabTest, AFindingHasASecondSession) {
  commit("Good", "objects 1");
  commit("Bad", "objects 2", {"slower=20"});
  const GateResult gate = lab_.compare("HEAD~1", "HEAD", {row_}, Purpose::kFinding);
  const GateRowResult* row = result_of(gate, row_);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->verdict, Verdict::kWorse) << row->note;
  ASSERT_TRUE(row->second);
  EXPECT_EQ(row->second->decision.verdict, Verdict::kWorse);
  EXPECT_TRUE(parse_gate_plan(store_.run(store_.runs()[0].run.id).plan_json).second_session);
}

TEST_F(RevisionLabTest, IdenticalObjectsAreTheSameWithoutAMeasurement) {
  commit("One", "objects 1");
  commit("Two", "objects 1", {"slower=20"});
  const GateResult gate = lab_.compare("HEAD~1", "HEAD", {row_}, Purpose::kFinding);
  ASSERT_EQ(gate.rows.size(), 1u);
  EXPECT_EQ(gate.rows[0].row.key, row_);
  EXPECT_EQ(gate.rows[0].verdict, Verdict::kSame);
  EXPECT_EQ(gate.rows[0].first.decision.change().hi, 1);
  EXPECT_THAT(gate.rows[0].note, HasSubstr("identical objects"));
  EXPECT_EQ(lab_.comparisons(), 0);
  EXPECT_TRUE(store_.runs().empty());
}

TEST_F(RevisionLabTest, AHeadThatFailsOnTheRowIsWorse) {
  commit("Good", "objects 1");
  commit("Bad", "objects 2", {"target=other"});
  const GateResult gate = lab_.compare("HEAD~1", "HEAD", {row_}, Purpose::kStep);
  EXPECT_EQ(result_of(gate, row_)->first.head, Status::kError);
  EXPECT_EQ(result_of(gate, row_)->verdict, Verdict::kWorse);
}

TEST_F(RevisionLabTest, ACommitThatCannotBeMeasuredIsNamed) {
  commit("Good", "objects 1");
  const std::string broken = commit("Broken", "objects 2", {"rubbish=hello"});
  const auto mute = compared("HEAD~1", "HEAD");
  EXPECT_EQ(mute.code, ExitCode::kInconclusive);
  EXPECT_THAT(mute.message, HasSubstr("commit " + broken.substr(0, 12) + " can't be measured: "));
  const std::string nothing = repository_.commit("Nothing to build");
  const auto unbuilt = compared("HEAD~2", "HEAD");
  EXPECT_EQ(unbuilt.code, ExitCode::kEnvironment);
  EXPECT_THAT(unbuilt.message, HasSubstr("commit " + nothing.substr(0, 12)));
  const auto unknown = compared("HEAD", "nobody");
  EXPECT_EQ(unknown.code, ExitCode::kUsage);
  EXPECT_THAT(unknown.message, HasSubstr("'nobody'"));
  EXPECT_TRUE(store_.runs().empty());
  EXPECT_EQ(lab_.comparisons(), 0);
}

TEST_F(RevisionLabTest, KnowsTheLineOfCommits) {
  const std::string one = repository_.commit("One"), two = repository_.commit("Two"),
                    three = repository_.commit("Three");
  EXPECT_THAT(lab_.line("HEAD~2", "HEAD"), ElementsAre(one, two, three));
  EXPECT_EQ(lab_.subject(two), "Two");
  EXPECT_EQ(outcome([&] { lab_.line("HEAD", "HEAD~2"); }).code, ExitCode::kUsage);
  EXPECT_EQ(outcome([&] { lab_.line("HEAD", "HEAD"); }).code, ExitCode::kUsage);
}

}  // namespace
}  // namespace nsop::judge
