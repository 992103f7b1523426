// plan_gate() of plan.h: which rows both sides of a gate can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/files.h"
#include "harness/judge/gate/plan.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SuiteCase case_of(const std::string& line, const std::vector<std::string>& tags = {}) {
  SuiteCase one;
  one.line = line;
  one.tags = tags;
  one.where = "suite.toml:1";
  return one;
}

Suite suite_named(const std::string& name, const std::vector<SuiteCase>& cases) {
  Suite suite;
  suite.name = name;
  suite.after = {"fast", "best"};
  suite.cases = cases;
  return suite;
}

// Two sides of the fake worker, which has `double` with the variants `slow` and `fast`, and suites
// by folder.
class PlanGate : public testing::Test {
 protected:
  GateRowsPlan plan(const GateSelection& wanted = {}) {
    notes_.clear();
    const SuitePlace own{"own", [&](const std::string& folder) {
                           if (!suites_.contains(folder)) throw usage_error("no " + folder);
                           return suites_.at(folder);
                         }};
    return plan_gate(wanted, arms_, own, dir_.path(), {base_, head_, reference_},
                     [&](const std::string& note) { notes_.push_back(note); });
  }
  // The rows but the controls, each as a text with its kind.
  std::vector<std::string> rows(const GateSelection& wanted = {}) {
    std::vector<std::string> texts;
    for (const GateRow& row : plan(wanted).rows) {
      if (row.canary) continue;
      const char* kind = row.kind == RowKind::kBoth   ? ""
                         : row.kind == RowKind::kLost ? "lost "
                                                      : "new ";
      texts.push_back(kind + row.key.case_text + " " + row.key.variant + "@" + row.key.target);
    }
    return texts;
  }
  GateRow only_row() {
    const std::vector<GateRow> rows = plan().rows;
    EXPECT_EQ(rows.size(), 3u) << "two controls and one";
    return rows.back();
  }
  store::test::Outcome refused(const GateSelection& wanted = {}) {
    return outcome([&] { plan(wanted); });
  }
  // A worker that lost its variant `fast`.
  static void lose_fast(run::Worker& worker) {
    std::erase_if(worker.hello.variants, [](const auto& v) { return v.name == "fast"; });
  }

  store::test::TempDir dir_;
  run::Worker base_ = run::open_worker({NSOP_FAKE_WORKER}, ""), head_ = base_;
  run::WorkerClient reference_{{{NSOP_FAKE_WORKER}, ""}, {}, 1};
  GateArms arms_;
  std::map<std::string, std::vector<Suite>> suites_ = {
      {"own", {suite_named("one", {case_of("double n=4")})}}};
  std::vector<std::string> notes_;
};

