// Runs without the counting preload.
#include "harness/worker/allocs/alloc_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace nsop::worker {
namespace {

using testing::HasSubstr;

bool running = false;
void fake_start() { running = true; }
void fake_stop() { running = false; }
void count_nothing(NsopAllocTotals* totals) { *totals = {}; }
void count_noise(NsopAllocTotals* totals) { *totals = {1, 1, 8, 8}; }

// The right answer for the canary's series, but one too many.
int snaps = 0;
void count_one_too_many(NsopAllocTotals* totals) {
  *totals = snaps++ == 0 ? NsopAllocTotals{10, 9, 1517, 600} : NsopAllocTotals{};
}
void count_exactly(NsopAllocTotals* totals) {
  *totals = snaps++ == 0 ? NsopAllocTotals{9, 9, 1517, 600} : NsopAllocTotals{};
}

TEST(AllocCounter, ThereIsNoHookWithoutThePreload) { EXPECT_FALSE(find_alloc_hook().has_value()); }

TEST(AllocCounter, TheCanaryRejectsAHookThatSeesNothing) {
  EXPECT_THAT(canary_failure({fake_start, fake_stop, count_nothing}),
              HasSubstr("counted 0 allocations"));
}

TEST(AllocCounter, TheCanaryRejectsAHookThatSeesTooMuch) {
  snaps = 0;
  EXPECT_THAT(canary_failure({fake_start, fake_stop, count_one_too_many}),
              HasSubstr("counted 10 allocations"));
}

TEST(AllocCounter, TheCanaryRejectsAHookThatCountsWhileNothingHappens) {
  EXPECT_THAT(canary_failure({fake_start, fake_stop, count_noise}),
              HasSubstr("where there were none"));
}

TEST(AllocCounter, TheCanaryAcceptsExactCountsOnly) {
  snaps = 0;
  EXPECT_EQ(canary_failure({fake_start, fake_stop, count_exactly}), "");
}

TEST(AllocCounter, CountingStopsWhenTheCodeThrows) {
  const AllocHook hook{fake_start, fake_stop, count_nothing};
  EXPECT_THROW(count_allocs(hook, [] { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_FALSE(running);
}

}  // namespace
}  // namespace nsop::worker
