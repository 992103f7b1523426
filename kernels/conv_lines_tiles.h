// The inner part of a convolution by padded lines: copies of the input and register tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/conv_lines_plan.h"

namespace nsop::kernels {

// The products of some rows of weights with the copied input of a band.
struct LineProducts {
  const LineLayer& layer;
  const PixelTile* tiles;
  size_t tile_count;
  const float* x;
  const uint32_t* offsets;  // of each channel and tap in x
  const float* w;           // [rows][channels][taps]
  const float* bias;        // of the rows, or null
  float* y;                 // [rows] planes of the output; of a mean [rows][kRowSumLanes] to add to
  size_t rows;
};

// All tiles, all rows. With one thread, like the following.
void multiply_lines(const LineProducts& products);

// The sums over all tiles and the lanes that are outputs, added to y.
void sum_lines(const LineProducts& products);

// The input of a band, with its padding; x is [channels] planes of an image.
void copy_lines(const LineLayer& layer, const Band& band, const LinePlane& plane, const float* x,
                float* to);

// Of the current target: lanes of a vector, and the widest tile.
struct LineTarget {
  size_t lanes, rows, columns;
};
LineTarget line_target();

}  // namespace nsop::kernels
