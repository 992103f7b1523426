// The gradient of a convolution's weights without patches: products of dy's rows with an input
// whose channels lie next to each other, so that neighbouring taps of a row of the kernel are
// neighbouring columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Is it possible, and faster than products with patches? A rule of the shape: the output isn't
// averaged, there are taps to share the rearranged input, and a row of the kernel over all channels
// of a group fills vectors of 16 floats by three quarters.
bool channel_weights_pays(const ConvShape& shape);

// Floats of workspace (64-byte aligned).
size_t channel_weights_floats(const ConvShape& shape, int threads);

// dw of a shape for which it pays. The order of its sums depends on the number of threads: each
// sums its images, where there are enough of them.
void channel_weights(const ConvShape& shape, std::span<const float> x, std::span<const float> dy,
                     std::span<float> dw, std::span<float> workspace, ThreadPool& pool);

// E.g. `channels last 8x48`.
std::string channel_weights_algorithm();

}  // namespace nsop::kernels
