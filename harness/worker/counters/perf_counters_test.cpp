#include "harness/worker/counters/perf_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace nsop::worker {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(PerfCounters, AnOperationIsItsShareOfTheDifference) {
  const PerfReading before{{100, 200, 7}, {true, true, true}},
      after{{500, 1000, 9}, {true, true, true}};
  EXPECT_THAT(counted_per_op(before, after, 4),
              UnorderedElementsAre(Pair("hw_cycles", 100), Pair("hw_instructions", 200),
                                   Pair("hw_cache_misses", 0.5)));
}

TEST(PerfCounters, WhatAReadingDoesNotKnowOrCountsBackwardsIsLeftOut) {
  const PerfReading before{{100, 200, 7}, {true, false, true}},
      after{{500, 1000, 6}, {true, true, true}};
  EXPECT_THAT(counted_per_op(before, after, 4), UnorderedElementsAre(Pair("hw_cycles", 100)));
  EXPECT_THAT(counted_per_op(after, PerfReading{}, 4), IsEmpty());
}

// Few machines have counters; those that a machine has go forwards and count every event's own.
TEST(PerfCounters, EveryCounterThatOpensCountsWork) {
  const PerfCounters counters;
  const PerfReading before = counters.read();
  volatile int64_t sink = 0;
  for (int i = 0; i < 100'000; ++i) sink = sink + i;
  const PerfReading after = counters.read();
  for (size_t i = 0; i < kPerfEvents; ++i) {
    const bool counts_work = std::string(perf_event_names()[i]) != "hw_cache_misses";
    EXPECT_EQ(before.known[i], after.known[i]) << perf_event_names()[i];
    EXPECT_GE(after.values[i], before.values[i]) << perf_event_names()[i];
    const uint64_t counted = after.values[i] - before.values[i];
    EXPECT_TRUE(!before.known[i] || !counts_work || counted >= 100'000u) << counted;
  }
}

TEST(PerfCounters, CountersThatARepetitionLacksAreLeftOutOfAll) {
  std::vector<Repetition> repetitions(3);
  repetitions[0].metrics = {{"hw_cycles", 1}, {"hw_cache_misses", 8}, {"moves", 2}};
  repetitions[1].metrics = {{"hw_cycles", 3}, {"hw_instructions", 4}, {"hw_cache_misses", 9}};
  repetitions[2].metrics = {{"hw_instructions", 6}, {"hw_cache_misses", 7}, {"moves", 7}};
  keep_common_counts(repetitions);
  EXPECT_THAT(repetitions[0].metrics,
              UnorderedElementsAre(Pair("hw_cache_misses", 8), Pair("moves", 2)));
  // What a step tells unevenly is not hidden: whoever reads the answer refuses it.
  EXPECT_THAT(repetitions[1].metrics, UnorderedElementsAre(Pair("hw_cache_misses", 9)));
  EXPECT_THAT(repetitions[2].metrics,
              UnorderedElementsAre(Pair("hw_cache_misses", 7), Pair("moves", 7)));
}

}  // namespace
}  // namespace nsop::worker
