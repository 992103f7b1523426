// Joining two tensors along an axis.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// y [outer, a_width + b_width] = a [outer, a_width] and b [outer, b_width] side by side, a width
// being the product of the extents from the axis on. Nothing overlaps. 8 bytes per element.
struct ConcatShape {
  size_t outer = 0;
  size_t a_width = 0;
  size_t b_width = 0;
};
void concat(const ConcatShape& shape, std::span<const float> a, std::span<const float> b,
            std::span<float> y, ThreadPool& thread_pool);

}  // namespace nsop::kernels
