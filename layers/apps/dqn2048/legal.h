// A direction out of those that are legal: bit d of `legal`, which must not be 0, stands for
// direction d.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "layers/apps/dqn2048/draws.h"
#include "layers/apps/dqn2048/game2048.h"

namespace nsop::layers {

// Uniform over the legal ones, by the upper half of a draw.
inline Direction drawn_legal(uint32_t legal, uint64_t draw) {
  uint32_t n = Draws::below(draw, static_cast<uint32_t>(std::popcount(legal)));
  for (; n > 0; --n) legal &= legal - 1;
  return static_cast<Direction>(std::countr_zero(legal));
}

// The one with the largest value, the first of equals.
inline size_t best_legal(std::span<const float> values, uint32_t legal) {
  auto best = static_cast<size_t>(std::countr_zero(legal));
  for (size_t d = best + 1; d < kDirections; ++d) {
    if ((legal >> d & 1U) != 0 && values[d] > values[best]) best = d;
  }
  return best;
}

}  // namespace nsop::layers
