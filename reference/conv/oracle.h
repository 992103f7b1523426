// The textbook sums of convolutions in double precision. All results are added to what `y`, `dx`,
// `dw` and `db` hold, which is zero at the start.
#pragma once

#include <span>
#include <vector>

#include "reference/conv/shape.h"

namespace nsop::reference {

// x, w and y as in ConvShape, b [out] or empty; y the full one or its mean [n,out].
void conv_forward(const ConvShape& s, std::span<const float> x, std::span<const float> w,
                  std::span<const float> b, std::span<double> y);

// dy as given, full or [n,out], to the full one.
std::vector<double> conv_spread(const ConvShape& s, std::span<const float> dy);

// The full dy from here on.
void conv_backward_data(const ConvShape& s, std::span<const float> w, std::span<const double> dy,
                        std::span<double> dx);
void conv_backward_weights(const ConvShape& s, std::span<const float> x, std::span<const double> dy,
                           std::span<double> dw);
void conv_backward_bias(const ConvShape& s, std::span<const double> dy, std::span<double> db);

}  // namespace nsop::reference
