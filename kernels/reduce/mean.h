// The backward pass of a mean; the forward pass is a Reducer.
#pragma once

#include <span>

#include "kernels/runtime/axis.h"

namespace nsop::kernels {

// dx [outer, length, inner] = dy [outer, inner] / length. Writes 4 bytes per element.
void mean_backward(const AxisShape& shape, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool);

}  // namespace nsop::kernels
