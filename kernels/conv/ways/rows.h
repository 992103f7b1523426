// All ways of convolutions, each defined at the end of its .cpp, whose head says how it works and
// whose pays() when it pays.
#pragma once

#include "kernels/conv/ways/way.h"

namespace nsop::kernels {

// ways/winograd.cpp: fewer products, of transformed inputs and weights.
extern const ConvWay kWinogradForward, kWinogradData, kWinogradWeights;

// ways/dilated.cpp: the same for dilated convolutions, sorted by remainders.
extern const ConvWay kDilatedForward, kDilatedData, kDilatedWeights;

// ways/lines.cpp: vectors of neighbouring outputs read a padded copy of the input under every tap;
// planes: of a single plane, with its taps in registers.
extern const ConvWay kPlanesForward, kPlanesData;
extern const ConvWay kLinesForward, kLinesData;

// ways/mean.cpp: the gradients of an output that is averaged over its pixels.
extern const ConvWay kMeanData, kMeanWeights;

// ways/few_data.cpp: of one input channel, a row of products per column of the kernel.
extern const ConvWay kFewData;

// ways/phases.cpp: with strides, the inputs that meet the same taps one after the other.
extern const ConvWay kPhasesData;

// ways/weights.cpp: products with an input whose channels lie next to each other.
extern const ConvWay kChannelWeights;

// ways/plane_weights.cpp: sums over single planes, with those of all taps in registers.
extern const ConvWay kPlaneWeights;

// ways/few_weights.cpp: sums over vectors of pixels, of a few taps and output channels.
extern const ConvWay kFewWeights;

// ways/gemm.cpp: products with patches that are packed on the fly, and for the data products that
// are scattered. What no other way does: the forward one can do any shape, of gradients the
// scattered one and that of the weights any but those of a mean.
extern const ConvWay kGemmForward;
extern const ConvWay kPatchesData, kColumnsData;
extern const ConvWay kGemmWeights;

// ways/im2col.cpp: the textbook's matrix of patches, written out.
extern const ConvWay kIm2colForward, kIm2colData, kIm2colWeights;

}  // namespace nsop::kernels
