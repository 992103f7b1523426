// The gradient of the data of a convolution with strides, without products that are scattered: the
// inputs whose positions leave the same remainders by the strides, a phase, meet the same taps of
// the kernel, and those are a dense convolution of dy with stride 1. Phases of a line are computed
// apart and then interleaved.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/conv/shape/shape.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Is the way faster than products scattered over dx? A rule of the shape and of the vectors of the
// current target: some stride is larger than 1, the output isn't averaged, and there are a third as
// many input as output channels, or lines of a phase fill their vectors by three quarters.
bool phases_pay_data(const ConvShape& shape);

size_t phases_floats(const ConvShape& shape, int threads);  // of workspace, 64-byte aligned

// As conv_backward_data.
void phases_backward_data(const ConvShape& shape, std::span<const float> w,
                          std::span<const float> dy, std::span<float> dx,
                          std::span<float> workspace, ThreadPool& pool);

// E.g. `4 phases of padded lines 6x64`.
std::string phases_algorithm(const ConvShape& shape);

}  // namespace nsop::kernels
