// sqrt is exactly rounded on every target, by whichever way a target computes it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/elementwise/unary.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

// 65536 floats that follow each other from the one with these bits on.
void check_from(uint32_t first) {
  std::vector<float> x(1 << 16);
  std::vector<float> y(x.size());
  for (uint32_t i = 0; i < x.size(); ++i) x[i] = std::bit_cast<float>(first + i);
  unary(Unary::kSqrt, {}, x, y, serial_threads());
  for (size_t i = 0; i < x.size(); ++i) {
    const float want = std::sqrt(x[i]);
    const bool same = std::bit_cast<uint32_t>(y[i]) == std::bit_cast<uint32_t>(want);
    ASSERT_TRUE(same || (std::isnan(want) && std::isnan(y[i]))) << x[i] << " gives " << y[i];
  }
}

TEST(Sqrt, OfEveryMantissaOfTwoBinadesIsTheNearestFloat) {
  pin_target(targets().front());
  for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits += 1 << 16) check_from(bits);
}

TEST(Sqrt, AtTheEndsOfTheRangeThatIsEstimated) {
  for (const std::string& target : targets()) {
    pin_target(target);
    const uint32_t infinity = 0x7f800000;
    for (const uint32_t middle : {0x0f800000U, 0x0e800000U, infinity, 0x00800000U, 0x80000000U}) {
      check_from(middle - (1 << 15));
    }
    check_from(0);           // denormals
    check_from(0xff7f8000);  // large negative, then -infinity and NaN
  }
  pin_target(targets().front());
}

}  // namespace
}  // namespace nsop::kernels
