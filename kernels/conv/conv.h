// Convolution (cross-correlation) over one to three axes and its gradients. Tensors are contiguous
// float32: x [batch, in_channels, depth, height, width], w [out_channels, in_channels / groups,
// kernel depth, height, width], bias [out_channels], y [batch, out_channels, out depth, height,
// width].
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// The pool that a pass is worth: the given one, or the serial one. The functions below fork
// whatever the work; ConvPlan asks this first.
ThreadPool& conv_pool(const ConvShape& shape, ConvPass pass, ThreadPool& pool);

// Floats of workspace (64-byte aligned) that is enough for each of the passes below.
size_t conv_workspace_floats(const ConvShape& shape, int threads);

// An empty bias is none. Outputs of all passes are overwritten.
void conv_forward(const ConvShape& shape, std::span<const float> x, std::span<const float> w,
                  std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                  ThreadPool& pool);

void conv_backward_data(const ConvShape& shape, std::span<const float> w, std::span<const float> dy,
                        std::span<float> dx, std::span<float> workspace, ThreadPool& pool);

// An empty dbias isn't computed.
void conv_backward_weights(const ConvShape& shape, std::span<const float> x,
                           std::span<const float> dy, std::span<float> dw, std::span<float> dbias,
                           std::span<float> workspace, ThreadPool& pool);

// What the passes do on the current target, e.g. `implicit gemm packed 8x48`.
std::string conv_forward_algorithm(const ConvShape& shape);
std::string conv_data_algorithm(const ConvShape& shape);
std::string conv_weights_algorithm(const ConvShape& shape);

}  // namespace nsop::kernels
