// Two-dimensional convolution (cross-correlation) and its gradients. Tensors are contiguous
// float32: x [batch, in_channels, height, width], w [out_channels, in_channels / groups, kernel,
// kernel], bias [out_channels], y [batch, out_channels, out_height, out_width].
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/pool.h"

namespace nsop::kernels {

struct Conv2dShape {
  size_t batch = 0;
  size_t in_channels = 0;
  size_t height = 0;
  size_t width = 0;
  size_t out_channels = 0;
  size_t kernel = 0;
  size_t stride = 1;
  size_t pad = 0;
  size_t dilation = 1;
  size_t groups = 1;  // divides both channel counts
  bool mean = false;  // the output is averaged over its pixels: y and dy are [batch, out_channels]

  size_t extent() const { return dilation * (kernel - 1) + 1; }  // of the dilated kernel
  size_t out_height() const { return (height + 2 * pad - extent()) / stride + 1; }
  size_t out_width() const { return (width + 2 * pad - extent()) / stride + 1; }
  size_t out_pixels() const { return out_height() * out_width(); }
  size_t taps() const { return kernel * kernel; }
  size_t group_in() const { return in_channels / groups; }
  size_t group_out() const { return out_channels / groups; }
  size_t patch() const { return group_in() * taps(); }  // inputs that one output sums over
};

// Floats of workspace (64-byte aligned) that is enough for each of the passes below.
size_t conv2d_workspace_floats(const Conv2dShape& shape, int threads);

// An empty bias is none. Outputs of all passes are overwritten.
void conv2d_forward(const Conv2dShape& shape, std::span<const float> x, std::span<const float> w,
                    std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                    Pool& pool);

void conv2d_backward_data(const Conv2dShape& shape, std::span<const float> w,
                          std::span<const float> dy, std::span<float> dx,
                          std::span<float> workspace, Pool& pool);

// An empty dbias isn't computed.
void conv2d_backward_weights(const Conv2dShape& shape, std::span<const float> x,
                             std::span<const float> dy, std::span<float> dw, std::span<float> dbias,
                             std::span<float> workspace, Pool& pool);

// dbias = the sums of dy over images and pixels.
void conv2d_backward_bias(const Conv2dShape& shape, std::span<const float> dy,
                          std::span<float> dbias, Pool& pool);

// What the passes do on the current target, e.g. `implicit gemm packed 8x48`.
std::string conv2d_forward_algorithm(const Conv2dShape& shape);
std::string conv2d_data_algorithm(const Conv2dShape& shape);
std::string conv2d_weights_algorithm(const Conv2dShape& shape);

}  // namespace nsop::kernels
