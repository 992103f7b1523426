#include "harness/foreign/record.h"

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

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
  EXPECT_EQ(found[0].host.id, foreign_host("box", {}).id);
  const std::string text = store::write_exchange(found[0].record);
  EXPECT_EQ(store::parse_exchange(text, "x"), found[0].record);
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
