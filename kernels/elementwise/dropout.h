// Dropout with the counter-based generator Philox4x32-10: Salmon, Moraes, Dror & Shaw 2011,
// Parallel random numbers: as easy as 1, 2, 3, doi:10.1145/2063384.2063405.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// A stream of random numbers: the key and the upper half of the counter. Streams of different seeds
// or runs have nothing to do with each other.
struct PhiloxStream {
  uint64_t seed = 0;
  uint64_t run = 0;
};

// 64 words of a stream: word w of the Philox block 16 * chunk + b (the lower half of the counter)
// is words[16 * w + b]. The same on every target. Only tests call it, to compare what the kernel
// computes as it goes with the published vectors of the generator.
constexpr size_t kPhiloxChunk = 64;
void philox_chunk(const PhiloxStream& stream, uint64_t chunk,
                  std::span<uint32_t, kPhiloxChunk> words);

// What decides on an element.
struct DropoutRule {
  PhiloxStream stream;
  int32_t threshold;  // pieces of words below it, both as signed numbers, drop their element
  float scale;        // of the others
  size_t share;       // elements that share a word, a piece of 32 / share bits for each
};

// How many elements share a word of the stream, each taking its own 32 / share bits: 4 when the
// rate is a multiple of 2^-8 (0.5, 0.25), 2 when it is one of 2^-16, else 1. Such a rate is met
// exactly.
size_t dropout_share(double rate);

// mask[i] = 0 with probability `rate` (to 2^-32), else 1 / (1 - rate); y = x * mask. Word j of
// chunk c decides, with its upper bits first, on the elements 64 (c share + k) + j for k < share:
// the result is the same on every target and for any number of threads. 0 <= rate < 1 (assert).
void dropout_forward(const PhiloxStream& stream, double rate, std::span<const float> x,
                     std::span<float> y, std::span<float> mask, ThreadPool& thread_pool);

// dx = dy * mask.
void dropout_backward(std::span<const float> mask, std::span<const float> dy, std::span<float> dx,
                      ThreadPool& thread_pool);

}  // namespace nsop::kernels
