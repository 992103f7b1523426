// Convolutions without patches: the input is copied once, with its padding, and vectors of
// neighbouring outputs read it in place under every tap. Taps outside the image are left out where
// no output of a register tile needs them: all of the depth's, most of the height's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Is the way faster than products with patches for the forward pass, or the gradient of the data?
// Rules of the shape and of the vectors of the current target: there are taps to share the copied
// input, and lines fill their vectors by three quarters, or planes_pay() says so. The gradient
// wants stride 1 and no average.
bool lines_pay_forward(const ConvShape& shape);
bool lines_pay_data(const ConvShape& shape);

// Floats of workspace (64-byte aligned) for both.
size_t lines_workspace_floats(const ConvShape& shape, int threads);

// As conv_forward and conv_backward_data.
void lines_forward(const ConvShape& shape, std::span<const float> x, std::span<const float> w,
                   std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                   ThreadPool& pool);
void lines_backward_data(const ConvShape& shape, std::span<const float> w,
                         std::span<const float> dy, std::span<float> dx, std::span<float> workspace,
                         ThreadPool& pool);

// One layer of any pass (kernels/conv/shape/lines_plan.h), with weights
// [groups][outs][channels][taps] and perhaps no bias: does the way pay for it, the floats of
// workspace, and its run.
struct LineLayer;
bool lines_pay(const LineLayer& layer);
size_t lines_layer_floats(const LineLayer& layer, int threads);
void lines_layer(const LineLayer& layer, std::span<const float> x, const float* w,
                 std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                 ThreadPool& pool);

// E.g. `padded lines 6x64`; of an average `sums of padded lines 12x32`.
std::string lines_algorithm(const LineLayer& layer);

}  // namespace nsop::kernels
