#include "kernels/elementwise/slow_on_purpose.h"

#include <gtest/gtest.h>

namespace nsop::kernels::slow {
namespace {

TEST(SlowOnPurpose, ChanceHasItsShare) {
  for (const uint64_t percent : {0, 10, 50, 100}) {
    int slow = 0;
    for (uint64_t number = 0; number < 10'000; ++number) slow += by_chance(number, percent);
    EXPECT_NEAR(slow, 100.0 * static_cast<double>(percent), 200);
  }
}

TEST(SlowOnPurpose, OnlyTheFirstOperationsAreSlow) {
  int slow = 0;
  for (int i = 0; i < 10; ++i) slow += is_slow(When::kFirst, 3);
  EXPECT_EQ(slow, 3);
  EXPECT_TRUE(is_slow(When::kAlways, 0));
  EXPECT_FALSE(is_slow(When::kSlices, 0));
  EXPECT_TRUE(is_slow(When::kProcesses, 100));
}

}  // namespace
}  // namespace nsop::kernels::slow
