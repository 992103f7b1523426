// Pooling to a given number of windows, which together cover the plane: window i of o along
// an axis of n is [floor(i n / o), ceil((i + 1) n / o)). Tensors are contiguous float32, x and dx
// [planes, height, width], y, dy and the index [planes, out_height, out_width].
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "harness/core/case.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

struct AdaptivePool2dShape {
  size_t planes = 0;
  size_t height = 0;
  size_t width = 0;
  size_t out_height = 0;
  size_t out_width = 0;

  size_t x_size() const { return planes * height * width; }
  size_t y_size() const { return planes * out_height * out_width; }
  size_t plane_work() const { return std::max(height * width, out_height * out_width); }
  size_t row_floats() const { return (width + 15) / 16 * 16 + 16; }  // room for a vector past it
  // Rows of y whose windows' sums are worked on together: what 2,048 floats hold.
  size_t rows_together() const {
    constexpr size_t kFloats = 2048;
    return std::min(planes * out_height, std::max(kFloats / width, size_t{1}));
  }
  size_t together_floats() const { return (rows_together() * width + 15) / 16 * 16 + 32; }
};

struct AdaptiveWay;  // adaptive_pool2d.cpp: of the forward pass of the average

// The passes of the average: which way the forward pass goes, decided once for a shape.
class AdaptiveAveragePlan {
 public:
  AdaptiveAveragePlan() = default;
  AdaptiveAveragePlan(const AdaptivePool2dShape& shape);  // implicit, as Pool2dPlan

  const AdaptivePool2dShape& shape() const { return shape_; }
  const AdaptiveWay& way() const { return *way_; }

  // What the forward pass does, in words.
  const char* algorithm() const;

 private:
  AdaptivePool2dShape shape_;
  const AdaptiveWay* way_ = nullptr;
};

// Of a case with the keys in and out.
AdaptivePool2dShape adaptive_pool2d_shape(const Case& op_case);

// Floats of workspace (64-byte aligned) that is enough for both passes of the average.
size_t adaptive_pool2d_workspace_floats(const AdaptivePool2dShape& shape, int threads);

void adaptive_avgpool2d_forward(const AdaptiveAveragePlan& plan, std::span<const float> x,
                                std::span<float> y, std::span<float> workspace,
                                ThreadPool& thread_pool);

void adaptive_avgpool2d_backward(const AdaptivePool2dShape& shape, std::span<const float> dy,
                                 std::span<float> dx, std::span<float> workspace,
                                 ThreadPool& thread_pool);

// y is the largest value of each window, index its place h * width + w in the plane, as a float
// (height * width <= 2^24). Of equal values the first wins; of a window with NaN, the first NaN.
size_t adaptive_maxpool2d_workspace_floats(const AdaptivePool2dShape& shape, int threads);
void adaptive_maxpool2d_forward(const AdaptivePool2dShape& shape, std::span<const float> x,
                                std::span<float> y, std::span<float> index,
                                std::span<float> workspace, ThreadPool& thread_pool);

// dx = the sum of dy over the windows whose index is there. The index is one that forward gave.
void adaptive_maxpool2d_backward(const AdaptivePool2dShape& shape, std::span<const float> index,
                                 std::span<const float> dy, std::span<float> dx,
                                 ThreadPool& thread_pool);

}  // namespace nsop::kernels