TEST_F(PlanGate, ControlsComeFirstAndEveryCaseIsDescribed) {
  const GateRowsPlan planned = plan();
  ASSERT_EQ(planned.rows.size(), 3u);
  for (const size_t i : {0, 1}) {
    EXPECT_TRUE(planned.rows[i].canary);
    EXPECT_EQ(planned.rows[i].key, control_rows()[i]);
    EXPECT_EQ(planned.rows[i].kind, RowKind::kBoth);
  }
  EXPECT_EQ(planned.rows[2].key, (RowKey{"double n=4", "fast", "AVX2", 1}));
  EXPECT_FALSE(planned.rows[2].canary);
  EXPECT_EQ(planned.rows[2].untimed, "");
  for (const GateRow& row : planned.rows) {
    EXPECT_EQ(planned.cases.at(row.key.case_text).text, row.key.case_text);
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(PlanGate, WhatOnlyTheBaseCanDoIsLostAndSaysWhy) {
  lose_fast(head_);
  const GateRow row = only_row();
  EXPECT_EQ(row.kind, RowKind::kLost);
  EXPECT_EQ(row.key.target, "AVX2");
  EXPECT_THAT(row.untimed, HasSubstr("head: suite.toml:1: op double has no variant 'fast'"));
}

TEST_F(PlanGate, WhatOnlyTheHeadCanDoIsNewAndSaysWhy) {
  lose_fast(base_);
  const GateRow row = only_row();
  EXPECT_EQ(row.kind, RowKind::kNew);
  EXPECT_THAT(row.untimed, HasSubstr("base: suite.toml:1: op double has no variant 'fast'"));
}

TEST_F(PlanGate, ATargetThatOneSideLacksIsARowOfTheOther) {
  for (run::VariantInfo& variant : head_.hello.variants) {
    if (variant.name == "fast") variant.targets = {"SCALAR"};
  }
  EXPECT_THAT(rows(), ElementsAre("new double n=4 fast@SCALAR", "lost double n=4 fast@AVX2"));
  EXPECT_EQ(plan().rows.back().untimed, "head: it runs on another target");
}

TEST_F(PlanGate, WhatNeitherSideCanRunIsNoRow) {
  suites_["own"][0].after = {"fast", "AVX3"};
  EXPECT_THAT(refused().message, HasSubstr("nothing to judge"));
  suites_["own"][0].after = {"fast", "SCALAR"};
  EXPECT_THAT(rows(), ElementsAre("double n=4 fast@SCALAR"));
}

TEST_F(PlanGate, AVariantThatNeitherSideKnowsIsAMistakeOfOurSuites) {
  lose_fast(base_);
  lose_fast(head_);
  const auto refusal = refused();
  EXPECT_EQ(refusal.code, ExitCode::kUsage);
  EXPECT_THAT(refusal.message, HasSubstr("suite.toml:1: op double has no variant 'fast'"));
}

TEST_F(PlanGate, OfASuiteThatOnlyTheBaseHasItIsLost) {
  suites_["base suites"] = {suite_named("old", {case_of("halve n=4")})};
  arms_.base.suites = "base suites";
  EXPECT_THAT(rows(), ElementsAre("double n=4 fast@AVX2", "lost halve n=4 fast@none"));
  EXPECT_THAT(plan().rows.back().untimed, HasSubstr("head: suite.toml:1: unknown op 'halve'"));
}

TEST_F(PlanGate, SuitesOfTheHeadTakeThePlaceOfOurOwn) {
  suites_["head suites"] = {suite_named("one", {case_of("double n=6")})};
  arms_.head.suites = "head suites";
  EXPECT_THAT(rows(), ElementsAre("double n=6 fast@AVX2"));
}

TEST_F(PlanGate, ACaseOfBothSidesIsAskedForOnce) {
  suites_["base suites"] = {suite_named("one", {case_of("double n=4"), case_of("double n=8")})};
  arms_.base.suites = "base suites";
  EXPECT_THAT(rows(), ElementsAre("double n=4 fast@AVX2", "double n=8 fast@AVX2"));
}

TEST_F(PlanGate, SuitesOfTheBaseThatCannotBeReadAreToldOf) {
  arms_.base.suites = "broken";
  EXPECT_THAT(rows(), ElementsAre("double n=4 fast@AVX2"));
  EXPECT_THAT(notes_, ElementsAre("the suites of the base can't be read: no broken"));
  arms_.head.suites = "broken";
  EXPECT_EQ(refused().code, ExitCode::kUsage);
}

TEST_F(PlanGate, OnlyTheNamedSuitesOfBothSidesAreTaken) {
  suites_["own"].push_back(suite_named("two", {case_of("double n=6")}));
  suites_["base suites"] = {suite_named("two", {case_of("double n=8")}),
                            suite_named("three", {case_of("double n=10")})};
  arms_.base.suites = "base suites";
  EXPECT_THAT(rows({{}, {"two"}, "", false}),
              ElementsAre("double n=6 fast@AVX2", "double n=8 fast@AVX2"));
  const auto refusal = refused({{}, {"twoo"}, "", false});
  EXPECT_EQ(refusal.code, ExitCode::kUsage);
  EXPECT_THAT(refusal.message, HasSubstr("did you mean 'two'?"));
}

TEST_F(PlanGate, CaseLinesTakeThePlaceOfSuites) {
  for (run::Worker* side : {&base_, &head_}) side->hello.variants[1].name = "hwy";
  suites_.clear();
  EXPECT_THAT(rows({{"double n=4,6"}, {}, "", false}),
              ElementsAre("double n=4 hwy@AVX2", "double n=6 hwy@AVX2"));
  EXPECT_EQ(refused({{"halve n=4"}, {}, "", false}).code, ExitCode::kUsage);
}

TEST_F(PlanGate, AFilterAndATagLeaveRowsOut) {
  suites_["own"] = {suite_named("one", {case_of("double n=4"), case_of("double n=6", {"quick"})})};
  EXPECT_THAT(rows({{}, {}, "double n=4", false}), ElementsAre("double n=4 fast@AVX2"));
  EXPECT_THAT(rows({{}, {}, "", true}), ElementsAre("double n=6 fast@AVX2"));
  const auto refusal = refused({{}, {}, "double n=4", true});
  EXPECT_EQ(refusal.code, ExitCode::kUsage);
  EXPECT_EQ(refusal.message, "nothing to judge: no row matches");
}

TEST_F(PlanGate, OnlyWhatASuiteShowsAsAfterIsJudged) {
  Suite& suite = suites_["own"][0];
  suite.before = {"slow", "best"};
  suite.also = {{"slow", "best"}};
  suite.peers = {"numpy"};
  suite.cases.push_back(case_of("double n=6"));
  suite.cases.back().variants = {{"slow", "best"}};  // of its own: no `after` among them
  suite.cases.push_back(case_of("double n=8"));
  suite.cases.back().threads = {1, 2};
  EXPECT_THAT(rows(),
              ElementsAre("double n=4 fast@AVX2", "double n=8 fast@AVX2", "double n=8 fast@AVX2"));
  EXPECT_EQ(plan().rows.back().key.threads, 2);
}

TEST_F(PlanGate, AMachineThatIsTooSmallIsNoLossOfASide) {
  suites_["own"][0].cases = {case_of("double n=1000000000")};
  EXPECT_EQ(refused().code, ExitCode::kEnvironment);
}

TEST_F(PlanGate, EveryRowPointsAtItsSource) {
  std::filesystem::create_directories(dir_.file("kernels/x"));
  for (const char* file : {"kernels/x/double.cpp", "kernels/x/relu.cpp"}) {
    write_file_atomically(dir_.file(file), "", Durability::kScratch);
  }
  const std::vector<GateRow> rows = plan().rows;
  EXPECT_EQ(rows[0].source, "kernels/x/relu.cpp");
  EXPECT_EQ(rows[1].source, "") << "matmul has none here";
  EXPECT_EQ(rows[2].source, "kernels/x/double.cpp");
}

TEST_F(PlanGate, LinesThatTheReferenceRefusesAreRefusedEarly) {
  EXPECT_NO_THROW(check_lines({{"double n=4"}, {}, "", false}, reference_));
  const auto refusal = outcome([&] {
    check_lines({{"double n=4", "halve n=4"}, {}, "", false}, reference_);
  });
  EXPECT_EQ(refusal.code, ExitCode::kUsage);
  EXPECT_THAT(refusal.message, HasSubstr("unknown op 'halve'"));
}

}  // namespace
}  // namespace nsop::judge
