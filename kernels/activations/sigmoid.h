// Logistic function. Elements are independent: any shape, as one span.
#pragma once

#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// y = 1 / (1 + e^-x), at most 3 ULP off; NaN stays NaN. y has the size of x and may be x.
void sigmoid_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool);

// dx = dy * y * (1 - y), where y is the saved output of the forward pass. All three have the same
// size; dx may be y or dy.
void sigmoid_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                      ThreadPool& thread_pool);

}  // namespace nsop::kernels
