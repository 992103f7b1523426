#include "harness/foreign/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "harness/foreign/testing/foreign_support.h"
#include "harness/store/record/exchange_parse.h"

namespace nsop::foreign::test {
namespace {

std::string one_row(const std::string& name, const std::string& real = "10") {
  return R"({"context":{"num_cpus":1},"benchmarks":[{"name":")" + name +
         R"(","run_type":"iteration","iterations":7,"time_unit":"ns","real_time":)" + real + "}]}";
}

TEST(Record, IsAnImportedRunOfAnotherMachineThatCanBeExchanged) {
  ForeignRead read = test::read(one_row("BM_x"));
  const auto found = records(read, "box");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].run.trust, "imported");
  EXPECT_EQ(found[0].run.origin, "imported");
  EXPECT_EQ(found[0].host.id, foreign_host("box").id);
  const std::string text = store::write_exchange(found[0].record);
  EXPECT_EQ(store::parse_exchange(text, "x"), found[0].record);
}

TEST(Record, AHostIsItsNameWhateverAToolSaysOfIt) {
  ForeignRead with_cpus = test::read(
      R"({"context":{"num_cpus":8,"host_name":"box"},"benchmarks":[)"
      R"({"name":"a","run_type":"iteration","iterations":1,"time_unit":"ns","real_time":7}]})");
  ForeignRead with_model = test::read("host: box\ngoos: linux\ncpu: Fast\nBenchmarkA 1 5 ns/op\n");
  const auto first = records(with_cpus), second = records(with_model);
  EXPECT_EQ(first[0].record.host, second[0].record.host);
  EXPECT_EQ(first[0].run.conditions.os, "8 CPUs");
  EXPECT_EQ(second[0].run.conditions.os, "linux, Fast");
}

TEST(Record, OfTheSameBytesIsTheSame) {
  ForeignRead read = test::read(one_row("BM_x"));
  EXPECT_EQ(records(read)[0].record, records(read)[0].record);
  EXPECT_NE(records(read)[0].run.id, records(read, "there")[0].run.id);
}

TEST(Record, ANameThatTheStoreCantHoldIsLeftOut) {
  ForeignRead read = test::read(one_row(std::string(600, 'x')));
  EXPECT_TRUE(records(read).empty());
  EXPECT_THAT(left_out(read.file), testing::ElementsAre("1 its name takes more than 512 bytes"));
}

TEST(Record, MoreSamplesThanAreKeptAreCounted) {
  SampleList list;
  for (int i = 0; i < 100'000; ++i) list.add({.ns = i + 1.0});
  EXPECT_EQ(list.seen(), 100'000);
  EXPECT_LE(list.kept().size(), SampleList::kMost);
  EXPECT_GE(list.kept().size(), SampleList::kMost / 2);
  const double step = list.kept()[1].ns - list.kept()[0].ns;
  for (size_t i = 1; i < list.kept().size(); ++i) {
    EXPECT_EQ(list.kept()[i].ns - list.kept()[i - 1].ns, step);
  }
  EXPECT_GT(list.kept().back().ns, 100'000 - step - 1);
}

TEST(Record, OfALongFileFewerSamplesOfEachRowAreKept) {
  ForeignFile file("x");
  constexpr int kRows = 300, kSamples = 1000;
  for (int i = 0; i < kSamples; ++i) {
    for (int row = 0; row < kRows; ++row) {
      file.add_sample({{"name", std::to_string(row)}}, 1, {.ns = i + 1.0}, i);
    }
  }
  size_t kept = 0;
  for (const ForeignRow& row : file.runs()[0].rows) {
    EXPECT_EQ(row.samples.seen(), kSamples);
    kept += row.samples.kept().size();
    const auto& samples = row.samples.kept();
    ASSERT_GE(samples.size(), ForeignFile::kFewestOfRow);
    EXPECT_EQ(samples.front().ns, 1);
    for (size_t i = 1; i < samples.size(); ++i) {
      EXPECT_EQ(samples[i].ns - samples[i - 1].ns, samples[1].ns - samples[0].ns);
    }
  }
  EXPECT_LE(kept, ForeignFile::kMostKept);
  EXPECT_GT(kept, ForeignFile::kMostKept / 4);
}

TEST(Record, AllocationsThatEverDifferAreNotSteady) {
  AllocList list;
  EXPECT_TRUE(list.empty());
  for (int i = 0; i < 50'000; ++i) list.emplace_back(1, 16);
  EXPECT_TRUE(list.steady());
  list.emplace_back(2, 16);
  for (int i = 0; i < 50'000; ++i) list.emplace_back(1, 16);
  EXPECT_FALSE(list.steady());
  EXPECT_LE(list.kept().size(), SampleList::kMost);
}

RC_GTEST_PROP(Record, IndicesAreRememberedInAnyOrder, (const std::vector<int8_t>& numbers)) {
  IndexSet ranges;
  std::set<int64_t> plain;
  RC_ASSERT(ranges.empty());
  for (const int8_t number : numbers) {
    RC_ASSERT(ranges.insert(number) == plain.insert(number).second);
  }
}

TEST(Record, IndicesWithManyGapsAreBounded) {
  IndexSet ranges;
  const auto fill = [&] {
    for (int64_t i = 0; i <= int64_t{IndexSet::kMostRanges}; ++i) ranges.insert(2 * i);
  };
  EXPECT_THROW(fill(), Error);
}

RC_GTEST_PROP(Record, TimesStayWhatTheyWere, ()) {
  const double exponent = *rc::gen::inRange(-3, 15);
  const double ns = std::pow(10, exponent) * (1 + *rc::gen::inRange(0, 1'000'000) / 250'000.0);
  const auto iterations = *rc::gen::element<int64_t>(0, 1, 3, 100, 12'345, 1'000'000'000);
  const Repetition r = repetition_of({.ns = ns, .iterations = iterations});
  RC_ASSERT(problem_of(r) == "");
  const double back = static_cast<double>(r.wall_ns) / static_cast<double>(r.iterations);
  RC_ASSERT(std::abs(back / ns - 1) <= 2e-6);
}

}  // namespace
}  // namespace nsop::foreign::test
