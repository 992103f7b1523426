// Which ways there are for a pass of a convolution, in the order in which they are asked.
#pragma once

#include <span>

#include "kernels/conv/ways/way.h"

namespace nsop::kernels {

// The ways from which the way of a pass is chosen.
enum class ConvChoice {
  kRule,      // all but im2col, Winograd first
  kDirect,    // the textbook's products: the ways of the rule without Winograd
  kWinograd,  // Winograd alone; the passes that are run must be supported
  kIm2col,    // im2col alone
};

// The ways of a choice, the first to ask first. Of all choices but Winograd, one pays for any
// shape.
std::span<const ConvWay* const> conv_ways(ConvChoice choice, ConvPass pass);

// The first way of a choice that pays for the shape on the current target; Winograd if none does.
const ConvWay& conv_way(ConvChoice choice, ConvPass pass, const ConvShape& shape);

}  // namespace nsop::kernels
