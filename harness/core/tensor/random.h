// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>

namespace nsop {

// A deterministic generator (SplitMix64, Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195).
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next();
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)

 private:
  uint64_t state_;
};

}  // namespace nsop
