// The sizes of a pooling case over lines or volumes.
#pragma once

#include <array>
#include <cstdint>

#include "harness/core/registry.h"

namespace nsop::reference {

// One window size, stride and padding for all axes. x is [n,c,l] or [n,c,d,h,w], as planes of a
// depth and height of 1 or as it is; y and the index have as many axes.
struct PoolShape {
  explicit PoolShape(const Case& c);  // any parsed case, also one that doesn't validate

  // Along an axis that the windows slide over, or one of extent 1 that they don't.
  struct Axis {
    int64_t in = 1, out = 1;  // out: below 1 where the window is larger than the padded input
    int64_t k = 1, stride = 1, pad = 0;
  };
  int64_t channels;          // of all samples
  std::array<Axis, 3> axes;  // depth, height, width
  int64_t k, stride, pad;
  Shape y_shape;
  bool forward;

  int64_t area() const { return axes[0].k * axes[1].k * axes[2].k; }
  int64_t overlap() const;  // the most windows that an input can be in
};

}  // namespace nsop::reference
