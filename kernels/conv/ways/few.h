// Gradients of convolutions with few input channels, such as a first layer's: neither the channels
// nor patches fill vectors, but neighbouring pixels do.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// dw and dbias by sums over vectors of pixels, each of which reads the padded input of a few taps
// and dy of a few output channels. A rule of the shape and of the vectors of the current target:
// there are taps to share the padded input, the output isn't averaged, and its lines fill their
// vectors by three quarters or planes_pay() says so, whose way it then is.
bool few_weights_pay(const ConvShape& shape);
size_t few_weights_floats(const ConvShape& shape, int threads);  // of workspace, 64-byte aligned
// An empty dbias isn't computed.
void few_weights(const ConvShape& shape, std::span<const float> x, std::span<const float> dy,
                 std::span<float> dw, std::span<float> dbias, std::span<float> workspace,
                 ThreadPool& pool);
std::string few_weights_algorithm(const ConvShape& shape);

// dx of one channel per group: for every column of the kernel one row of products with dy, which
// are then added, shifted against each other. Wants stride 1, no average, kernels of 2 to 12
// columns, 4 output channels per group and lines of dy that are whole vectors.
bool few_data_pays(const ConvShape& shape);
size_t few_data_floats(const ConvShape& shape, int threads);
void few_data(const ConvShape& shape, std::span<const float> w, std::span<const float> dy,
              std::span<float> dx, std::span<float> workspace, ThreadPool& pool);
std::string few_data_algorithm();

}  // namespace nsop::kernels
