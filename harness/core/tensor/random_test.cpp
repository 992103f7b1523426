#include "harness/core/tensor/random.h"

#include <gtest/gtest.h>

namespace nsop {
namespace {

TEST(Random, SplitMix64KnowsItsTestVector) {  // seed 1234567, Vigna's splitmix64.c
  SplitMix64 generator(1234567);
  EXPECT_EQ(generator.next(), 6457827717110365317u);
  EXPECT_EQ(generator.next(), 3203168211198807973u);
}

}  // namespace
}  // namespace nsop
