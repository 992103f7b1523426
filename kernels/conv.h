// Convolution (cross-correlation) over one to three axes and its gradients. Tensors are contiguous
// float32: x [batch, in_channels, depth, height, width], w [out_channels, in_channels / groups,
// kernel depth, height, width], bias [out_channels], y [batch, out_channels, out depth, height,
// width].
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "kernels/pool.h"

namespace nsop::kernels {

enum class ConvPass { kForward, kData, kWeights };

struct ConvAxis {
  size_t in = 1;
  size_t kernel = 1;
  size_t stride = 1;
  size_t pad = 0;
  size_t dilation = 1;

  size_t extent() const { return dilation * (kernel - 1) + 1; }  // of the dilated kernel
  size_t out() const { return (in + 2 * pad - extent()) / stride + 1; }
};

struct ConvShape {
  size_t batch = 0;
  size_t in_channels = 0;
  size_t out_channels = 0;
  size_t groups = 1;  // divides both channel counts
  bool mean = false;  // the output is averaged over its pixels: y and dy are [batch, out_channels]
  std::array<ConvAxis, 3> axes;  // depth, height, width; one that isn't there stays as it is

  const ConvAxis& depth() const { return axes[0]; }
  const ConvAxis& height() const { return axes[1]; }
  const ConvAxis& width() const { return axes[2]; }
  size_t in_pixels() const { return axes[0].in * axes[1].in * axes[2].in; }
  size_t out_pixels() const { return axes[0].out() * axes[1].out() * axes[2].out(); }
  size_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  size_t group_in() const { return in_channels / groups; }
  size_t group_out() const { return out_channels / groups; }
  size_t patch() const { return group_in() * taps(); }  // inputs that one output sums over
  // Does fn(axis) hold for all axes?
  template <class Fn>
  bool all_axes(Fn&& fn) const {
    return fn(axes[0]) && fn(axes[1]) && fn(axes[2]);
  }
};

// A convolution over two axes with the same kernel for both.
ConvShape conv2d_shape(size_t batch, size_t channels, size_t height, size_t width, size_t out,
                       size_t kernel);

// The pool that a pass is worth: the given one, or the serial one. The functions below fork
// whatever the work; ConvPlan asks this first.
Pool& conv_pool(const ConvShape& shape, ConvPass pass, Pool& pool);

// Floats of workspace (64-byte aligned) that is enough for each of the passes below.
size_t conv_workspace_floats(const ConvShape& shape, int threads);

// An empty bias is none. Outputs of all passes are overwritten.
void conv_forward(const ConvShape& shape, std::span<const float> x, std::span<const float> w,
                  std::span<const float> bias, std::span<float> y, std::span<float> workspace,
                  Pool& pool);

void conv_backward_data(const ConvShape& shape, std::span<const float> w, std::span<const float> dy,
                        std::span<float> dx, std::span<float> workspace, Pool& pool);

// An empty dbias isn't computed.
void conv_backward_weights(const ConvShape& shape, std::span<const float> x,
                           std::span<const float> dy, std::span<float> dw, std::span<float> dbias,
                           std::span<float> workspace, Pool& pool);

// dbias = the sums of dy over images and pixels.
void conv_backward_bias(const ConvShape& shape, std::span<const float> dy, std::span<float> dbias,
                        Pool& pool);

// Of tensor [images, channels, pixels], channels being the size of `sums` or `bias`: the sums over
// images and pixels, or the addition of a value to each pixel of a channel.
void sum_channels(std::span<const float> tensor, size_t pixels, std::span<float> sums, Pool& pool);
void add_channel_bias(std::span<const float> bias, size_t pixels, std::span<float> tensor,
                      Pool& pool);

// What the passes do on the current target, e.g. `implicit gemm packed 8x48`.
std::string conv_forward_algorithm(const ConvShape& shape);
std::string conv_data_algorithm(const ConvShape& shape);
std::string conv_weights_algorithm(const ConvShape& shape);

}  // namespace nsop::kernels
