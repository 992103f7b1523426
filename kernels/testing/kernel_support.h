// What the tests of this folder share: seeded data, guarded buffers, error bounds.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/core/tensor/random.h"
#include "harness/core/tensor/tensor.h"
#include "kernels/runtime/target.h"

namespace nsop::kernels {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Calls of operator new in this program so far, by any thread (count_new_support.cpp).
extern std::atomic<int64_t> allocations;

// `count` values, uniform in [-1, 1], the same for the same seed.
inline std::vector<float> random_floats(size_t count, uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

// A NaN-filled, 64-byte aligned buffer between guard words. `shift` floats move its begin off the
// alignment.
class GuardedFloats {
 public:
  explicit GuardedFloats(size_t count, size_t shift = 0)
      : count_(count), shift_(shift), storage_({static_cast<int64_t>(count + shift + 2 * kGuard)}) {
    for (float& value : storage_.data()) value = kGuardValue;
    for (float& value : span()) value = std::numeric_limits<float>::quiet_NaN();
  }
  std::span<float> span() { return storage_.data().subspan(kGuard + shift_, count_); }
  bool intact() const {
    const std::span<const float> all = storage_.data();
    for (size_t i = 0; i < all.size(); ++i) {
      const bool guard = i < kGuard + shift_ || i >= kGuard + shift_ + count_;
      if (guard && all[i] != kGuardValue) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 64;
  static constexpr float kGuardValue = 12345.0f;
  size_t count_;
  size_t shift_;
  Tensor storage_;
};

// A sum of products in double precision, with what rounding each step in float may add to it.
struct ExactSum {
  double value = 0;
  double magnitude = 0;
  size_t terms = 0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
    ++terms;
  }
  // Higham's bound for any order of summation: (terms + 2) u times the sum of magnitudes.
  double allowed() const { return static_cast<double>(terms + 2) * 0x1p-24 * magnitude + 1e-37; }
};

inline void expect_near(const ExactSum& exact, float got, const std::string& where) {
  EXPECT_LE(std::abs(got - exact.value), exact.allowed())
      << where << ": got " << got << ", expected " << exact.value;
}

// Runs the test body once per target that this machine has.
class EveryTarget : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { pin_target(GetParam()); }
  void TearDown() override { pin_target(targets().front()); }
};

inline std::string target_param_name(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace nsop::kernels
