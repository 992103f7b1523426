// Multiply-adds on registers: how fast the machine can compute at all.
#pragma once

#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Iterations of z = a z + b that peak_flops makes per element.
constexpr int kPeakIterations = 512;

// y[i] = the kPeakIterations-th iterate of z -> a z + b from z = x[i]. The size must be a multiple
// of 192: 12 accumulators of the widest vector (assert). x and y may be the same buffer.
void peak_flops(std::span<const float> x, float a, float b, std::span<float> y,
                ThreadPool& thread_pool);

}  // namespace nsop::kernels
