// The open table of a sweep beside other libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/forms/forms.h"
#include "harness/report/testing/golden_support.h"
#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSmall = "relu pass=forward n=100 range=-3:3";
const std::string kLarge = "relu pass=forward n=10000 range=-3:3";

Suite suite_with(const std::string& before, const std::string& peers) {
  return parse_suite(R"([report]
name = "sweep_libraries"
title = "ReLU over size, beside libraries"
form = "sweep"
before = ")" + before +
                         R"("
after = "hwy"
targets = ["AVX2", "SCALAR"]
peers = [)" + peers + R"(]

[[cases]]
label = "ReLU"
operation = "Forward"
case = "relu pass=forward n=100,10000 range=-3:3"
threads = [1, 2]
)",
                     "sweep_libraries.toml", suite_forms());
}

// Torch has a row of the larger case alone, and on one thread only; eigen is the fastest.
FakeRun run_with_libraries() {
  FakeRun fake("23232323-2323-4232-8232-232323232323");
  for (const int threads : {1, 2}) {
    for (const auto& [text, ns] : {std::pair(kSmall, 10.0), std::pair(kLarge, 1000.0)}) {
      fake.time({text, "elementwise", "BASELINE", threads}, 8 * ns);
      fake.time({text, "hwy", "AVX2", threads}, ns);
      fake.time({text, "hwy", "SCALAR", threads}, 4 * ns);
      fake.time({text, "numpy", "1.24.2", threads}, 3 * ns);
      fake.time({text, "eigen", "3.4.0", threads}, 1.5 * ns);
    }
  }
  fake.fail({kSmall, "torch", "1.13", 1}, Status::kWrong, "output 0 differs");
  fake.time({kLarge, "torch", "1.13", 1}, 2000);
  return fake;
}

const Json& open_table(const Json& report, size_t section) {
  return report["sections"][section]["tables"][0];
}

std::vector<std::string> column_ids(const Json& table) {
  std::vector<std::string> out;
  for (const Json& column : table["columns"]) out.push_back(column["id"]);
  return out;
}

const std::string kPeers = R"("numpy", "torch", "eigen")";

TEST(Sweep, NumPyAndPyTorchHaveColumnsOfTheirOwnBesideTheBestLibrary) {
  const RunData run = run_with_libraries().data();
  const Json report = build_report(suite_with("elementwise", kPeers), run, std::nullopt);
  expect_golden(report, "sweep_libraries");
  const Json& table = open_table(report, 0);
  EXPECT_THAT(column_ids(table), ElementsAre("n", "ours", "backend", "speedup", "with_numpy",
                                             "with_torch", "vs_best_peer"));
  const Json& numpy = cell_of(table, 0, "with_numpy");
  EXPECT_THAT(numpy["text"].get<std::string>(),
              testing::AllOf(testing::StartsWith("30."), HasSubstr(" ns, "), HasSubstr("faster")));
  EXPECT_EQ(numpy["verdict"], "better");
  EXPECT_NEAR(numpy["value"].get<double>(), 3, 0.1);
  EXPECT_TRUE(numpy.contains("interval") && !numpy.contains("interval_text"));
  EXPECT_EQ(cell_of(table, 0, "with_torch")["text"], "wrong");
  EXPECT_THAT(cell_of(table, 1, "vs_best_peer")["text"].get<std::string>(),
              testing::StartsWith("eigen: "));
}

TEST(Sweep, ALibraryThatWasBestOnFewerThreadsSaysSo) {
  const RunData run = run_with_libraries().data();
  const Json report = build_report(suite_with("elementwise", kPeers), run, std::nullopt);
  EXPECT_THAT(cell_of(open_table(report, 1), 1, "with_torch")["text"].get<std::string>(),
              HasSubstr(" (1 thread), "));
}

TEST(Sweep, ALibraryThatIsNotThereIsNotMeasured) {
  RunData run = run_with_libraries().data();
  std::erase_if(run.rows, [](const auto& row) { return row.row.variant == "torch"; });
  const Json report = build_report(suite_with("elementwise", kPeers), run, std::nullopt);
  EXPECT_EQ(cell_of(open_table(report, 0), 1, "with_torch")["text"], "not measured");
}

TEST(Sweep, AnOpenTableHasEightColumnsAtMost) {
  const RunData run = run_with_libraries().data();
  const Json report = build_report(suite_with("elementwise", kPeers), run, run);
  EXPECT_EQ(open_table(report, 0)["columns"].size(), 8U);
}

TEST(Sweep, AgainstAnInstructionSetStandsInTheFoldedTable) {
  const RunData run = run_with_libraries().data();
  const Json report = build_report(suite_with("hwy@SCALAR", kPeers), run, std::nullopt);
  EXPECT_THAT(column_ids(open_table(report, 0)),
              ElementsAre("n", "ours", "backend", "with_numpy", "with_torch", "vs_best_peer"));
  EXPECT_TRUE(table_with(report["sections"][0], "over_AVX2")["collapsed"]);
}

TEST(Sweep, WithoutThemTheBestLibraryHasItsTime) {
  const RunData run = run_with_libraries().data();
  const Json report = build_report(suite_with("hwy@SCALAR", R"("eigen")"), run, std::nullopt);
  EXPECT_THAT(column_ids(open_table(report, 0)),
              ElementsAre("n", "ours", "backend", "speedup", "best_peer", "best_peer_time",
                          "vs_best_peer"));
}

}  // namespace
}  // namespace nsop::report
