// The gradients of a fully connected layer for a batch of one, in one pass over the weights.
#pragma once

#include <span>

#include "kernels/gemm/dense.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// dx = W dy and dw = x dy^T in the layout of w, for shape.batch == 1. Outputs are overwritten and
// don't overlap the inputs.
void dense_vector_backward(const DenseShape& shape, std::span<const float> x,
                           std::span<const float> w, std::span<const float> dy, std::span<float> dx,
                           std::span<float> dw, ThreadPool& thread_pool);

}  // namespace nsop::kernels
