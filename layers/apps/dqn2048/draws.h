// The random numbers of the DQN workload: a counter-based generator, so that draw i of a purpose is
// the same number in every language and in any order (docs/dqn.md defines it).
#pragma once

#include <cstdint>

namespace nsop::layers {

class Draws {
 public:
  enum class Purpose : uint64_t { kTile = 0, kExplore = 1, kReplay = 2 };

  Draws(uint64_t seed, Purpose purpose)
      : key_(mix(seed + kGolden * (static_cast<uint64_t>(purpose) + 1))) {}

  // Draw number i, uniform over 64 bits.
  uint64_t at(uint64_t i) const { return mix(key_ + kGolden * (i + 1)); }

  // The upper half of a draw as a number in [0, count).
  static uint32_t below(uint64_t draw, uint32_t count) {
    return static_cast<uint32_t>(((draw >> 32) * count) >> 32);
  }
  // The lower half of a draw, uniform in [0, 1).
  static double fraction(uint64_t draw) {
    return static_cast<double>(static_cast<uint32_t>(draw)) * 0x1p-32;
  }

 private:
  static constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;
  // The output function of SplitMix64 (Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195).
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  uint64_t key_;
};

}  // namespace nsop::layers
