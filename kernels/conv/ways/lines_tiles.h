// The inner part of a convolution by padded lines: copies of the input and
// register tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/conv/shape/lines_plan.h"

namespace nsop::kernels {

constexpr size_t kMostSumRows = 12;  // of weights that are packed at once, on any target

// The products of some rows of weights with the copied input of a band.
struct LineProducts {
  const LineLayer& layer;
  const Band& band;
  const LinePlane& plane;
  const float* x;
  const uint32_t* offsets;  // of each channel and tap in x
  const float* w;           // [rows][channels][taps]
  const float* bias;        // of the rows, or null
  float* y;                 // [rows] planes of the output; of a mean [rows][kRowSumLanes] to
                            // add to
  size_t rows;
  const PixelTile* tiles = nullptr;  // of the band; not for a mean
  size_t tile_count = 0;
  float* packed = nullptr;  // of a mean: kMostSumRows * channels * taps floats of workspace
};

// All tiles, all rows. With one thread, like the following.
void multiply_lines(const LineProducts& products);

// The sums over all outputs of the band, added to y.
void sum_lines(const LineProducts& products);

// The input of a band, with its padding; x is [channels] planes of an image.
void copy_lines(const LineLayer& layer, const Band& band, const LinePlane& plane, const float* x,
                float* to);

// Of the current target: lanes of a vector, and the widest tile.
struct LineTarget {
  size_t lanes, rows, columns;
  size_t sum_rows, sum_columns;  // of the widest that sums
};
LineTarget line_target();

}  // namespace nsop::kernels
