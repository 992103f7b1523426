// The inputs of Winograd tiles at the points, with tiles in the lanes. Included once per target.
#if defined(NSOP_KERNELS_WINOGRAD_INPUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_WINOGRAD_INPUT_INL_H_
#undef NSOP_KERNELS_WINOGRAD_INPUT_INL_H_
#else
#define NSOP_KERNELS_WINOGRAD_INPUT_INL_H_
#endif

#include <algorithm>

#include "hwy/cache_control.h"
#include "kernels/conv/winograd/units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The lines of a chunk of one channel after the other, in scratch: for each image of the chunk the
// lines that its rows of tiles read, with zeros for the padding; behind them the lines of units
// whose tiles aren't neighbours, put next to each other.
class InputLines {
 public:
  InputLines(const WinogradLayer& layer, Range chunk, float* scratch)
      : l_(layer),
        chunk_(chunk),
        line_(winograd_line_floats(layer)),
        tiles_(chunk.size() * layer.tile_columns()),
        floats_(scratch) {
    const size_t lines = winograd_lines(l_, chunk.size());
    std::fill_n(floats_, lines * line_, 0.0f);
    units_ = reinterpret_cast<InputUnit*>(scratch + lines * line_);
    size_t next = 0;
    for_each_segment(l_, chunk, [&](size_t, Range rows, size_t) {
      next += l_.tile_height() * rows.size() + halo();
    });
    copies_ = next * line_;
    for (size_t tile = 0; tile < tiles_; tile += kUnitTiles) {
      InputUnit& unit = units_[tile / kUnitTiles];
      unit = {tile_offset(tile), tile_offset(tile) + 4};
      if (contiguous(tile)) continue;
      unit = {next * line_, next * line_ + 16};
      next += height();
    }
    const size_t padded = (tiles_ + kLanes - 1) / kLanes * kUnits;
    for (size_t unit = (tiles_ + kUnitTiles - 1) / kUnitTiles; unit < padded; ++unit) {
      units_[unit] = {0, 4};  // tiles that nobody looks at
    }
  }

  // Reads a channel: `x` is its plane in the first image. The next plane is prefetched.
  void read(const float* x) {
    const auto pad = l_.pad_width;
    const auto end = HWY_MIN(static_cast<ptrdiff_t>(l_.width),
                             static_cast<ptrdiff_t>(4 * l_.tile_columns() + 2) - pad);
    const ptrdiff_t first = HWY_MAX(0, -pad);
    const auto count = static_cast<size_t>(HWY_MAX(0, end - first));
    float* to = floats_ + pad + first;
    for_each_segment(l_, chunk_, [&](size_t image, Range rows, size_t) HWY_ATTR {
      const float* plane = x + image * l_.image_floats + first;
      const size_t lines = l_.tile_height() * rows.size() + halo();
      const auto y = static_cast<ptrdiff_t>(rows.begin * l_.tile_height()) - l_.pad_height;
      for (size_t i = 0; i < lines; ++i, to += line_) {
        const ptrdiff_t row = y + static_cast<ptrdiff_t>(i);
        if (row < 0 || row >= static_cast<ptrdiff_t>(l_.height)) continue;
        const float* from = plane + static_cast<size_t>(row) * l_.width;
        copy_floats(from, to, count);
        for (size_t j = 0; j < count; j += 16) hwy::Prefetch(from + l_.channel_floats + j);
      }
    });
    copy_scattered_units();
  }

  size_t tiles() const { return tiles_; }
  // Column 0 or 4 of unit k of a vector of tiles, on line i.
  HWY_INLINE const float* first(size_t tile, size_t k, size_t i) const {
    return floats_ + units_[tile / kUnitTiles + k].first + i * line_;
  }
  HWY_INLINE const float* next(size_t tile, size_t k, size_t i) const {
    return floats_ + units_[tile / kUnitTiles + k].next + i * line_;
  }

 private:
  size_t halo() const { return l_.tall ? 2 : 0; }  // lines more than the tiles have rows
  size_t height() const { return l_.tall ? 6 : 1; }

  bool contiguous(size_t tile) const {
    return tile % l_.tile_columns() + kUnitTiles <= l_.tile_columns();
  }

  // Of the tile's first line. Images after the first one in the chunk have a halo before them.
  size_t tile_offset(size_t tile) const {
    const size_t row = tile / l_.tile_columns();
    const size_t images = (chunk_.begin + row) / l_.tile_rows() - chunk_.begin / l_.tile_rows();
    return (row * l_.tile_height() + images * halo()) * line_ + tile % l_.tile_columns() * 4;
  }

  void copy_scattered_units() {
    float* to = floats_ + copies_;
    for (size_t tile = 0; tile < tiles_; tile += kUnitTiles) {
      if (contiguous(tile)) continue;
      const size_t count = HWY_MIN(kUnitTiles, tiles_ - tile);
      for (size_t b = 0; b < count; ++b) {
        const float* from = floats_ + tile_offset(tile + b);
        for (size_t i = 0; i < height(); ++i) {
          std::copy_n(from + i * line_, 4, to + i * line_ + 4 * b);
          std::copy_n(from + i * line_ + 4, 2, to + i * line_ + 16 + 4 * b);
        }
      }
      to += height() * line_;
    }
  }

  const WinogradLayer& l_;
  Range chunk_;
  size_t line_;  // floats
  size_t tiles_;
  float* floats_;
  size_t copies_ = 0;  // where the lines of scattered units begin
  InputUnit* units_ = nullptr;
};

// v[point][tile] of the channel that was read.
template <bool kTall>
void transform_input_tiles(const InputLines& lines, float* v, size_t plane) {
  constexpr size_t kLines = kTall ? 6 : 1;
  const FloatTag d;
  for (size_t tile = 0; tile < lines.tiles(); tile += kLanes) {
    FloatVec rows[6 * kLines];
    HWY_UNROLL(6)
    for (size_t i = 0; i < kLines; ++i) {
      FloatVec in[6];
      load_columns<4>([&](size_t k) HWY_ATTR { return lines.first(tile, k, i); }, in);
      load_columns<2>([&](size_t k) HWY_ATTR { return lines.next(tile, k, i); }, in + 4);
      input_points(d, in, rows + 6 * i);
    }
    HWY_UNROLL(6)
    for (size_t j = 0; j < 6; ++j) {
      if constexpr (kTall) {
        FloatVec in[6], out[6];
        HWY_UNROLL(6)
        for (size_t i = 0; i < 6; ++i) in[i] = rows[i * 6 + j];
        input_points(d, in, out);
        HWY_UNROLL(6)
        for (size_t i = 0; i < 6; ++i) hn::StoreU(out[i], d, v + (i * 6 + j) * plane + tile);
      } else {
        hn::StoreU(rows[j], d, v + j * plane + tile);
      }
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
