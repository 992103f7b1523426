#include "harness/judge/gate/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/core/files.h"
#include "harness/core/identity.h"
#include "harness/judge/gate/measured.h"
#include "harness/judge/testing/machine_support.h"
#include "harness/run/workers/interrupt.h"
#include "harness/store/testing/rows_support.h"

namespace nsop::judge {
namespace {

using store::test::outcome;
using testing::HasSubstr;

TEST(GatePlanning, AFindingPointsAtTheOpsCodeInWhateverRoomItIs) {
  const store::test::TempDir dir;
  for (const char* file :
       {"layers/core/dense.cpp", "kernels/gemm/dense.cpp", "kernels/norm/sum.cpp",
        "reference/before/lstm.cpp", "reference/peers/gru.cpp"}) {
    std::filesystem::create_directories(std::filesystem::path(dir.file(file)).parent_path());
    write_file_atomically(dir.file(file), "", Durability::kScratch);
  }
  EXPECT_EQ(source_of(dir.path(), "dense"), "layers/core/dense.cpp");
  EXPECT_EQ(source_of(dir.path(), "sum"), "kernels/norm/sum.cpp");
  EXPECT_EQ(source_of(dir.path(), "lstm"), "");
  EXPECT_EQ(source_of(dir.path(), "gru"), "");
  EXPECT_EQ(source_of(dir.file("nowhere"), "sum"), "");
}

TEST(GatePlanning, DeclaredRowsAreMarkedButNoControls) {
  std::vector<GateRow> rows = rows_named({"relu n=1", "tanh n=1", "relu n=1"});
  rows[2].canary = true;
  KnownChange change;
  change.case_pattern = "relu n=*";
  change.direction = "worse";
  change.reason = "meant";
  change.where = "nsop-known.toml:3";
  change.expires = "2999-12-31";
  change.at_most_percent = 10;
  declare_known(rows, {change}, {"/nonexistent", {}}, {});
  EXPECT_EQ(rows[0].declared, "declared in nsop-known.toml:3: meant");
  EXPECT_EQ(rows[0].declared_percent, 10);
  EXPECT_EQ(rows[1].declared, "");
  EXPECT_EQ(rows[2].declared, "");
}

TEST(GateArms, TwoToFiveLinkOrdersDecideNothing) {
  for (const size_t n : {0, 1, 6, 20}) EXPECT_EQ(too_few_layouts(n), "") << n;
  for (const size_t n : {2, 5}) EXPECT_THAT(too_few_layouts(n), HasSubstr("take 1, or 6")) << n;
}

TEST(GateArms, SuitesOfAFolderAreCheckedBeforeAnythingIsBuilt) {
  Suite conv;
  conv.name = "conv";
  const SuitePlace own{"suites", [&](const std::string& folder) {
                         EXPECT_EQ(folder, "suites");
                         return std::vector<Suite>{conv};
                       }};
  const auto ask = [&](const std::vector<std::string>& names) {
    return outcome([&] { must_have_suites({"/", {}}, own, "/usr", names); });
  };
  EXPECT_EQ(ask({"conv"}).code, ExitCode::kOk);
  EXPECT_EQ(ask({}).code, ExitCode::kOk);
  EXPECT_EQ(ask({"cnov"}).code, ExitCode::kUsage);
  EXPECT_THAT(ask({"cnov"}).message, HasSubstr("did you mean 'conv'?"));
}

TEST(GateArms, OnlyKnownAndEqualObjectsAreIdentical) {
  Built a, b;
  EXPECT_FALSE(are_identical(a, b));
  a.objects_sha256 = b.objects_sha256 = "1";
  EXPECT_TRUE(are_identical(a, b));
  b.objects_sha256 = "2";
  EXPECT_FALSE(are_identical(a, b));
}

// Its invocations are as a store wants them.
class StorableMachine : public FakeMachine {
 public:
  Invocation time(const RowKey& row, Arm arm, int layout) override {
    if (stops) throw run::Interrupted{2};
    return named(FakeMachine::time(row, arm, layout));
  }
  Invocation count(const RowKey& row, Arm arm) override {
    return named(FakeMachine::count(row, arm));
  }
  bool stops = false;

 private:
  static Invocation named(Invocation invocation) {
    invocation.id = new_uuid();
    invocation.build_id = "build-a";
    invocation.at_utc = utc_now();
    return invocation;
  }
};

class MeasuredGate : public testing::Test {
 protected:
  MeasuredGate() { store_.put_build(store::test::example_build()); }
  std::string begin() {
    GatePlan plan = gate_plan_of(options_);
    plan.rows = rows_;
    return begin_gate(store_, plan, {"gate", 7, "test", {}}, {});
  }
  GateResult measure(const std::string& run_id, Measurer& machine) {
    return measure_gate(rows_, options_, machine, store_, run_id, [](const std::string&) {});
  }
  store::test::TempDir dir_;
  store::Store store_{dir_.file("t.db")};
  GateOptions options_;
  std::vector<GateRow> rows_ = rows_named({"control", "worse"});
};

TEST_F(MeasuredGate, FollowsAgainFromTheStore) {
  StorableMachine machine;
  machine.rows = {{"control", {}}, {"worse", {.head_ns = 1100}}};
  rows_[0].canary = true;
  const std::string run_id = begin();
  const GateResult live = measure(run_id, machine);
  const nsop::Run run = store_.run(run_id);
  EXPECT_EQ(run.state, RunState::kComplete);
  EXPECT_EQ(run.profile, "gate");
  const GateResult again = replay_gate(parse_gate_plan(run.plan_json), store_.invocations(run_id));
  ASSERT_EQ(again.rows.size(), 2u);
  EXPECT_EQ(live.rows[1].verdict, stats::Verdict::kWorse);
  EXPECT_EQ(again.rows[1].verdict, stats::Verdict::kWorse);
}

TEST_F(MeasuredGate, AnInterruptedOneIsAborted) {
  StorableMachine machine;
  machine.stops = true;
  machine.rows = {{"control", {}}, {"worse", {}}};
  const std::string run_id = begin();
  EXPECT_THROW(measure(run_id, machine), run::Interrupted);
  EXPECT_EQ(store_.run(run_id).state, RunState::kAborted);
}

TEST_F(MeasuredGate, IdenticalBuildsAreKeptAsAFinding) {
  GatePlan plan = gate_plan_of(options_);
  plan.identical = true;
  const std::string run_id = store_identical(store_, plan, {"gate", 7, "test", {}});
  EXPECT_EQ(store_.run(run_id).state, RunState::kComplete);
  EXPECT_TRUE(parse_gate_plan(store_.run(run_id).plan_json).identical);
}

}  // namespace
}  // namespace nsop::judge
