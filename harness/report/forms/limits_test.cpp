// The report of the machine's limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "harness/report/testing/report_support.h"

namespace nsop::report {
namespace {

const Json& limits_of(const Json& report, const std::string& title) {
  for (const Json& one : report["sections"]) {
    if (one["title"] == title) return one;
  }
  throw std::runtime_error("no section " + title);
}

TEST(LimitsReport, ShowsWhatEachTargetAndLevelGives) {
  const Json report = build_report(limits_suite(), limits_run().data(), std::nullopt);
  const Json& peak = limits_of(report, "Arithmetic")["tables"][0];
  ASSERT_EQ(peak["rows"].size(), 4);  // AVX2 and SCALAR, one and two threads
  EXPECT_EQ(cell_of(peak, 1, "target")["text"], "SCALAR");
  EXPECT_EQ(cell_of(peak, 0, "rate")["text"], "100 GFLOP/s");
  const Json& copy = limits_of(report, "Bandwidth")["tables"][0];
  EXPECT_EQ(cell_of(copy, 0, "level")["text"], "L1");
  EXPECT_EQ(cell_of(copy, 3, "level")["text"], "DRAM");
  EXPECT_EQ(cell_of(copy, 3, "rate")["text"], "20.0 GB/s");
  const Json& plot = limits_of(report, "Bandwidth")["plots"][0];
  EXPECT_EQ(plot["panels"][0]["series"][0]["label"], "copy");
  EXPECT_EQ(plot["panels"][0]["series"][0]["x"].size(), 4);
  EXPECT_TRUE(limits_of(report, "Arithmetic")["plots"].empty());
}

TEST(LimitsReport, RatesHaveIntervalsAndThoseThatLimitNothingAreMarked) {
  const std::string text = "stream kind=copy n=2000";
  const auto rate = [&](double spread) {
    FakeRun one("55555555-5555-4555-8555-555555555555");
    one.facts(text, {0, 0, 16e3, 16e3, 8e3}).time({text, "hwy", "AVX2", 1}, 80, 20, spread);
    const Json report = build_report(limits_suite(), one.data(), std::nullopt);
    const Json& table = limits_of(report, "Bandwidth")["tables"][0];
    return std::pair(cell_of(table, 0, "rate"), table["rows"][0]["notes"].dump());
  };
  const auto [calm, nothing] = rate(0.01);
  EXPECT_THAT(calm["interval_text"].get<std::string>(), testing::StartsWith("[19"));
  EXPECT_FALSE(calm.contains("doubt"));
  EXPECT_THAT(nothing, testing::Not(testing::HasSubstr("differ by more than a limit may")));
  const auto [wild, why] = rate(0.3);
  EXPECT_TRUE(wild["doubt"].get<bool>());
  EXPECT_THAT(wild["text"].get<std::string>(), testing::EndsWith(" GB/s ?"));
  EXPECT_THAT(why, testing::HasSubstr("differ by more than a limit may"));
}

// The best instruction set stands there once, also where the suite names it beside the dispatch.
TEST(LimitsReport, EachInstructionSetHasOneRowAndIsNamedWhereThereAreSeveral) {
  Suite suite = limits_suite();
  suite.cases[2].line = "stream kind=copy n=2000";
  suite.cases[2].variants = {Selector::parse("hwy"), Selector::parse("hwy@AVX2")};
  FakeRun fake = limits_run();
  const auto bandwidth = [&] {
    return limits_of(build_report(suite, fake.data(), std::nullopt), "Bandwidth");
  };
  EXPECT_EQ(bandwidth()["tables"][0]["rows"].size(), 1U);
  fake.time({"stream kind=copy n=2000", "hwy", "AVX3", 1}, 60, 8, 0);
  const Json two = bandwidth();
  ASSERT_EQ(two["tables"][0]["rows"].size(), 2U);
  EXPECT_EQ(cell_of(two["tables"][0], 0, "target")["text"], "AVX3");
  EXPECT_EQ(cell_of(two["tables"][0], 1, "target")["text"], "AVX2");
  EXPECT_LE(two["tables"][0]["columns"].size(), 8U);
  EXPECT_EQ(two["plots"][0]["panels"][0]["series"].size(), 2U);
}

}  // namespace
}  // namespace nsop::report
