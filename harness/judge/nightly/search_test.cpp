#include "harness/judge/nightly/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/testing/lab_support.h"
#include "harness/judge/testing/nights_support.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using test::kRelu;
using testing::HasSubstr;

class SearchTest : public testing::Test {
 protected:
  Change change() {
    return change_between(lab_.compare("c000", "c015", {kRelu}, Purpose::kFinding), kRelu, "c000",
                          "c015");
  }
  Culprit search() {
    return search_change(lab_.line("c000", "c015"), kRelu, change(), lab_,
                         [&](const SearchStep& step) { steps_.push_back(step); });
  }
  test::FakeLab lab_;
  std::vector<SearchStep> steps_;
};

TEST_F(SearchTest, FindsTheCommit) {
  lab_.changes["c011"][kRelu] = 1.2;
  const Culprit culprit = search();
  EXPECT_EQ(culprit.first_bad, "c011");
  EXPECT_EQ(culprit.last_good, "c010");
  EXPECT_EQ(steps_.size(), static_cast<size_t>(lab_.steps));
}

TEST_F(SearchTest, ACommitThatDoesNotBuildIsToldOfAndStaysACandidate) {
  lab_.changes["c011"][kRelu] = 1.2;
  lab_.broken["c011"] = "doesn't build";
  const Culprit culprit = search();
  EXPECT_THAT(culprit.between, testing::Contains("c011"));
  const auto broken = std::find_if(steps_.begin(), steps_.end(),
                                   [](const SearchStep& s) { return s.commit == "c011"; });
  ASSERT_NE(broken, steps_.end());
  EXPECT_EQ(broken->side, Side::kUnknown);
  EXPECT_EQ(broken->why, "doesn't build");
}

TEST_F(SearchTest, WithoutAChangeThereIsNothingToSearch) {
  const auto none = outcome([&] { change(); });
  EXPECT_EQ(none.code, ExitCode::kInconclusive);
  EXPECT_THAT(none.message, HasSubstr("there is no change to search for"));
  lab_.base_fails = true;
  EXPECT_THAT(outcome([&] { change(); }).message, HasSubstr("c000 can't be measured itself"));
  lab_.void_reason = "a control moved";
  EXPECT_THAT(outcome([&] { change(); }).message, HasSubstr("the session is void"));
}

TEST_F(SearchTest, MemoryAndCrashesAreChangesOfTheirKind) {
  lab_.allocs["c003"][kRelu] = 1;
  EXPECT_EQ(change().kind, SuspectKind::kCount);
  lab_.crashes_from = "c004";
  EXPECT_EQ(change().kind, SuspectKind::kFailure);
}

TEST_F(SearchTest, AStepOfGitBisectIsGoodBadOrCannotBeJudged) {
  const auto step = [&] {
    return exit_of_step(lab_.compare("c000", "c001", {kRelu}, Purpose::kFinding).rows[0]);
  };
  EXPECT_EQ(step(), ExitCode::kOk);
  lab_.changes["c001"][kRelu] = 1.3;
  EXPECT_EQ(step(), ExitCode::kFailed);
  lab_.changes["c001"][kRelu] = 0.7;
  EXPECT_EQ(step(), ExitCode::kOk);
  lab_.noise = 0.9;
  EXPECT_EQ(step(), ExitCode::kInconclusive);
  lab_.base_fails = true;
  EXPECT_EQ(step(), ExitCode::kInconclusive);
}

TEST(CodeForGit, OnlyVerdictsAreOther) {
  EXPECT_EQ(code_for_git(ExitCode::kOk), 0);
  EXPECT_EQ(code_for_git(ExitCode::kFailed), 1);
  for (const ExitCode code :
       {ExitCode::kUsage, ExitCode::kInconclusive, ExitCode::kBadData, ExitCode::kEnvironment}) {
    EXPECT_EQ(code_for_git(code), 125) << static_cast<int>(code);
  }
}

TEST(SearchExit, IsInconclusiveWhileOtherCommitsMayBeTheOne) {
  Culprit culprit;
  EXPECT_EQ(exit_of(culprit), ExitCode::kOk);
  culprit.between = {"c010"};
  EXPECT_EQ(exit_of(culprit), ExitCode::kInconclusive);
}

TEST(JudgeStep, WhatGoesWrongIsNoVerdict) {
  for (const ExitCode code : {ExitCode::kOk, ExitCode::kFailed, ExitCode::kInconclusive}) {
    EXPECT_EQ(judge_step([&] { return code; }), code);
  }
  const auto error =
      outcome([] { judge_step([]() -> ExitCode { throw usage_error("no such case"); }); });
  EXPECT_EQ(error.code, ExitCode::kInconclusive);
  EXPECT_EQ(error.message, "can't judge: no such case");
  const auto failure = outcome([] {
    judge_step([]() -> ExitCode { throw run::WorkerFailure(Status::kError, "it died"); });
  });
  EXPECT_EQ(failure.code, ExitCode::kInconclusive);
  EXPECT_THAT(failure.message, HasSubstr("it died"));
}

}  // namespace
}  // namespace nsop::judge
