// Average pooling to a given number of windows, which together cover the plane: window i of o along
// an axis of n is [floor(i n / o), ceil((i + 1) n / o)). Tensors are contiguous float32, x and dx
// [planes, height, width], y and dy [planes, out_height, out_width].
#pragma once

#include <cstddef>
#include <span>

#include "kernels/pool.h"

namespace nsop::kernels {

struct AdaptivePool2dShape {
  size_t planes = 0;
  size_t height = 0;
  size_t width = 0;
  size_t out_height = 0;
  size_t out_width = 0;

  size_t x_size() const { return planes * height * width; }
  size_t y_size() const { return planes * out_height * out_width; }
};

// Floats of workspace (64-byte aligned) that is enough for both passes.
size_t adaptive_pool2d_workspace_floats(const AdaptivePool2dShape& shape, int threads);

void adaptive_avgpool2d_forward(const AdaptivePool2dShape& shape, std::span<const float> x,
                                std::span<float> y, std::span<float> workspace, Pool& pool);

void adaptive_avgpool2d_backward(const AdaptivePool2dShape& shape, std::span<const float> dy,
                                 std::span<float> dx, std::span<float> workspace, Pool& pool);

}  // namespace nsop::kernels
