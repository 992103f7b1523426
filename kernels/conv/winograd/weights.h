// The stages of the gradient of the weights by Winograd's F(3x3, 4x4): dw sums, over all tiles,
// products of the inputs and the output gradients at the points.
#pragma once

#include <cstddef>

#include "kernels/conv/winograd/layer.h"

namespace nsop::kernels {

// Sums at the points [points][outs][channels] of a slice of the kernel; slice after slice.
inline PointPlanes winograd_sums(const WinogradLayer& l) { return {l.outs, l.channels}; }
inline size_t winograd_sums_floats(const WinogradLayer& l) {
  return l.slice_taps * l.points() * winograd_sums(l).plane;
}

size_t winograd_weights_floats(const WinogradChunk& chunk);  // of workspace

// Sets or adds to `sums` what a chunk contributes; x and dy begin with the group's first channel.
void winograd_weights_chunk(const WinogradChunk& chunk, const float* x, const float* dy,
                            bool accumulate, float* sums, float* workspace);

// dw of the output channels `range` from the sum of `parts` sums, `part_floats` apart.
void winograd_finish_weights(const WinogradLayer& layer, const float* sums, size_t parts,
                             size_t part_floats, Range range, float* dw);

}  // namespace nsop::kernels
