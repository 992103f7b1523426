#include "harness/judge/gate/arms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/testing/fake_builds_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BuildArms : public testing::Test {
 protected:
  GateArms build(const ArmNames& names, const BuildPlace& place = {"/", "/nonexistent"}) {
    notes_.clear();
    return build_arms(place, names, [&](const std::string& note) { notes_.push_back(note); });
  }
  store::test::Outcome refused(const ArmNames& names,
                               const BuildPlace& place = {"/", "/nonexistent"}) {
    return outcome([&] { build(names, place); });
  }
  ArmNames revisions(const std::string& base, const std::string& head, bool from_merge_base) {
    return {base, head, from_merge_base, 1, true};
  }
  test::ProgramFolder programs_;
  std::vector<std::string> notes_;
};

TEST_F(BuildArms, TwoProgramsHaveOneLinkOrderEachWhichIsADoubt) {
  const std::string base = programs_.add("base"), head = programs_.add("head");
  const GateArms arms = build({base, head});
  EXPECT_THAT(arms.base.workers, ElementsAre(base));
  EXPECT_THAT(arms.head.workers, ElementsAre(head));
  EXPECT_EQ(arms.base.label, base);
  EXPECT_EQ(arms.merge_base, "");
  EXPECT_EQ(arms.orders.session, 1);
  EXPECT_FALSE(arms.orders.fresh);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("one link order each")));
}

TEST_F(BuildArms, LinkOrdersThatOnlyOneSideHasAreLeftOut) {
  const ArmNames names = {programs_.add_layouts("base", 13), programs_.add_layouts("head", 12)};
  const GateArms two = build(names);
  EXPECT_EQ(two.base.workers.size(), 12u);
  EXPECT_EQ(two.head.workers.size(), 12u);
  EXPECT_EQ(two.orders.session, 6);
  EXPECT_TRUE(two.orders.fresh);
  EXPECT_THAT(notes_, IsEmpty());
  ArmNames once = names;
  once.second_session = false;
  EXPECT_EQ(build(once).orders.session, 12);
  EXPECT_FALSE(build(once).orders.fresh);
}

TEST_F(BuildArms, AFolderOfTwoToFiveLinkOrdersIsRefused) {
  const std::string few = programs_.add_layouts("few", 5), one = programs_.add("one");
  for (const ArmNames& names : {ArmNames{few, one}, ArmNames{one, few}}) {
    const auto refusal = refused(names);
    EXPECT_EQ(refusal.code, ExitCode::kUsage);
    EXPECT_THAT(refusal.message, HasSubstr(few + ": 5 link orders decide nothing"));
  }
}

TEST_F(BuildArms, AProgramHasNoMergeBase) {
  const auto refusal = refused({programs_.add("base"), "HEAD", true});
  EXPECT_EQ(refusal.code, ExitCode::kUsage);
  EXPECT_EQ(refusal.message, "--merge-base: both sides must be revisions");
}

TEST_F(BuildArms, AFolderWithoutAWorkerIsRefused) {
  programs_.add("other/program");
  const auto refusal = refused({programs_.file("other"), programs_.add("head")});
  EXPECT_EQ(refusal.code, ExitCode::kUsage);
  EXPECT_THAT(refusal.message, HasSubstr("no worker program there"));
}

class BuildRevisionArms : public BuildArms {
 protected:
  void SetUp() override {
    first_ = repository_.commit("First", "objects 1");
    repository_.git({"checkout", "-q", "-b", "topic"});
    topic_ = repository_.commit("Topic", "objects 2");
    repository_.git({"checkout", "-q", "main"});
    later_ = repository_.commit("Later", "objects 3");
  }
  test::FakeRepository repository_;
  std::string first_, topic_, later_;
};

TEST_F(BuildRevisionArms, ABaseThatWentOnIsADoubt) {
  const GateArms arms = build(revisions("main", "topic", false), repository_.place());
  EXPECT_EQ(arms.base.commit, later_);
  EXPECT_EQ(arms.base.label, "main");
  EXPECT_EQ(arms.head.commit, topic_);
  EXPECT_EQ(arms.merge_base, first_);
  EXPECT_THAT(notes_,
              Contains(HasSubstr("the base is not the merge base (" + first_.substr(0, 12))));
  build(revisions(first_, "topic", false), repository_.place());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("one link order each")));
}

