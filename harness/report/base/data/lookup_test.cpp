#include "harness/report/base/data/lookup.h"

#include <gtest/gtest.h>

#include "harness/report/base/context.h"

namespace nsop::report {
namespace {

stats::RowSummary measured(const std::string& text, const std::string& variant,
                           const std::string& target, int threads = 1) {
  stats::RowSummary row;
  row.row = {text, variant, target, threads};
  row.wall_ns = 1;
  return row;
}

TEST(ExpandLine, LastKeyVariesFastest) {
  const auto lines = expand_line("relu  pass=forward,backward n=10,100 range=-3:3");
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(lines[0], "relu pass=forward n=10 range=-3:3");
  EXPECT_EQ(lines[1], "relu pass=forward n=100 range=-3:3");
  EXPECT_EQ(lines[2], "relu pass=backward n=10 range=-3:3");
}

TEST(ExpandLine, WithoutSweepIsItself) {
  const auto lines = expand_line("relu n=10");
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0], "relu n=10");
}

TEST(Param, FindsWholeKeysOnly) {
  EXPECT_EQ(param("dense batch=32 in=256", "in"), "256");
  EXPECT_EQ(param("dense batch=32 in=256", "n"), "");
}

TEST(RunIndex, FindsACaseInAnotherOrderAndSpelling) {
  const std::vector<stats::RowSummary> rows{
      measured("relu pass=forward n=10 range=-3:0.5", "hwy", "AVX2")};
  const RunIndex index(rows);
  EXPECT_EQ(index.canonical("relu n=10 pass=forward range=-3.0:.5"),
            "relu pass=forward n=10 range=-3:0.5");
  EXPECT_EQ(index.canonical("relu n=100 pass=forward range=-3:0.5"), "");
  EXPECT_EQ(index.canonical("tanh n=10 pass=forward range=-3:0.5"), "");
}

TEST(RunIndex, BestIsTheWidestTargetNotTheFirstByName) {
  const std::vector<stats::RowSummary> rows{
      measured("relu n=1", "hwy", "AVX2"), measured("relu n=1", "hwy", "AVX3"),
      measured("relu n=1", "hwy", "SCALAR"), measured("relu n=1", "hwy", "AVX3_ZEN4", 2)};
  const RunIndex index(rows);
  EXPECT_EQ(index.find("relu n=1", {"hwy", "best"}, 1)->row.target, "AVX3");
  EXPECT_EQ(index.find("relu n=1", {"hwy", "best"}, 2)->row.target, "AVX3_ZEN4");
  EXPECT_EQ(index.find("relu n=1", {"hwy", "SCALAR"}, 1)->row.target, "SCALAR");
  EXPECT_EQ(index.find("relu n=1", {"hwy", "SSE4"}, 1), nullptr);
  EXPECT_EQ(index.find("relu n=1", {"elementwise", "best"}, 1), nullptr);
  EXPECT_EQ(index.find("relu n=2", {"hwy", "best"}, 1), nullptr);
}

TEST(RunIndex, ALibraryHeldToAnInstructionSetIsFoundByThatAndNeverAsBest) {
  const std::vector<stats::RowSummary> rows{
      measured("relu n=1", "onednn", "2.6.3"),   measured("relu n=1", "onednn", "2.6.3-AVX2"),
      measured("relu n=1", "eigen", "3.4-AVX2"), measured("relu n=1", "eigen", "3.4-AVX512"),
      measured("relu n=1", "numpy", "1.24"),     measured("relu n=1", "sleef", "3-AVX2")};
  const RunIndex index(rows);
  const auto found = [&](const char* variant, const char* target) {
    const stats::RowSummary* row = index.find("relu n=1", {variant, target}, 1);
    return row == nullptr ? std::string("nothing") : row->row.target;
  };
  EXPECT_EQ(found("onednn", "best"), "2.6.3");
  EXPECT_EQ(found("onednn", "AVX2"), "2.6.3-AVX2");
  EXPECT_EQ(found("eigen", "best"), "3.4-AVX512");
  EXPECT_EQ(found("eigen", "AVX2"), "3.4-AVX2");
  EXPECT_EQ(found("numpy", "AVX2"), "nothing");
  EXPECT_EQ(found("sleef", "best"), "3-AVX2") << "there is no other here";
}

TEST(RunIndex, BestSkipsATargetThatTheMachineLacks) {
  std::vector<stats::RowSummary> rows{measured("relu n=1", "hwy", "AVX3"),
                                      measured("relu n=1", "hwy", "AVX2")};
  rows[0].status = Status::kUnsupported;
  EXPECT_EQ(RunIndex(rows).find("relu n=1", {"hwy", "best"}, 1)->row.target, "AVX2");
  rows[1].status = Status::kUnsupported;
  EXPECT_EQ(RunIndex(rows).find("relu n=1", {"hwy", "best"}, 1)->row.target, "AVX3");
}

TEST(ElementCount, IsTheProductOfTheShape) {
  EXPECT_EQ(element_count_of("relu pass=forward n=1000 range=-3:3"), 1000);
  EXPECT_EQ(element_count_of("relu pass=backward n=32x512 range=-3:3"), 16'384);
  EXPECT_EQ(element_count_of("matmul m=64"), 0);
}

TEST(RunIndex, ATargetOfAnotherLibraryIsFoundAsBest) {
  const std::vector<stats::RowSummary> rows{measured("relu n=1", "numpy", "numpy 1.24")};
  const RunIndex index(rows);
  ASSERT_NE(index.find("relu n=1", {"numpy", "best"}, 1), nullptr);
}

TEST(CaseRows, ExpandSweepsAndThreads) {
  SuiteCase sweep;
  sweep.label = "ReLU";
  sweep.operation = "Forward";
  sweep.line = "relu n=1,2";
  sweep.threads = {1, 2};
  Suite suite;
  suite.cases = {sweep};
  const std::vector<stats::RowSummary> rows{measured("relu n=2", "hwy", "AVX2")};
  const std::vector<CaseRow> found = case_rows(suite, RunIndex(rows));
  ASSERT_EQ(found.size(), 4);
  EXPECT_FALSE(found[0].known);
  EXPECT_EQ(found[1].threads, 2);
  EXPECT_TRUE(found[2].known);
  EXPECT_EQ(found[2].name(), "ReLU Forward");
  EXPECT_EQ(found[2].full_name(), "ReLU Forward n=2");
  EXPECT_EQ(found[1].full_name(), "ReLU Forward n=1, 2 threads");
}

TEST(CaseRow, IsNamedAfterItsOpWithoutALabel) {
  const SuiteCase unnamed;
  const CaseRow row{&unnamed, "relu n=2", "", 1, true};
  EXPECT_EQ(row.name(), "relu");
}

TEST(ReproCommand, SurvivesTheShell) {
  EXPECT_EQ(repro_command(measured("it's n=1", "hwy", "AVX2", 2)),
            "nsop run 'it'\\''s n=1' --variant hwy@AVX2 --threads 2");
}

}  // namespace
}  // namespace nsop::report
