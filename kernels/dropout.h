// Dropout with the counter-based generator Philox4x32-10: Salmon, Moraes, Dror & Shaw 2011,
// Parallel random numbers: as easy as 1, 2, 3, doi:10.1145/2063384.2063405.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/pool.h"

namespace nsop::kernels {

// A stream of random numbers: the key and the upper half of the counter. Streams of different seeds
// or runs have nothing to do with each other.
struct PhiloxStream {
  uint64_t seed = 0;
  uint64_t run = 0;
};

// 64 words of a stream: word w of the Philox block 16 * chunk + b (the lower half of the counter)
// is words[16 * w + b]. The same on every target.
constexpr size_t kPhiloxChunk = 64;
void philox_chunk(const PhiloxStream& stream, uint64_t chunk,
                  std::span<uint32_t, kPhiloxChunk> words);

// mask[i] = 0 with probability `rate` (to 2^-32), else 1 / (1 - rate); y = x * mask. Word i of the
// stream decides on element i: the result is the same on every target and for any number of
// threads. 0 <= rate < 1 (assert).
void dropout_forward(const PhiloxStream& stream, double rate, std::span<const float> x,
                     std::span<float> y, std::span<float> mask, Pool& pool);

// dx = dy * mask.
void dropout_backward(std::span<const float> mask, std::span<const float> dy, std::span<float> dx,
                      Pool& pool);

}  // namespace nsop::kernels
