// Fully connected layer: y = x W + b, and its gradients. All tensors are contiguous float32.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/gemm/gemm.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// x is [batch, in], y [batch, out], b [out]; w is [in, out], or [out, in] with out_by_in.
struct DenseShape {
  size_t batch = 0;
  size_t in = 0;
  size_t out = 0;
  bool out_by_in = false;
};

// The products behind the passes, with empty data pointers.
Gemm dense_forward_gemm(const DenseShape& shape);  // y = x W
Gemm dense_data_gemm(const DenseShape& shape);     // dx = dy W^T
Gemm dense_weights_gemm(const DenseShape& shape);  // dw, in the layout of w

// Floats of workspace (64-byte aligned) that is enough for each of the passes below.
size_t dense_workspace_floats(const DenseShape& shape, int threads);

// y = x W + bias; an empty bias is none. Outputs of all passes are overwritten.
void dense_forward(const DenseShape& shape, std::span<const float> x, std::span<const float> w,
                   std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                   ThreadPool& thread_pool);

// dx = dy W^T.
void dense_backward_data(const DenseShape& shape, std::span<const float> w,
                         std::span<const float> dy, std::span<float> dx, std::span<float> workspace,
                         ThreadPool& thread_pool);

// dw = x^T dy in the layout of w; dbias = the column sums of dy unless it is empty.
void dense_backward_weights(const DenseShape& shape, std::span<const float> x,
                            std::span<const float> dy, std::span<float> dw, std::span<float> dbias,
                            std::span<float> workspace, ThreadPool& thread_pool);

// dbias = the column sums of dy.
void dense_backward_bias(const DenseShape& shape, std::span<const float> dy, std::span<float> dbias,
                         ThreadPool& thread_pool);

// What dense_backward() does with both gradients on the current target, in words.
std::string dense_backward_algorithm(const DenseShape& shape);

// All of the above gradients. A batch of one needs no workspace: one pass over w does both.
void dense_backward(const DenseShape& shape, std::span<const float> x, std::span<const float> w,
                    std::span<const float> dy, std::span<float> dx, std::span<float> dw,
                    std::span<float> dbias, std::span<float> workspace, ThreadPool& thread_pool);

}  // namespace nsop::kernels
