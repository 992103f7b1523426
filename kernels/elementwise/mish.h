// mish (Misra 2019, arXiv:1908.08681). Elements are independent: any shape, as one span.
#pragma once

#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// y = x tanh(log(1 + e^x)). y has the size of x and may be x.
void mish_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool);

// dx = dy times the slope at x. All of one size; dx may be x or dy.
void mish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool);

}  // namespace nsop::kernels