TEST_F(BuildRevisionArms, TheMergeBaseTakesThePlaceOfTheBase) {
  const GateArms arms = build(revisions("main", "topic", true), repository_.place());
  EXPECT_EQ(arms.base.commit, first_);
  EXPECT_EQ(arms.base.label, "merge base with main");
  EXPECT_EQ(arms.head.commit, topic_);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("one link order each")));
}

TEST_F(BuildRevisionArms, WithoutACommonCommitThereIsNoMergeBase) {
  repository_.git({"checkout", "-q", "--orphan", "island"});
  repository_.commit("Island", "objects 4");
  const auto refusal = refused(revisions("main", "island", true), repository_.place());
  EXPECT_EQ(refusal.code, ExitCode::kUsage);
  EXPECT_THAT(refusal.message, HasSubstr("main and island have no commit in common"));
  EXPECT_EQ(build(revisions("main", "island", false), repository_.place()).merge_base, "");
}

TEST_F(BuildRevisionArms, ChangesThatNoCommitHoldsAreADoubt) {
  write_file_atomically(repository_.place().repository + "/new.cpp", "", Durability::kScratch);
  build(revisions(first_, "topic", false), repository_.place());
  EXPECT_THAT(notes_, Contains(HasSubstr("uncommitted changes are not measured")));
}

TEST_F(BuildRevisionArms, ABaseWithoutAWorkerIsNoVerdictAHeadWithoutOneIs) {
  const std::string nothing = repository_.commit("Nothing to build");
  const auto base = refused(revisions(nothing, "topic", false), repository_.place());
  EXPECT_EQ(base.code, ExitCode::kInconclusive);
  EXPECT_THAT(base.message, HasSubstr("the base (" + nothing + ") can't be measured: "));
  const auto head = refused(revisions(first_, nothing, false), repository_.place());
  EXPECT_EQ(head.code, ExitCode::kFailed);
  EXPECT_THAT(head.message, HasSubstr("the head (" + nothing + ") can't be measured: "));
  EXPECT_EQ(refused(revisions("nobody", "topic", false), repository_.place()).code,
            ExitCode::kUsage);
}

Built built_of(const std::vector<std::string>& workers) {
  Built built;
  built.label = "v1";
  built.commit = "c0ffee";
  built.workers = workers;
  return built;
}

TEST(StartArm, EveryLinkOrderSaysWhoItIs) {
  const test::ProgramFolder programs;
  Built built = built_of({programs.add("a"), programs.add("b", {"layout=1"})});
  built.preload = "counting.so";
  const ArmWorkers workers = start_arm(built, Arm::kHead);
  ASSERT_EQ(workers.layouts.size(), 2u);
  EXPECT_EQ(workers.layouts[1].timing.command, std::vector{built.workers[1]});
  EXPECT_EQ(workers.layouts[1].timing.preload, "");
  EXPECT_EQ(workers.layouts[1].counting.preload, "counting.so");
  EXPECT_EQ(workers.layouts[0].hello.program, "fake");
  const GateSide side = gate_side(built, workers);
  EXPECT_EQ(side.label, "v1");
  EXPECT_EQ(side.commit, "c0ffee");
  EXPECT_THAT(side.build_ids,
              ElementsAre(workers.layouts[0].build.id, workers.layouts[1].build.id));
  EXPECT_NE(side.build_ids[0], side.build_ids[1]);
}

TEST(StartArm, ABaseThatDoesNotStartIsNoVerdictAHeadThatDoesNotIs) {
  const test::ProgramFolder programs;
  for (const char* fault : {"crash=hello", "rubbish=hello", "newer"}) {
    const Built built = built_of({programs.add("good"), programs.add("bad", {fault})});
    const auto base = outcome([&] { start_arm(built, Arm::kBase); });
    EXPECT_EQ(base.code, ExitCode::kInconclusive) << fault;
    EXPECT_THAT(base.message, HasSubstr("the base (v1) can't be measured: ")) << fault;
    const auto head = outcome([&] { start_arm(built, Arm::kHead); });
    EXPECT_EQ(head.code, ExitCode::kFailed) << fault;
    EXPECT_THAT(head.message, HasSubstr("the head (v1) can't be measured: ")) << fault;
  }
}

TEST(GateSides, OfAnUnknownProgramHaveNoCommit) {
  Built built = built_of({});
  built.commit.clear();
  const GateSide side = gate_side(built, {});
  EXPECT_EQ(side.commit, "");
  EXPECT_THAT(side.build_ids, IsEmpty());
}

}  // namespace
}  // namespace nsop::judge
