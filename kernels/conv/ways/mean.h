// The gradients of a convolution whose output is averaged over its pixels, without a product per
// pixel: all pixels of an output channel have the same gradient, g[n,o] = dy[n,o] / pixels. With
// the window of tap t, the inputs that it meets as it passes over the outputs,
//   dw[o,c,t] = sum over n of g[n,o] s[n,c,t],  s[n,c,t] = the sum of x[n,c] over the window of t,
//   dx[n,c,i] = sum over the t in whose windows i lies of q[n,c,t],
//                                               q[n,c,t] = sum over o of g[n,o] w[o,c,t].
// These are the sums of the textbook in another order; they take 2 batch * out_channels * patch
// flops each, and kernel depth * kernel height additions per input: so little that nominal flops,
// which count a product per pixel, say nothing about their speed.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Floats of workspace (64-byte aligned) for both.
size_t mean_gradient_floats(const ConvShape& shape, int threads);

// As conv_backward_data, and conv_backward_weights without the bias, of a shape that averages. As
// many threads work as there is work for.
void mean_backward_data(const ConvShape& shape, std::span<const float> w, std::span<const float> dy,
                        std::span<float> dx, std::span<float> workspace, ThreadPool& pool);
void mean_backward_weights(const ConvShape& shape, std::span<const float> x,
                           std::span<const float> dy, std::span<float> dw,
                           std::span<float> workspace, ThreadPool& pool);

std::string mean_gradient_algorithm();

}  // namespace nsop::kernels
