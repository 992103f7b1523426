#include "harness/run/verify.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace nsop::run {
namespace {

Programs fake_programs() {
  Programs programs;
  programs.workers = {open_worker({NSOP_FAKE_WORKER}, "")};
  programs.reference = programs.workers[0];
  return programs;
}

Plan plan_of(const Programs& programs, const std::string& filter = "") {
  return verification_plan({{"double n=3,4", "", {}, {1}}}, programs, profile_named("manual"),
                           filter);
}

TEST(Verify, ChecksEveryVariantOnEveryTargetOfEveryCase) {
  const Programs programs = fake_programs();
  const Plan plan = plan_of(programs);
  size_t told = 0;
  const Verification v = verify(plan, programs, [&](const RowKey& row, size_t done) {
    EXPECT_EQ(row.text(), plan.rows[told].key.text());
    EXPECT_EQ(done, told++);
  });
  EXPECT_GE(plan.rows.size(), 4u);
  EXPECT_EQ(told, plan.rows.size());
  EXPECT_EQ(v.results.size(), plan.rows.size());
  EXPECT_GT(v.conformance.checks, 0);
  EXPECT_THAT(v.conformance.problems, testing::IsEmpty());
  EXPECT_TRUE(v.passed);
}

TEST(Verify, AWrongRowFailsUnlessItIsOfAPeer) {
  Programs programs = fake_programs();
  Plan plan = plan_of(programs, "double n=3");
  programs.workers[0].timing = {{NSOP_FAKE_WORKER, "wrong=first"}, ""};
  const Verification own = verify(plan, programs, [](const RowKey&, size_t) {});
  EXPECT_EQ(own.results[0].status, Status::kWrong);
  EXPECT_FALSE(own.passed);

  programs.workers.push_back(programs.workers[0]);
  for (PlanRow& row : plan.rows) row.worker = 1;
  const Verification peer = verify(plan, programs, [](const RowKey&, size_t) {});
  EXPECT_EQ(peer.results[0].status, Status::kWrong);
  EXPECT_TRUE(peer.passed);
}

TEST(Verify, NoRowIsAnErrorOfUse) {
  const Programs programs = fake_programs();
  try {
    plan_of(programs, "double n=7");
    FAIL() << "planned nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_STREQ(error.what(), "nothing to verify: no row matches");
  }
}

}  // namespace
}  // namespace nsop::run
