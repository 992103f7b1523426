// The stages of a Winograd convolution from inputs to outputs: the forward pass, and with flipped
// weights the gradient of the data.
#pragma once

#include <cstddef>

#include "kernels/conv/winograd/layer.h"

namespace nsop::kernels {

// Weights at the points. As they lie: [slice taps][points][outs][channels]; flipped, for w
// [channels, outs, slice taps, taps]: [slice taps][points][outs / 32][channels][32]. Rows are
// padded to whole vectors.
struct WinogradWeights {
  bool flipped = false;
  size_t rows = 0;  // of w
  size_t row = 0;   // floats from one row of w to the next, padded
  size_t plane = 0;
  size_t slice = 0;  // floats from one tap of the depth to the next

  WinogradWeights(const WinogradLayer& l, bool is_flipped)
      : flipped(is_flipped),
        rows(flipped ? l.channels : l.outs),
        row(flipped ? (l.outs + kWinogradOuts - 1) / kWinogradOuts * kWinogradOuts
                    : aligned_floats(l.channels)),
        plane(rows * row + kWinogradPadding),
        slice(l.points() * plane) {}

  size_t floats(const WinogradLayer& l) const { return l.slice_taps * slice; }
};

// Transforms rows `range` of w; `planes` has weights.floats(layer) floats.
void winograd_transform_weights(const WinogradLayer& layer, const WinogradWeights& weights,
                                const float* w, Range range, float* planes);

size_t winograd_forward_floats(const WinogradChunk& chunk);  // of workspace

// The outputs of a chunk; x and y begin with the group's first channel. bias may be null.
void winograd_forward_chunk(const WinogradChunk& chunk, const WinogradWeights& weights,
                            const float* planes, const float* x, const float* bias, float* y,
                            float* workspace);

}  // namespace nsop::kernels
