// The sizes of a conv2d case by the names of its axes.
#pragma once

#include "reference/conv/shape.h"

namespace nsop::reference {

// x is [n,c,h,w] (NCHW), the weights are [out,c/groups,k,k] (OIHW), y is [n,out,oh,ow] or [n,out].
struct Conv2dShape : ConvShape {
  explicit Conv2dShape(const Case& op_case)
      : ConvShape(conv_shape(op_case)),
        h(axes[1].in),
        w(axes[2].in),
        k(axes[2].k),
        stride(axes[2].stride),
        pad(axes[2].pad),
        dilation(axes[2].dilation),
        oh(axes[1].out),
        ow(axes[2].out) {}

  int64_t h, w, k, stride, pad, dilation, oh, ow;
};

}  // namespace nsop::reference
