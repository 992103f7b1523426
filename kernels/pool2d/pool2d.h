// Pooling over windows of two-dimensional planes, and its gradients. Tensors are contiguous
// float32: x and dx are [planes, height, width] (planes is batch * channels of NCHW), y, dy and the
// index [planes, out_height, out_width].
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// Windows along an axis.
struct PoolAxis {
  size_t kernel = 0;
  size_t stride = 1;
  size_t pad = 0;  // below kernel: every window has a pixel in it

  size_t windows(size_t extent) const { return (extent + 2 * pad - kernel) / stride + 1; }
  // The most windows that an input can be in.
  size_t overlap() const { return (kernel + stride - 1) / stride; }
  bool operator==(const PoolAxis&) const = default;
};

struct Pool2dShape {
  size_t planes = 0;
  size_t height = 0;
  size_t width = 0;
  PoolAxis down;    // along the height
  PoolAxis across;  // along the width

  size_t out_height() const { return down.windows(height); }
  size_t out_width() const { return across.windows(width); }
  size_t x_size() const { return planes * height * width; }
  size_t y_size() const { return planes * out_height() * out_width(); }
};

enum class PoolPass { kMaxForward, kMaxBackward, kAverageForward, kAverageBackward };
constexpr std::array kPoolPasses = {PoolPass::kMaxForward, PoolPass::kMaxBackward,
                                    PoolPass::kAverageForward, PoolPass::kAverageBackward};

struct PoolWay;  // kernels/pool2d/way.h

// Which way each pass goes, decided once for a shape.
class Pool2dPlan {
 public:
  Pool2dPlan() = default;
  Pool2dPlan(const Pool2dShape& shape);  // implicit: what runs once needs no plan of its own

  const Pool2dShape& shape() const { return shape_; }
  const PoolWay& way(PoolPass pass) const { return *ways_[static_cast<size_t>(pass)]; }

  // What the pass does, in words.
  const char* algorithm(PoolPass pass) const;

 private:
  Pool2dShape shape_;
  std::array<const PoolWay*, kPoolPasses.size()> ways_ = {};  // by PoolPass
};

// Floats of workspace (64-byte aligned) that is enough for each of the functions below.
size_t pool2d_workspace_floats(const Pool2dPlan& plan, int threads);

// y is the largest value of each window, index its place h * width + w in the plane, as a float
// (height * width <= 2^24). Of equal values the first wins; of a window with NaN, the first NaN.
void maxpool2d_forward(const Pool2dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> index, std::span<float> workspace, ThreadPool& thread_pool);

// dx = the sum of dy over the windows whose index is there. The index is one that forward gave.
void maxpool2d_backward(const Pool2dPlan& plan, std::span<const float> index,
                        std::span<const float> dy, std::span<float> dx, std::span<float> workspace,
                        ThreadPool& thread_pool);

// y is the mean of each window, padding counted as zeros.
void avgpool2d_forward(const Pool2dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> workspace, ThreadPool& thread_pool);

void avgpool2d_backward(const Pool2dPlan& plan, std::span<const float> dy, std::span<float> dx,
                        std::span<float> workspace, ThreadPool& thread_pool);

}  // namespace nsop::kernels
