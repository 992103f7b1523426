// What is convolved: the axes and channels that all passes of a convolution share.
#pragma once

#include <array>
#include <cstddef>

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
  size_t x_floats() const { return batch * in_channels * in_pixels(); }
  size_t w_floats() const { return out_channels * patch(); }
  size_t y_floats() const { return batch * out_channels * (mean ? 1 : out_pixels()); }
  // Does fn(axis) hold for all axes?
  template <class Fn>
  bool all_axes(Fn&& fn) const {
    return fn(axes[0]) && fn(axes[1]) && fn(axes[2]);
  }
};

// A convolution over two axes with the same kernel for both.
inline ConvShape conv2d_shape(size_t batch, size_t channels, size_t height, size_t width,
                              size_t out, size_t kernel) {
  ConvShape s;
  s.batch = batch;
  s.in_channels = channels;
  s.out_channels = out;
  s.axes[1].in = height;
  s.axes[2].in = width;
  s.axes[1].kernel = s.axes[2].kernel = kernel;
  return s;
}

}  // namespace nsop::kernels
