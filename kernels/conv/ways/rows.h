// All ways of convolutions. The .cpp of each defines it at its end, explains it at its head, and
// says in pays() when it pays.
#pragma once

#include "kernels/conv/ways/way.h"

namespace nsop::kernels {

// ways/winograd.cpp: fewer products, of transformed inputs and weights.
extern const ConvWay kWinogradForward, kWinogradData, kWinogradWeights;

// ways/dilated.cpp: the same for dilated convolutions, sorted by remainders.
extern const ConvWay kDilatedForward, kDilatedData, kDilatedWeights;

// ways/lines.cpp: vectors of neighbouring outputs read a padded copy of the input under every tap.
// Planes: the outputs of a single plane, whose taps stay in registers.
extern const ConvWay kPlanesForward, kPlanesData;
extern const ConvWay kLinesForward, kLinesData;

// ways/mean.cpp: gradients where the output is averaged over its pixels.
extern const ConvWay kMeanData, kMeanWeights;

// ways/few_data.cpp: each column of the kernel is a row of products, for one input channel.
extern const ConvWay kFewData;

// ways/phases.cpp: for strides; inputs that meet the same taps are computed together.
extern const ConvWay kPhasesData;

// ways/weights.cpp: products with an input whose channels lie next to each other.
extern const ConvWay kChannelWeights;

// ways/plane_weights.cpp: sums over single planes; the sums of all taps stay in registers.
extern const ConvWay kPlaneWeights;

// ways/few_weights.cpp: sums over vectors of pixels, for few taps and few output channels.
extern const ConvWay kFewWeights;

// ways/gemm.cpp: products with patches that are packed on the fly. kColumnsData scatters its
// products instead. These ways do what no other way does: kGemmForward can do any shape,
// kColumnsData and kGemmWeights any shape without a mean.
extern const ConvWay kGemmForward;
extern const ConvWay kPatchesData, kColumnsData;
extern const ConvWay kGemmWeights;

// ways/im2col.cpp: the textbook's matrix of patches, written out.
extern const ConvWay kIm2colForward, kIm2colData, kIm2colWeights;

}  // namespace nsop::kernels
