// Pooling over windows of volumes, and its gradients: within the slices by the kernels of planes,
// and along the depth. Tensors are contiguous float32: x and dx are [volumes, depth, height, width]
// (volumes is batch * channels of NCDHW), y, dy and the index [volumes, out_depth, out_height,
// out_width].
#pragma once

#include "kernels/pool2d/pool2d.h"

namespace nsop::kernels {

struct Pool3dShape {
  size_t volumes = 0;
  size_t depth = 0;
  size_t height = 0;
  size_t width = 0;
  PoolAxis axis;  // the same along all three

  // Windows of height and width in every slice: x -> [volumes * depth, out_height, out_width].
  Pool2dShape slices() const { return {volumes * depth, height, width, axis, axis}; }
  // Windows of the depth over those: [volumes, depth, out_height * out_width] -> y.
  Pool2dShape along_depth() const {
    const Pool2dShape s = slices();
    return {volumes, depth, s.out_height() * s.out_width(), axis, {1, 1, 0}};
  }
  size_t x_size() const { return slices().x_size(); }
  size_t y_size() const { return along_depth().y_size(); }
};

// A shape and the ways of its two parts.
struct Pool3dPlan {
  Pool3dPlan(const Pool3dShape& of) : shape(of), slices(of.slices()), depth(of.along_depth()) {}

  Pool3dShape shape;
  Pool2dPlan slices, depth;
};

// The workspace in parts, each at the start of a cache line: of what the slices became two tensors,
// and the rest for the kernels of planes.
struct SliceResults {
  SliceResults(const Pool3dShape& shape, std::span<float> workspace);
  std::span<float> values, index, rest;
};

// Floats of workspace (64-byte aligned) that is enough for each of the functions below.
size_t pool3d_workspace_floats(const Pool3dPlan& plan, int threads);

// y is the largest value of each window, index its place (d * height + h) * width + w in the
// volume, as a float (depth * height * width is at most 2^24). Of equal values the first wins; of a
// window with NaN, the first NaN.
void maxpool3d_forward(const Pool3dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> index, std::span<float> workspace, ThreadPool& thread_pool);

// dx = the sum of dy over the windows whose index is there. The index is one that forward gave.
void maxpool3d_backward(const Pool3dShape& shape, std::span<const float> index,
                        std::span<const float> dy, std::span<float> dx, ThreadPool& thread_pool);

// y is the mean of each window, padding counted as zeros.
void avgpool3d_forward(const Pool3dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> workspace, ThreadPool& thread_pool);

void avgpool3d_backward(const Pool3dPlan& plan, std::span<const float> dy, std::span<float> dx,
                        std::span<float> workspace, ThreadPool& thread_pool);

}  // namespace nsop::kernels
