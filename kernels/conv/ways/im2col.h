// Convolutions as textbooks lower them: the patches of an image are written out as a matrix, one
// product follows. For the record: the other ways do without the matrix.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Floats of workspace (64-byte aligned) for all passes: the matrix of one image and group, and what
// the products need.
size_t im2col_workspace_floats(const ConvShape& shape, int threads);

// As conv_forward, conv_backward_data, and conv_backward_weights without the bias.
void im2col_forward(const ConvShape& shape, std::span<const float> x, std::span<const float> w,
                    std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                    ThreadPool& pool);
void im2col_backward_data(const ConvShape& shape, std::span<const float> w,
                          std::span<const float> dy, std::span<float> dx,
                          std::span<float> workspace, ThreadPool& pool);
void im2col_backward_weights(const ConvShape& shape, std::span<const float> x,
                             std::span<const float> dy, std::span<float> dw,
                             std::span<float> workspace, ThreadPool& pool);

}  // namespace nsop::kernels
