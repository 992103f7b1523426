// The sizes that the stages of a Winograd convolution share, one group at a time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/gemm/gemm.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// A stride-1 convolution of [batch, channels, height, width] with kernels of 3 x 3 (tall) or 1 x 3
// to [batch, outs, out_height, out_width]. Outputs come in tiles of 4 x 4 (tall) or 1 x 4. The
// images of a batch may be slices of a volume.
struct WinogradLayer {
  bool tall = true;
  size_t batch = 0;
  size_t channels = 0;
  size_t height = 0;
  size_t width = 0;
  size_t outs = 0;
  size_t out_height = 0;
  size_t out_width = 0;
  ptrdiff_t pad_height = 0;
  ptrdiff_t pad_width = 0;
  size_t image_floats = 0;      // from one input image to the next, all groups
  size_t out_image_floats = 0;  // likewise of the outputs
  size_t channel_floats = 0;    // from one channel of an input image to the next
  size_t out_channel_floats = 0;
  size_t slice_taps = 1;  // slices of the kernel

  size_t taps() const { return tall ? 9 : 3; }  // of a slice
  size_t points() const { return tall ? 36 : 6; }
  size_t tile_height() const { return tall ? 4 : 1; }
  size_t tile_rows() const { return (out_height + tile_height() - 1) / tile_height(); }
  size_t tile_columns() const { return (out_width + 3) / 4; }
  size_t all_rows() const { return batch * tile_rows(); }  // rows of tiles, all images
};

constexpr size_t kWinogradPadding = 16;  // floats between planes: no two start in the same L1 set
constexpr size_t kWinogradOuts = 32;     // output channels done at a time

// [points][rows][columns] with the columns rounded up to whole vectors of any target.
struct PointPlanes {
  size_t columns = 0;  // padded
  size_t plane = 0;    // floats from one point to the next
  PointPlanes(size_t rows, size_t used_columns)
      : columns(aligned_floats(used_columns)), plane(rows * columns + kWinogradPadding) {}
};

// Where a unit of neighbouring tiles lies in the output: rows of `columns` floats, or, with 0
// columns, tiles that aren't neighbours.
struct OutputUnit {
  size_t offset;
  size_t rows;
  size_t columns;
};

// Where the lines of a unit of tiles lie in a buffer: columns 0..3 of the tiles at `first`, columns
// 4..7 at `next`.
struct InputUnit {
  size_t first;
  size_t next;
};

// Scratch for the transform of a chunk's inputs with tiles in the lanes. It holds the zero-padded
// lines of one channel, a second copy of the lines whose units aren't contiguous, and the units.
inline size_t winograd_line_floats(const WinogradLayer& l) {
  return std::max<size_t>(aligned_floats(4 * l.tile_columns() + 4), 32);
}
inline size_t winograd_lines(const WinogradLayer& l, size_t rows) {
  return l.tall ? 6 * (rows + rows + 16) : 2 * rows + 16;
}
inline size_t winograd_units(size_t tiles) { return tiles + 16; }
inline size_t winograd_input_floats(const WinogradLayer& l, size_t tiles) {
  return winograd_lines(l, tiles / l.tile_columns()) * winograd_line_floats(l) +
         aligned_floats(winograd_units(tiles) * sizeof(InputUnit) / sizeof(float));
}
inline size_t winograd_output_floats(size_t tiles) {
  return aligned_floats(winograd_units(tiles) * sizeof(OutputUnit) / sizeof(float));
}

// Tiles that are transformed together. Each slice of a volume is a group of its own and fills whole
// vectors, so that the tiles of every slice lie in the same lanes.
struct TileGroups {
  size_t count;   // groups
  size_t rows;    // rows of tiles in a group
  size_t padded;  // tiles in a group, with the tiles that pad it

  TileGroups(const WinogradLayer& l, Range chunk, size_t lanes)
      : count(l.slice_taps == 1 ? 1 : l.batch),
        rows(chunk.size() / count),
        padded((rows * l.tile_columns() + lanes - 1) / lanes * lanes) {}
  size_t tiles() const { return count * padded; }
  Range of(Range chunk, size_t i) const {
    return {chunk.begin + i * rows, chunk.begin + (i + 1) * rows};
  }
};

// What is done from input to output at once: the rows of tiles of some images. In volumes, images
// are slices: neighbouring slices of the output, and the slices of the input that they meet.
struct WinogradChunk {
  WinogradLayer in;  // whose images are the slices of the input
  Range in_rows;     // rows of tiles
  WinogradLayer out;
  Range out_rows;
  size_t before = 0;  // slices of the padding that the first slice of the output meets
  size_t x = 0;       // floats before its first image or slice
  size_t y = 0;

  TileGroups in_groups(size_t lanes) const { return {in, in_rows, lanes}; }
  TileGroups out_groups(size_t lanes) const { return {out, out_rows, lanes}; }
  // The slices of the output, counted from the chunk's first, for which a slice of the kernel isn't
  // in the padding. The slice of the input that slice i meets is i + tap - before.
  Range slices_inside(size_t tap) const {
    if (in.slice_taps == 1) return {0, 1};
    const size_t last = before + in.batch;
    const size_t begin = std::min(out.batch, before > tap ? before - tap : 0);
    return {begin, std::max(begin, std::min(out.batch, last > tap ? last - tap : 0))};
  }
};

// Calls fn(image, rows, tile) for the rows of tiles of each image in a chunk; `tile` is the number
// in the chunk of their first tile.
template <class Fn>
void for_each_segment(const WinogradLayer& l, Range chunk, Fn&& fn) {
  for (size_t row = chunk.begin; row < chunk.end;) {
    const size_t image = row / l.tile_rows();
    const size_t first = row % l.tile_rows();
    const size_t count = std::min(l.tile_rows() - first, chunk.end - row);
    fn(image, Range{first, first + count}, (row - chunk.begin) * l.tile_columns());
    row += count;
  }
}

}  // namespace nsop::kernels
