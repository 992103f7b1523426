// Winograd for dilated convolutions over two axes. With dilation d, outputs whose rows and columns
// have the same remainders of d meet only inputs of one pair of remainders: d * d convolutions
// without dilation, done as so many more images. Inputs are sorted by remainders before and results
// after: 8 bytes per float of both tensors.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Is it possible and the faster way? The same dilation d > 1 on both axes, which divides their
// extents and padding, and winograd_pays() for the convolutions without dilation.
bool dilated_winograd_pays(const ConvShape& shape, ConvPass pass);

// Floats of workspace (64-byte aligned) that is enough for the pass.
size_t dilated_workspace_floats(const ConvShape& shape, ConvPass pass, int threads);

// As winograd_forward() etc.; dilated_winograd_pays() must hold for the pass.
void dilated_forward(const ConvShape& shape, std::span<const float> x, std::span<const float> w,
                     std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                     ThreadPool& pool);
void dilated_backward_data(const ConvShape& shape, std::span<const float> w,
                           std::span<const float> dy, std::span<float> dx,
                           std::span<float> workspace, ThreadPool& pool);
// Without the gradient of the bias.
void dilated_backward_weights(const ConvShape& shape, std::span<const float> x,
                              std::span<const float> dy, std::span<float> dw,
                              std::span<float> workspace, ThreadPool& pool);

// E.g. `winograd F(4x4,3x3) of 4 phases`.
std::string dilated_algorithm(const ConvShape& shape);

}  // namespace nsop::kernels
