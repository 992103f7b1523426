// Rectified linear unit. Elements are independent: any shape, as one span.
#pragma once

#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// y = x where x > 0, else 0; NaN stays NaN. y has the size of x and may be x.
void relu_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool);

// dx = dy where x > 0, else 0. All three have the same size; dx may be dy.
void relu_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool);

}  // namespace nsop::kernels
