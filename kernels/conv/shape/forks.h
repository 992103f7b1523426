// From how much work on a convolution is shared out to threads.
#pragma once

#include <cstddef>

#include "kernels/conv/shape/shape.h"

namespace nsop::kernels {

// Multiply-adds per thread of one kind of convolutions, of kernels/runtime/thresholds.h. That of
// gradients is measured on both of them, one after the other.
struct ConvForks {
  size_t forward;
  size_t gradients;
};

// Nominal multiply-adds of one pass.
inline size_t conv_macs(const ConvShape& s) {
  return s.batch * s.out_channels * s.out_pixels() * s.patch();
}

}  // namespace nsop::kernels
