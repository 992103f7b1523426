// Conversions of 16-bit floats on every target, against their definition in double precision.
#include "kernels/half/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/core/tensor/random.h"
#include "kernels/runtime/target.h"

namespace nsop::kernels {
namespace {

constexpr size_t kPatterns = 1u << 16;

struct Format {
  HalfType type;
  int fraction_bits, bias;
  double largest;
};
constexpr Format kBfloat16 = {HalfType::kBf16, 7, 127, 0x1.fep127};
constexpr Format kBinary16 = {HalfType::kF16, 10, 15, 65504};

// IEEE 754-2019, 3.4.
double value_of(const Format& format, uint16_t bits) {
  const int exponent_bits = 15 - format.fraction_bits;
  const int exponent = (bits & 0x7fff) >> format.fraction_bits;
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const int hidden = exponent == 0 ? 0 : 1 << format.fraction_bits;
  const int scale = std::max(exponent, 1) - format.bias - format.fraction_bits;
  return sign * std::ldexp(fraction + hidden, scale);
}

std::vector<uint16_t> every_pattern() {
  std::vector<uint16_t> all(kPatterns);
  std::iota(all.begin(), all.end(), uint16_t{0});
  return all;
}

class Halves : public testing::TestWithParam<std::string> {
 protected:
  Halves() { pin_target(GetParam()); }
  ~Halves() override { pin_target(targets().front()); }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;

  static std::vector<float> widened(HalfType type, const std::vector<uint16_t>& x) {
    std::vector<float> y(x.size());
    widen(type, x, y, serial_threads());
    return y;
  }
  static std::vector<uint16_t> narrowed(HalfType type, const std::vector<float>& x) {
    std::vector<uint16_t> y(x.size());
    narrow(type, x, y, serial_threads());
    return y;
  }
  static uint16_t narrowed(HalfType type, float x) { return narrowed(type, std::vector{x})[0]; }
};

TEST_P(Halves, WidenToWhatTheirBitsMean) {
  for (const Format& format : {kBfloat16, kBinary16}) {
    const std::vector<float> wide = widened(format.type, every_pattern());
    for (size_t i = 0; i < kPatterns; ++i) {
      const double want = value_of(format, static_cast<uint16_t>(i));
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(wide[i])) << i;
      } else {
        ASSERT_EQ(wide[i], want) << i;
        ASSERT_EQ(std::signbit(wide[i]), std::signbit(want)) << i;
      }
    }
  }
}

TEST_P(Halves, AreThemselvesWhenTheyComeBack) {
  for (const Format& format : {kBfloat16, kBinary16}) {
    const std::vector<uint16_t> back = narrowed(format.type, widened(format.type, every_pattern()));
    for (size_t i = 0; i < kPatterns; ++i) {
      const bool nan = std::isnan(value_of(format, static_cast<uint16_t>(i)));
      if (nan) {
        ASSERT_TRUE(std::isnan(value_of(format, back[i]))) << i;
      } else {
        ASSERT_EQ(back[i], i);
      }
    }
  }
}

// Between any two neighbours: a quarter of the way, half, which goes to the even one, three
// quarters, and next to half on either side.
TEST_P(Halves, RoundToTheNearestOfTwoToTheEvenOne) {
  for (const Format& format : {kBfloat16, kBinary16}) {
    std::vector<float> values;
    std::vector<uint16_t> wants;
    for (uint16_t bits = 0; value_of(format, bits) < format.largest; ++bits) {
      const double low = value_of(format, bits);
      const double high = value_of(format, static_cast<uint16_t>(bits + 1));
      const auto upper = static_cast<uint16_t>(bits + 1);
      const auto half = static_cast<float>((low + high) / 2);
      if (static_cast<double>(half) != (low + high) / 2) continue;  // denormals of float32
      for (const auto& [value, want] :
           {std::pair{static_cast<float>(low + (high - low) / 4), bits},
            {half, bits % 2 == 0 ? bits : upper},
            {std::nextafter(half, 0.0f), bits},
            {std::nextafter(half, std::numeric_limits<float>::infinity()), upper},
            {static_cast<float>(low + (high - low) * 0.75), upper}}) {
        values.push_back(value);
        wants.push_back(want);
        values.push_back(-value);
        wants.push_back(static_cast<uint16_t>(want | 0x8000));
      }
    }
    ASSERT_GT(values.size(), 300'000u);
    EXPECT_EQ(narrowed(format.type, values), wants);
  }
}

TEST_P(Halves, BeyondTheLargestIsInfiniteAndNanStaysNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(narrowed(HalfType::kF16, 65519.996f), 0x7bff);
  EXPECT_EQ(narrowed(HalfType::kF16, 65520.0f), 0x7c00);
  EXPECT_EQ(narrowed(HalfType::kF16, -1e30f), 0xfc00);
  EXPECT_EQ(narrowed(HalfType::kF16, infinity), 0x7c00);
  EXPECT_EQ(narrowed(HalfType::kBf16, std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(narrowed(HalfType::kBf16, -infinity), 0xff80);
  for (const uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0x7fffffffu}) {
    const auto nan = std::bit_cast<float>(bits);
    EXPECT_TRUE(std::isnan(value_of(kBinary16, narrowed(HalfType::kF16, nan)))) << bits;
    EXPECT_TRUE(std::isnan(value_of(kBfloat16, narrowed(HalfType::kBf16, nan)))) << bits;
  }
}

// Lengths around vectors, on one thread and on two: nothing beyond the end is written.
TEST_P(Halves, OfAnyNumberAreConvertedAndNoMore) {
  ThreadPool eager(2, ThreadPool::Forks::kEager);
  SplitMix64 random(7);
  for (const size_t n : {1, 7, 8, 15, 16, 17, 31, 33, 64, 65, 257}) {
    std::vector<float> x(n);
    for (float& value : x) value = static_cast<float>(random.uniform() * 200 - 100);
    for (ThreadPool* pool : {&serial_threads(), &eager}) {
      std::vector<uint16_t> y(n + 1, 0x1234);
      narrow(HalfType::kBf16, x, std::span(y).first(n), *pool);
      EXPECT_EQ(y[n], 0x1234) << n;
      std::vector<float> back(n + 1, 0.5f);
      widen(HalfType::kBf16, std::span(y).first(n), std::span(back).first(n), *pool);
      EXPECT_EQ(back[n], 0.5f) << n;
      for (size_t i = 0; i < n; ++i) EXPECT_NEAR(back[i], x[i], std::fabs(x[i]) * 0x1p-8) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Halves, testing::ValuesIn(targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace nsop::kernels
