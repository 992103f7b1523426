// The shapes of the convolutions that cases name.
#pragma once

#include "harness/core/case.h"
#include "kernels/conv/shape/shape.h"

namespace nsop::kernels {

// Of a case of conv1d, conv2d or conv3d.
ConvShape conv_shape(const Case& c);

// Of a case of a transposed convolution: that whose gradient of the data is its forward pass.
ConvShape adjoint_conv_shape(const Case& c);

}  // namespace nsop::kernels
