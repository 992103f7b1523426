// The stages of a Winograd convolution from inputs to outputs: the forward pass, and with flipped
// weights the gradient of the data.
#pragma once

#include <cstddef>

#include "kernels/winograd_layer.h"

namespace nsop::kernels {

// Weights at the points. As they lie: [points][outs][channels]; flipped, for w [channels, outs,
// taps]: [points][outs / 32][channels][32]. Rows are padded to whole vectors.
struct WinogradWeights {
  bool flipped = false;
  size_t rows = 0;  // of w
  size_t row = 0;   // floats from one row of w to the next, padded
  size_t plane = 0;

  WinogradWeights(const WinogradLayer& l, bool is_flipped)
      : flipped(is_flipped),
        rows(flipped ? l.channels : l.outs),
        row(flipped ? (l.outs + kWinogradOuts - 1) / kWinogradOuts * kWinogradOuts
                    : aligned_floats(l.channels)),
        plane(rows * row + kWinogradPadding) {}
};

// Transforms rows `range` of w; the other operand is [points] planes of weights.plane floats.
void winograd_transform_weights(const WinogradLayer& layer, const WinogradWeights& weights,
                                const float* w, Range range, float* planes);

size_t winograd_forward_floats(const WinogradLayer& layer, size_t tiles);

// The outputs of the rows of tiles in `chunk`. bias may be null.
void winograd_forward_chunk(const WinogradLayer& layer, const WinogradWeights& weights,
                            const float* planes, const float* x, const float* bias, float* y,
                            Range chunk, float* workspace);

}  // namespace nsop::kernels
