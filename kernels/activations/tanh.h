// Hyperbolic tangent. Elements are independent: any shape, as one span.
#pragma once

#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// y = tanh(x), at most 2.5 ULP off; NaN stays NaN. y has the size of x and may be x.
void tanh_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool);

// dx = dy * (1 - y * y), where y is the saved output of the forward pass. All three have the same
// size; dx may be y or dy.
void tanh_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool);

}  // namespace nsop::kernels
