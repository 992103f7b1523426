// The sizes of a pooling case, and what the specifications of the pools share.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/registry.h"
#include "reference/spec/spec.h"

namespace nsop::reference {

// Isotropic: one window size, stride and padding for both axes. x is [n,c,h,w] (NCHW), y and the
// index are [n,c,oh,ow].
struct Pool2dShape {
  explicit Pool2dShape(const Case& c);  // any parsed case, also one that doesn't validate

  int64_t n, c, h, w;
  int64_t k, stride, pad;
  int64_t oh, ow;  // below 1 where the window is larger than the padded input
  bool forward;

  Shape y_shape() const { return {n, c, oh, ow}; }
  // Along one axis, the most windows that an input can be in.
  int64_t overlap() const { return (k + stride - 1) / stride; }
};

// Keys pass, in, k, s, p, range.
OpSpec pool2d_spec(std::string name, std::string summary);

// Throws Error (usage) unless every window has a pixel of the input in it and all sizes are
// moderate.
void validate_pool2d(const Case& c);

}  // namespace nsop::reference
