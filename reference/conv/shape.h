// The sizes of a convolution case, as the oracle and the textbook variants need them: conv1d,
// conv2d and conv3d are one thing with one to three axes.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "harness/core/case.h"
#include "harness/core/tensor/tensor.h"
#include "reference/spec/passes.h"

namespace nsop::reference {

// One spatial axis. An axis that the op doesn't have is left as it is.
struct ConvAxis {
  int64_t in = 1;
  int64_t out = 1;  // below 1 where the kernel is larger than the padded input
  int64_t k = 1;
  int64_t stride = 1;
  int64_t pad = 0;
  int64_t dilation = 1;

  int64_t extent() const { return dilation * (k - 1) + 1; }  // of the dilated kernel
};

// x is [n,c,in...], the weights are [out,c/groups,k...], y is [n,out,out...] or, averaged over its
// pixels, [n,out].
struct ConvShape : Passes {
  int64_t rank = 2;  // spatial axes; the first 3 - rank of `axes` aren't there
  int64_t n = 0;
  int64_t c = 0;
  int64_t out = 0;
  int64_t groups = 1;
  std::array<ConvAxis, 3> axes;
  bool bias = false;
  bool mean = false;

  int64_t c_per_group() const { return c / groups; }
  int64_t out_per_group() const { return out / groups; }
  int64_t taps() const { return axes[0].k * axes[1].k * axes[2].k; }
  int64_t in_pixels() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t pixels() const { return axes[0].out * axes[1].out * axes[2].out; }  // of y
  // Multiply-adds of the textbook loop, those with the zeros of the padding included.
  double macs() const {
    return static_cast<double>(n * pixels()) * static_cast<double>(out) *
           static_cast<double>(c_per_group() * taps());
  }
  Shape x_shape() const { return shape(n, c, &ConvAxis::in); }
  Shape w_shape() const { return shape(out, c_per_group(), &ConvAxis::k); }
  Shape full_y_shape() const { return shape(n, out, &ConvAxis::out); }
  Shape y_shape() const { return mean ? Shape{n, out} : full_y_shape(); }

 private:
  Shape shape(int64_t first, int64_t second, int64_t ConvAxis::*extent) const;
};

// Keys pass, in, out, k, s, p, bias, then `more`, then range.
std::vector<ParamSpec> conv_params(int rank, std::vector<ParamSpec> more);

// Throws Error (usage) when one of these keys is so large that arithmetic on it might overflow, or
// x or b has more elements than any tensor may.
void require_moderate(const Case& c, std::initializer_list<const char*> keys);

// Of any parsed case of conv1d, conv2d or conv3d, also one that doesn't validate. Isotropic: one
// kernel size, stride, padding and dilation for all axes.
ConvShape conv_shape(const Case& c);

// Of a case of conv1d_transpose, conv2d_transpose or conv3d_transpose: the convolution whose
// gradient of the data is the op's forward pass. Its y is the op's x, its `out` the op's input
// channels.
ConvShape transposed_conv_shape(const Case& c);

}  // namespace nsop::reference
