// The form `efficiency`: several threads beside one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/golden_support.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::HasSubstr;

constexpr const char* kSmallProduct = "matmul m=64 n=64 k=64 trans=nn";
constexpr const char* kLargeProduct = "matmul m=512 n=512 k=512 trans=nn";
constexpr const char* kSharedRelu = "relu pass=forward n=1048576 range=-3:3";
constexpr const char* kFailingTanh = "tanh pass=forward n=1000000 range=-3.5:3.5";

Suite efficiency_suite() {
  return parse_suite(R"([report]
name = "efficiency"
title = "What threads gain"
about = "Each case on one thread and on several."
form = "efficiency"
after = "hwy"

[[cases]]
label = "Product"
section = "Arithmetic"
case = "matmul m=512 n=512 k=512 trans=nn"
threads = [1, 2, 4]

[[cases]]
label = "Product"
section = "Arithmetic"
case = "matmul m=64 n=64 k=64 trans=nn"
threads = [1, 2, 4]

[[cases]]
label = "ReLU"
section = "Memory"
case = "relu pass=forward n=1048576 range=-3:3"
threads = [1, 2]

[[cases]]
label = "Tanh"
section = "Memory"
case = "tanh pass=forward n=1000000 range=-3.5:3.5"
threads = [1, 2]

[[goals]]
that = "hwy <= 0.588 x one_thread"
on = "matmul"
threads = [2]
)",
                     "efficiency.toml", suite_forms());
}

CaseFacts product_facts(double n) {
  return {2 * n * n * n, n * n * n, 12 * n * n, 12 * n * n, 4 * n * n};
}

// A product of which two threads make the best, a small one that four threads spoil, an activation
// that the memory bounds, and a case that failed on two threads.
FakeRun efficiency_run() {
  FakeRun fake("77777777-7777-4777-8777-777777777777");
  add_limits(fake);
  fake.time({kLargeProduct, "hwy", "AVX2", 1}, 4'000'000)
      .time({kLargeProduct, "hwy", "AVX2", 2}, 2'105'263);
  fake.time({kLargeProduct, "hwy", "AVX2", 4}, 2'000'000);
  fake.facts(kLargeProduct, product_facts(512));
  fake.time({kSmallProduct, "hwy", "AVX2", 1}, 8'000)
      .time({kSmallProduct, "hwy", "AVX2", 2}, 5'000);
  fake.time({kSmallProduct, "hwy", "AVX2", 4}, 10'000, 3);
  fake.facts(kSmallProduct, product_facts(64));
  fake.time({kSharedRelu, "hwy", "AVX2", 1}, 400'000)
      .time({kSharedRelu, "hwy", "AVX2", 2}, 380'000);
  fake.facts(kSharedRelu, {1048576, 0, 8388608, 8388608, 4194304});
  fake.time({kFailingTanh, "hwy", "AVX2", 1}, 500'000);
  fake.fail({kFailingTanh, "hwy", "AVX2", 2}, Status::kError, "died");
  return fake;
}

Json efficiency_report(const FakeRun& fake = efficiency_run()) {
  return build_report(efficiency_suite(), fake.data(), std::nullopt);
}

TEST(ReportGolden, Efficiency) { expect_golden(efficiency_report(), "efficiency"); }

TEST(Efficiency, IsTheShareOfWhatTheThreadsCouldGain) {
  const Json table = efficiency_report()["sections"][0]["tables"][0];
  ASSERT_EQ(table["rows"].size(), 4U) << "a row per number of threads above one";
  const std::vector<double> shares{0.95, 0.5, 0.8, 0.2};
  for (size_t i = 0; i < shares.size(); ++i) {
    const Json& cell = cell_of(table, i, "efficiency");
    EXPECT_NEAR(cell["value"].get<double>(), shares[i], 0.02) << i;
    EXPECT_EQ(cell.contains("doubt"), i == 3) << "three invocations are too few";
  }
  const Json& first = cell_of(table, 0, "efficiency");
  EXPECT_LT(first["interval"][0].get<double>(), first["value"].get<double>());
  EXPECT_GT(first["interval"][1].get<double>(), first["value"].get<double>());
  EXPECT_EQ(cell_of(table, 0, "bound")["text"], "compute");
}

TEST(Efficiency, MemoryIsNamedAndWhatFailedHasNone) {
  const Json table = efficiency_report()["sections"][1]["tables"][0];
  EXPECT_THAT(cell_of(table, 0, "bound")["text"].get<std::string>(), testing::Not("compute"));
  EXPECT_NEAR(cell_of(table, 0, "efficiency")["value"].get<double>(), 0.526, 0.01);
  EXPECT_EQ(cell_of(table, 1, "after")["text"], "error");
  EXPECT_EQ(cell_of(table, 1, "efficiency")["kind"], "missing");
}

TEST(Efficiency, TheHeadlineIsTheLeastOfWhatArithmeticBounds) {
  EXPECT_THAT(
      efficiency_report()["headline"].get<std::string>(),
      HasSubstr(
          "least efficiency of 4 rows that arithmetic bounds: 20.0 % (Product m=64 n=64 k=64, "
          "4 threads)"));
  FakeRun none("77777777-7777-4777-8777-777777777778");
  none.time({kSharedRelu, "hwy", "AVX2", 1}, 400'000)
      .time({kSharedRelu, "hwy", "AVX2", 2}, 380'000);
  EXPECT_THAT(efficiency_report(none)["headline"].get<std::string>(),
              HasSubstr("no row that arithmetic bounds was measured"));
}

TEST(Efficiency, APlotHasALinePerNameAndNumberOfThreadsOverTheTimeOfOne) {
  const Json plot = efficiency_report()["sections"][0]["plots"][0];
  const Json& series = plot["panels"][0]["series"];
  ASSERT_GE(series.size(), 2U);
  EXPECT_EQ(series[0]["label"], "Product, 2 threads");
  ASSERT_EQ(series[0]["x"].size(), 2U);
  EXPECT_LT(series[0]["x"][0], series[0]["x"][1]) << "smallest first, whatever the suite's order";
  EXPECT_EQ(series.back()["label"], "all that threads could gain");
}

}  // namespace
}  // namespace nsop::report
