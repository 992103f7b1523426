// The stages of the gradient of the weights by Winograd's F(3x3, 4x4): dw sums, over all tiles,
// products of the inputs and the output gradients at the points.
#pragma once

#include <cstddef>

#include "kernels/winograd_layer.h"

namespace nsop::kernels {

// Sums at the points [points][outs][channels].
inline PointPlanes winograd_sums(const WinogradLayer& l) { return {l.outs, l.channels}; }

size_t winograd_weights_floats(const WinogradLayer& layer, size_t tiles);

// Sets or adds to `sums` what the rows of tiles in `chunk` contribute.
void winograd_weights_chunk(const WinogradLayer& layer, const float* x, const float* dy,
                            Range chunk, bool accumulate, float* sums, float* workspace);

// dw of the output channels `range` from the sum of `parts` sums, `part_floats` apart.
void winograd_finish_weights(const WinogradLayer& layer, const float* sums, size_t parts,
                             size_t part_floats, Range range, float* dw);

}  // namespace nsop::kernels
