// The sizes of a conv2d case, as the oracle and the textbook variant need them.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/case.h"
#include "harness/core/tensor.h"

namespace nsop::reference {

// Isotropic: one kernel size, stride, padding and dilation for both axes. x is [n,c,h,w] (NCHW),
// the weights are [out,c/groups,k,k] (OIHW), y is [n,out,oh,ow] or, averaged over its pixels,
// [n,out].
struct Conv2dShape {
  explicit Conv2dShape(const Case& c);  // any parsed case, also one that doesn't validate

  int64_t n, c, h, w;
  int64_t out, k, stride, pad, dilation, groups;
  int64_t oh, ow;  // below 1 where the kernel is larger than the padded input
  bool bias;
  bool mean;
  std::string pass;

  int64_t c_per_group() const { return c / groups; }
  int64_t out_per_group() const { return out / groups; }
  int64_t pixels() const { return oh * ow; }
  Shape x_shape() const { return {n, c, h, w}; }
  Shape w_shape() const { return {out, c_per_group(), k, k}; }
  Shape full_y_shape() const { return {n, out, oh, ow}; }
  Shape y_shape() const { return mean ? Shape{n, out} : full_y_shape(); }

  bool wants_data() const { return pass == "backward" || pass == "backward_data"; }
  bool wants_weights() const { return pass == "backward" || pass == "backward_weights"; }
};

}  // namespace nsop::reference
