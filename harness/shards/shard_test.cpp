#include "harness/shards/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"

namespace nsop::shards {
namespace {

// Cases of so many flops each, in two variants.
run::Plan plan_of(const std::vector<double>& flops) {
  run::Plan plan;
  plan.profile = run::profile_named("quick");
  for (size_t i = 0; i < flops.size(); ++i) {
    const std::string text = "relu n=" + std::to_string(i);
    run::CaseDescription description;
    description.text = text;
    description.facts.flops = flops[i];
    plan.cases[text] = description;
    plan.rows.push_back({{text, "hwy", "AVX2", 1}, 0, ""});
    plan.rows.push_back({{text, "before", "x86-64", 1}, 0, ""});
  }
  return plan;
}

TEST(Shard, IsReadAndRefused) {
  EXPECT_EQ(shard_from_text("3/8").index, 3);
  EXPECT_EQ(shard_from_text("3/8").of, 8);
  EXPECT_EQ(shard_from_text("1/1").of, 1);
  for (const char* text : {"", "3", "0/8", "9/8", "-1/8", "3/", "/8", "3/8x", "3/8/1", "1/100001",
                           "a/b", "3 /8", "99999999999/999999999999"}) {
    EXPECT_THROW(shard_from_text(text), Error) << text;
  }
}

TEST(Shard, EveryCaseIsInOneAndTheirWorkIsEven) {
  rc::check([] {
    const auto flops = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(0, 1000), [](int n) { return n * 1e8; })));
    const int of = *rc::gen::inRange(1, 9);
    const run::Plan whole = plan_of(flops);
    std::set<std::string> seen;
    std::vector<double> loads;
    double total = 0, longest = 0;
    for (int index = 1; index <= of; ++index) {
      run::Plan part = whole;
      if (static_cast<size_t>(of) > flops.size() && static_cast<size_t>(index) > flops.size()) {
        RC_ASSERT_THROWS_AS(keep_shard(part, {index, of}), Error);
        continue;
      }
      keep_shard(part, {index, of});
      double load = 0;
      for (const auto& [text, description] : part.cases) {
        RC_ASSERT(seen.insert(text).second);
        double cost = 0;
        for (const run::PlanRow& row : part.rows) {
          if (row.key.case_text == text)
            cost += run::row_seconds(part, {{text, "", "AVX2", 1}, 0, ""});
        }
        longest = std::max(longest, cost);
        load += cost;
      }
      RC_ASSERT(part.rows.size() == 2 * part.cases.size());
      loads.push_back(load);
      total += load;
    }
    RC_ASSERT(seen.size() == flops.size());
    // Graham's bound: a shard that is the fullest got its last case when it was the emptiest.
    RC_ASSERT(*std::max_element(loads.begin(), loads.end()) <= total / of + longest + 1e-9);
  });
}

TEST(Shard, TargetsAndPeersOfANodeChangeNothing) {
  run::Plan one = plan_of({1e9, 5e9, 2e9, 7e9}), other = one;
  for (run::PlanRow& row : other.rows) {
    row.key.target = "SCALAR";
    row.unsupported = "not on this processor";
  }
  EXPECT_EQ(shards_of_cases(one, 3), shards_of_cases(other, 3));
}

TEST(Shard, MoreShardsThanCasesIsSaid) {
  run::Plan plan = plan_of({1e9});
  try {
    keep_shard(plan, {2, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("shard 2 of 2 has nothing to measure"));
  }
}

}  // namespace
}  // namespace nsop::shards
