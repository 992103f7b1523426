#include "harness/stats/base/repetitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nsop::stats {
namespace {

using testing::ElementsAre;

Invocation with(const std::vector<std::pair<int64_t, int64_t>>& wall_and_cpu) {
  Invocation one;
  for (const auto& [wall, cpu] : wall_and_cpu) {
    Repetition r;
    r.iterations = 10;
    r.wall_ns = wall;
    r.process_cpu_ns = cpu;
    one.repetitions.push_back(r);
  }
  return one;
}

TEST(Repetitions, CountByTheirClock) {
  Invocation one = with({{1000, 900}, {2000, 800}, {3000, 700}});
  one.repetitions[1].involuntary_switches = 1;
  EXPECT_THAT(counted_times(one, true), ElementsAre(90, 80, 70));
  EXPECT_THAT(counted_times(one, false), ElementsAre(100, 300)) << "without the preempted one";
}

TEST(Repetitions, OfFewerThanThreeTheMeanSaysNothing) {
  EXPECT_FALSE(hidden_excess(with({}), true).has_value());
  EXPECT_FALSE(hidden_excess(with({{1000, 1000}, {2000, 2000}}), true).has_value());
  const auto known = hidden_excess(with({{1000, 1000}, {1000, 1000}, {2500, 2500}}), true);
  ASSERT_TRUE(known.has_value());
  EXPECT_NEAR(*known, std::log(1.5), 1e-12);
}

}  // namespace
}  // namespace nsop::stats
