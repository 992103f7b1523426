// The cost of sharing work out: a fork and join of the pool around next to no work.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

constexpr size_t kForkJoinFloats = 16;  // per part: one cache line

// y = x, each part of kForkJoinFloats floats by a call of its own on the threads of the pool. y
// should be aligned to a cache line, or parts share one. 128 bytes per part.
void fork_join(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool);

}  // namespace nsop::kernels
