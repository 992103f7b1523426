// The textbook sums of conv2d in double precision. All results are added to what `y`, `dx`, `dw`
// and `db` hold, which is zero at the start.
#pragma once

#include <span>
#include <vector>

#include "reference/conv2d_shape.h"

namespace nsop::reference {

// x [n,c,h,w], w [out,c/groups,k,k], b [out] or empty; y [n,out,oh,ow] or its mean [n,out].
void conv2d_forward(const Conv2dShape& s, std::span<const float> x, std::span<const float> w,
                    std::span<const float> b, std::span<double> y);

// dy as given, [n,out,oh,ow] or [n,out], to [n,out,oh,ow].
std::vector<double> conv2d_spread(const Conv2dShape& s, std::span<const float> dy);

// dy [n,out,oh,ow] from here on.
void conv2d_backward_data(const Conv2dShape& s, std::span<const float> w,
                          std::span<const double> dy, std::span<double> dx);
void conv2d_backward_weights(const Conv2dShape& s, std::span<const float> x,
                             std::span<const double> dy, std::span<double> dw);
void conv2d_backward_bias(const Conv2dShape& s, std::span<const double> dy, std::span<double> db);

}  // namespace nsop::reference
