// Products of dy's rows with an input whose channels lie next to each other, by tiles of registers:
// the innermost loops of weights.cpp.
#pragma once

#include <array>
#include <cstddef>

namespace nsop::kernels {

// Lines of one block of pixels: output line i begins at dy[a[i]], the input under its first tap at
// x[b[i]].
struct PixelBlock {
  static constexpr size_t kMostLines = 128;
  size_t lines = 0;
  size_t width = 0;  // pixels of each line
  std::array<size_t, kMostLines> a;
  std::array<size_t, kMostLines> b;
};

// sums[row][column] += sum over the pixels of a block of dy[row][pixel] x[pixel][column].
struct BlockProducts {
  const PixelBlock& block;
  const float* dy;
  size_t dy_row;  // floats from one row of dy to the next
  const float* x;
  size_t x_pixel;  // floats from one pixel of the output to the next
  size_t columns;  // whole vectors of any target
  float* sums;
  size_t sums_row;
};

// Rows [0, rows) of sums, all columns.
void add_block(const BlockProducts& products, size_t rows);

// dst[column][row] = src[row][column]; ld: floats from one row of src to the next.
void transpose_line(const float* src, size_t ld, size_t rows, size_t columns, float* dst);

// dst[channel][tap] = src[tap][channel]; dst_row: floats from one channel of dst to the next.
void transpose_taps(const float* src, size_t taps, size_t channels, float* dst, size_t dst_row);

// sums[i] += more[i]; 64-byte aligned, count a multiple of 16.
void add_sums(const float* more, size_t count, float* sums);

struct WeightsTile {
  size_t rows, columns;
};
WeightsTile weights_tile();  // of the current target

}  // namespace nsop::kernels
