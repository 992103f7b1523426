#include "kernels/conv/winograd/chunks.h"

namespace nsop::kernels {
namespace {

size_t parts_of(size_t items, size_t most) { return (items + most - 1) / most; }

}  // namespace

WinogradChunks::WinogradChunks(const WinogradLayer& layer, const WinogradDepth& depth,
                               size_t channels, size_t budget, int threads)
    : layer_(layer), depth_(depth) {
  const auto count = static_cast<size_t>(threads);
  const size_t columns = layer.tile_columns();
  const size_t row = layer.points() * channels * columns;  // floats of a row of tiles
  if (!volume()) {
    const size_t least = (47 + columns) / columns;
    const size_t chunks = parts_of(layer.all_rows(), std::max(budget / row, least));
    row_parts_ = std::min(layer.all_rows(), parts_of(chunks, count) * count);
    return;
  }
  // Whole slices if two of the output fit, else rows of tiles of four.
  const size_t halo = layer.slice_taps - 1;
  const size_t tiles = aligned_floats(layer.tile_rows() * columns);  // whole vectors of any target
  const auto fitting = [&](size_t slice_tiles) {
    const size_t slices = budget / (layer.points() * channels * slice_tiles);
    return slices > halo ? slices - halo : 0;
  };
  size_t slices = fitting(tiles);
  if (slices < 2) {
    const size_t rows = budget / (row * (halo + 4));
    row_parts_ = parts_of(layer.tile_rows(), std::max<size_t>(rows, 1));
    slices = std::max<size_t>(
        fitting(aligned_floats(parts_of(layer.tile_rows(), row_parts_) * columns)), 1);
  }
  slice_parts_ = parts_of(depth.out, slices);
  while (this->count() < count && slice_parts_ < depth.out) ++slice_parts_;
}

WinogradChunk WinogradChunks::chunk(size_t i) const {
  if (!volume()) {
    const Range rows = split_range(layer_.all_rows(), 1, row_parts_, i);
    WinogradChunk c;
    c.in = c.out = layer_;
    c.in_rows = c.out_rows = rows;
    return c;
  }
  const size_t image = i / (row_parts_ * slice_parts_);
  const Range rows = split_range(layer_.tile_rows(), 1, row_parts_, i % row_parts_);
  const Range slices = split_range(depth_.out, 1, slice_parts_, i / row_parts_ % slice_parts_);
  // The slices that are read, counted from the first in the padding.
  const size_t end = slices.end + layer_.slice_taps - 1;
  const size_t first = std::clamp(slices.begin, depth_.pad, depth_.pad + depth_.in);
  const size_t last = std::clamp(end, first, depth_.pad + depth_.in);
  const size_t top = rows.begin * layer_.tile_height();
  WinogradChunk c;
  c.in = layer_;
  c.before = first - slices.begin;
  c.in.pad_height -= static_cast<ptrdiff_t>(top);
  c.in.out_height = std::min(rows.end * layer_.tile_height(), layer_.out_height) - top;
  // Images from here on are slices.
  c.in.image_floats = layer_.height * layer_.width;
  c.in.out_image_floats = layer_.out_height * layer_.out_width;
  c.out = c.in;
  c.in.batch = last - first;
  c.out.batch = slices.size();
  c.in_rows = {0, c.in.all_rows()};
  c.out_rows = {0, c.out.all_rows()};
  c.x = image * layer_.image_floats + (first - depth_.pad) * c.in.image_floats;
  c.y = image * layer_.out_image_floats + slices.begin * c.in.out_image_floats +
        top * layer_.out_width;
  return c;
}

}  // namespace nsop::kernels
