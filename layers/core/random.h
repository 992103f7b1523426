// Random numbers for weights and shuffles: the same from the same seed on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "harness/core/tensor/random.h"

namespace nsop::layers {

class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed) {}

  uint64_t next() { return bits_.next(); }
  double uniform() { return bits_.uniform(); }  // [0, 1)
  double uniform(double lo, double hi) { return lo + (hi - lo) * bits_.uniform(); }
  // An integer in [0, n), n <= 2^32, by multiplication: the bias is below n / 2^32.
  uint64_t below(uint64_t n) { return ((bits_.next() >> 32) * n) >> 32; }
  // Mean 0, variance 1 (Box & Muller 1958, doi:10.1214/aoms/1177706645; one of the two values).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - bits_.uniform()));
    return radius * std::cos(2 * std::numbers::pi * bits_.uniform());
  }

 private:
  SplitMix64 bits_;
};

}  // namespace nsop::layers
