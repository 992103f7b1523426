#include "harness/judge/nightly/bisect.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace nsop::judge {
namespace {

const RowKey kA = {"relu n=1", "hwy", "AVX2", 1}, kB = {"tanh n=1", "hwy", "AVX2", 1};

std::vector<std::string> line_of(size_t count) {
  std::vector<std::string> line;
  for (size_t i = 0; i < count; ++i) line.push_back(fmt::format("c{:03}", i));
  return line;
}

// A judge that knows the culprits, and which commits can't be judged; it counts its calls.
struct Oracle {
  std::map<RowKey, std::string> first_bad;
  std::set<std::string> broken;
  std::set<std::string> noisy = {};  // for the first so many tries
  int tries_in_vain = 1;
  int calls = 0;
  std::map<std::string, int> tries = {};

  std::map<RowKey, Side> operator()(const std::string& commit, const std::vector<RowKey>& rows) {
    ++calls;
    std::map<RowKey, Side> sides;
    if (broken.contains(commit)) return sides;
    const bool inconclusive = noisy.contains(commit) && tries[commit]++ < tries_in_vain;
    for (const RowKey& row : rows) {
      sides[row] = inconclusive                  ? Side::kInconclusive
                   : commit >= first_bad.at(row) ? Side::kBad
                                                 : Side::kGood;
    }
    return sides;
  }
};

TEST(Bisect, TwoCommitsNeedNoMeasurement) {
  Oracle oracle;
  const auto culprits = bisect(line_of(2), {kA}, std::ref(oracle));
  ASSERT_EQ(culprits.size(), 1u);
  EXPECT_EQ(culprits[0].last_good, "c000");
  EXPECT_EQ(culprits[0].first_bad, "c001");
  EXPECT_EQ(oracle.calls, 0);
}

TEST(Bisect, ACommitThatCannotBeJudgedLeavesARange) {
  Oracle oracle{{{kA, "c005"}}, {"c004", "c005"}};
  const auto culprits = bisect(line_of(10), {kA}, std::ref(oracle));
  EXPECT_EQ(culprits[0].last_good, "c003");
  EXPECT_EQ(culprits[0].first_bad, "c006");
  EXPECT_EQ(culprits[0].between, (std::vector<std::string>{"c004", "c005"}));
}

TEST(Bisect, NeighboursOfABrokenCommitAreTried) {
  Oracle oracle{{{kA, "c007"}}, {"c005"}};
  const auto culprits = bisect(line_of(10), {kA}, std::ref(oracle));
  EXPECT_EQ(culprits[0].first_bad, "c007");
  EXPECT_EQ(culprits[0].last_good, "c006");
  EXPECT_TRUE(culprits[0].between.empty());
}

TEST(Bisect, WhatStayedOpenIsTriedOnceMore) {
  Oracle oracle{{{kA, "c005"}}, {}, {"c004", "c005"}};
  const auto culprits = bisect(line_of(10), {kA}, std::ref(oracle));
  EXPECT_EQ(culprits[0].last_good, "c004");
  EXPECT_EQ(culprits[0].first_bad, "c005");
  EXPECT_TRUE(culprits[0].between.empty());
  EXPECT_LE(oracle.calls, bisect_steps(10) + 3);
}

TEST(Bisect, WhatStaysOpenTwiceLeavesARange) {
  Oracle oracle{{{kA, "c005"}}, {}, {"c005"}, 2};
  const auto culprits = bisect(line_of(10), {kA}, std::ref(oracle));
  EXPECT_EQ(culprits[0].first_bad, "c006");
  EXPECT_EQ(culprits[0].between, std::vector<std::string>{"c005"});
  EXPECT_EQ(oracle.tries["c005"], 2);
}

TEST(Bisect, RowsShareMeasurements) {
  Oracle together{{{kA, "c050"}, {kB, "c050"}}, {}};
  bisect(line_of(100), {kA, kB}, std::ref(together));
  EXPECT_LE(together.calls, bisect_steps(100));
  Oracle apart{{{kA, "c010"}, {kB, "c090"}}, {}};
  const auto culprits = bisect(line_of(100), {kA, kB}, std::ref(apart));
  EXPECT_EQ(culprits[0].first_bad, "c010");
  EXPECT_EQ(culprits[1].first_bad, "c090");
  EXPECT_LT(apart.calls, 14);
}

RC_GTEST_PROP(BisectProperty, FindsTheCulpritInLogarithmicallyManySteps, ()) {
  const auto count = *rc::gen::inRange<size_t>(2, 200);
  const auto at = *rc::gen::inRange<size_t>(1, count);
  const auto line = line_of(count);
  Oracle oracle{{{kA, line[at]}}, {}};
  const auto culprits = bisect(line, {kA}, std::ref(oracle));
  RC_ASSERT(culprits[0].first_bad == line[at]);
  RC_ASSERT(culprits[0].last_good == line[at - 1]);
  RC_ASSERT(oracle.calls <= bisect_steps(count));
}

RC_GTEST_PROP(BisectProperty, TheCulpritIsNeverOutsideTheRange, ()) {
  const auto count = *rc::gen::inRange<size_t>(2, 60);
  const auto at = *rc::gen::inRange<size_t>(1, count);
  const auto line = line_of(count);
  Oracle oracle{{{kA, line[at]}}, {}};
  for (const size_t broken :
       *rc::gen::container<std::set<size_t>>(rc::gen::inRange<size_t>(0, 60))) {
    oracle.broken.insert(fmt::format("c{:03}", broken));
  }
  const auto culprits = bisect(line, {kA}, std::ref(oracle));
  RC_ASSERT(culprits[0].last_good < line[at]);
  RC_ASSERT(culprits[0].first_bad >= line[at]);
  for (const std::string& between : culprits[0].between) {
    RC_ASSERT(oracle.broken.contains(between));
  }
}

}  // namespace
}  // namespace nsop::judge
