#include "kernels/conv_lines_tiles.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/gemm_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv_lines_tiles.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The lanes of a tile's vectors that are outputs.
template <size_t kVectors, bool kMasked>
struct LineMasks {
  HWY_INLINE explicit LineMasks(const PixelTile& /*tile*/) {}
  HWY_INLINE FloatVec load(const float* p, size_t /*v*/) const { return hn::LoadU(FloatTag(), p); }
};

template <size_t kVectors>
struct LineMasks<kVectors, true> {
  hn::Mask<FloatTag> masks[kVectors];
  HWY_INLINE explicit LineMasks(const PixelTile& tile) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) masks[v] = hn::FirstN(FloatTag(), tile.count[v]);
  }
  HWY_INLINE FloatVec load(const float* p, size_t v) const {
    return hn::IfThenElseZero(masks[v], hn::LoadU(FloatTag(), p));  // the copy may be read beyond
  }
};

// sum[row][v] += products of rows of weights, from w on, with a tile: 2 * kRows * kVectors * kLanes
// flops per tap and channel.
template <size_t kRows, size_t kVectors, bool kMasked>
HWY_INLINE void add_line_products(const LineProducts& p, const PixelTile& tile, const float* w,
                                  FloatVec (&sum)[kRows][kVectors]) {
  const FloatTag d;
  const LineLayer& l = p.layer;
  const LineMasks<kVectors, kMasked> masks(tile);
  const size_t width_taps = l.axes[2].kernel;
  const size_t plane_taps = l.plane_taps();
  const size_t taps = l.taps();
  const size_t w_row = l.channels * taps;
  size_t runs = tile.slice_taps.size();
  size_t run = tile.row_taps.size() * width_taps;  // neighbouring weights
  size_t step = plane_taps;                        // from one run to the next
  if (run == plane_taps) {
    run *= runs;
    runs = HWY_MIN(runs, 1);
  }
  size_t channels = l.channels;
  if (run == taps) {
    run *= channels;
    channels = 1;
  }
  const size_t first = tile.slice_taps.begin * plane_taps + tile.row_taps.begin * width_taps;
  const float* x[kVectors];
  for (size_t v = 0; v < kVectors; ++v) x[v] = p.x + tile.in[v];
  for (size_t c = 0; c < channels; ++c) {
    for (size_t r = 0; r < runs; ++r) {
      const size_t begin = c * taps + r * step + first;
      const uint32_t* offsets = p.offsets + begin;
      const uint32_t* end = offsets + run;
      const float* factors = w + begin;
      for (; offsets != end; ++offsets, ++factors) {
        const size_t offset = *offsets;
        FloatVec row[kVectors];
        HWY_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) row[v] = masks.load(x[v] + offset, v);
        HWY_UNROLL(12)
        for (size_t i = 0; i < kRows; ++i) {
          const FloatVec factor = hn::Set(d, factors[i * w_row]);
          HWY_UNROLL(4)
          for (size_t v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(factor, row[v], sum[i][v]);
        }
      }
    }
  }
}

// One tile of outputs.
template <size_t kRows, size_t kVectors>
void line_tile(const LineProducts& p, const PixelTile& tile, size_t row) {
  const FloatTag d;
  const size_t pixels = p.layer.out_pixels();
  FloatVec sum[kRows][kVectors];
  HWY_UNROLL(12)
  for (size_t i = 0; i < kRows; ++i) {
    const FloatVec bias = p.bias == nullptr ? hn::Zero(d) : hn::Set(d, p.bias[row + i]);
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) sum[i][v] = bias;
  }
  const float* w = p.w + row * p.layer.channels * p.layer.taps();
  add_line_products<kRows, kVectors, false>(p, tile, w, sum);
  HWY_UNROLL(12)
  for (size_t i = 0; i < kRows; ++i) {
    float* y = p.y + (row + i) * pixels;
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      if (tile.count[v] == kLanes) {
        hn::StoreU(sum[i][v], d, y + tile.out[v]);
      } else {
        store_n(sum[i][v], d, y + tile.out[v], tile.count[v]);
      }
    }
  }
}

// The sums over `count` tiles.
template <size_t kRows, size_t kVectors, bool kMasked>
void line_sums(const LineProducts& p, const PixelTile* tiles, size_t count, size_t row) {
  const FloatTag d;
  FloatVec sum[kRows][kVectors];
  HWY_UNROLL(12)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) sum[i][v] = hn::Zero(d);
  }
  const float* w = p.w + row * p.layer.channels * p.layer.taps();
  for (size_t t = 0; t < count; ++t) {
    add_line_products<kRows, kVectors, kMasked>(p, tiles[t], w, sum);
  }
  HWY_UNROLL(12)
  for (size_t i = 0; i < kRows; ++i) {
    float* to = p.y + (row + i) * kRowSumLanes;
    FloatVec all = sum[i][0];
    HWY_UNROLL(4)
    for (size_t v = 1; v < kVectors; ++v) all = hn::Add(all, sum[i][v]);
    hn::StoreU(hn::Add(hn::LoadU(d, to), all), d, to);
  }
}

using LineTile = void (*)(const LineProducts& p, const PixelTile& tile, size_t row);
using LineSums = void (*)(const LineProducts& p, const PixelTile* tiles, size_t count, size_t row);

template <class Function>
using LineTable = std::array<std::array<Function, kMostTileRows>, kTileVectors>;

template <size_t kVectors, size_t... kRow>
constexpr void fill_line_tiles(LineTable<LineTile>& table, std::index_sequence<kRow...> /*rows*/) {
  ((table[kVectors - 1][kRow] = line_tile<kRow + 1, kVectors>), ...);
}
template <size_t... kVector>
constexpr LineTable<LineTile> line_tiles(std::index_sequence<kVector...> /*vectors*/) {
  LineTable<LineTile> table{};
  (fill_line_tiles<kVector + 1>(table, std::make_index_sequence<tile_rows(kVector + 1)>()), ...);
  return table;
}

template <bool kMasked, size_t kVectors, size_t... kRow>
constexpr void fill_line_sums(LineTable<LineSums>& table, std::index_sequence<kRow...> /*rows*/) {
  ((table[kVectors - 1][kRow] = line_sums<kRow + 1, kVectors, kMasked>), ...);
}
template <bool kMasked, size_t... kVector>
constexpr LineTable<LineSums> all_line_sums(std::index_sequence<kVector...> /*vectors*/) {
  LineTable<LineSums> table{};
  (fill_line_sums<kMasked, kVector + 1>(table, std::make_index_sequence<kTileRows>()), ...);
  return table;
}

constexpr auto kLineVectors = std::make_index_sequence<kTileVectors>();

void multiply_all_lines(const LineProducts& p) {
  static constexpr LineTable<LineTile> kTiles = line_tiles(kLineVectors);
  for (size_t t = 0; t < p.tile_count; ++t) {
    const PixelTile& tile = p.tiles[t];
    const EvenParts parts(p.rows, tile_rows(tile.vectors));
    size_t row = 0;
    for (uint32_t part = 0; part < parts.count; ++part) {
      kTiles[tile.vectors - 1][parts[part] - 1](p, tile, row);
      row += parts[part];
    }
  }
}

// Of as many tiles with equally many vectors as there are one after the other.
void sum_all_lines(const LineProducts& p) {
  static constexpr LineTable<LineSums> kWhole = all_line_sums<false>(kLineVectors);
  static constexpr LineTable<LineSums> kMasked = all_line_sums<true>(kLineVectors);
  const LineTable<LineSums>& table = p.layer.axes[2].out % kLanes == 0 ? kWhole : kMasked;
  for (size_t t = 0, count = 0; t < p.tile_count; t += count) {
    const uint32_t vectors = p.tiles[t].vectors;
    count = 1;
    while (t + count < p.tile_count && p.tiles[t + count].vectors == vectors) ++count;
    const EvenParts parts(p.rows, kTileRows);
    size_t row = 0;
    for (uint32_t part = 0; part < parts.count; ++part) {
      table[vectors - 1][parts[part] - 1](p, p.tiles + t, count, row);
      row += parts[part];
    }
  }
}

// Lines are written one after the other: whole vectors, whose surplus the next line overwrites.
HWY_INLINE void zero_floats(float* p, size_t count) {
  const FloatTag d;
  for (size_t i = 0; i < count; i += kLanes) hn::StoreU(hn::Zero(d), d, p + i);
}

// to[i] = src[i * stride] for i < count. Reads nothing behind the last of them.
template <size_t kStride>
HWY_INLINE void copy_every(const float* src, size_t stride, float* to, size_t count) {
  if (kStride == 1) return copy_floats(src, to, count);
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const FloatTag d;
  for (; kStride == 2 && i < count; i += kLanes) {
    const size_t left = 2 * (count - i) - 1;
    const float* from = src + 2 * i;
    FloatVec low, high;
    if (left >= 2 * kLanes) {
      low = hn::LoadU(d, from);
      high = hn::LoadU(d, from + kLanes);
    } else {
      low = load_n(d, from, HWY_MIN(left, kLanes));
      high = left > kLanes ? load_n(d, from + kLanes, left - kLanes) : hn::Zero(d);
    }
    hn::StoreU(hn::ConcatEven(d, high, low), d, to + i);
  }
#endif
  for (; i < count; ++i) to[i] = src[i * stride];
}

// A line with its padding; up to a vector behind it may be written. kStride 0: any.
template <size_t kStride>
void copy_line(const PatchAxis& width, const float* src, size_t line, float* to) {
  const size_t stride = kStride == 0 ? width.stride : kStride;
  const size_t pad = static_cast<size_t>(HWY_MAX(0, width.pad));
  const size_t skip = static_cast<size_t>(HWY_MAX(0, -width.pad));
  const size_t phase = line / stride;
  for (size_t i = 0; i < stride; ++i, to += phase) {
    const size_t first = pad > i ? (pad - i + stride - 1) / stride : 0;
    const size_t from = first * stride + i + skip - pad;
    const size_t left = width.in > from ? (width.in - from - 1) / stride + 1 : 0;
    const size_t begin = HWY_MIN(first, phase);
    const size_t inside = HWY_MIN(left, phase - begin);
    zero_floats(to, begin);
    copy_every<kStride>(src + from, stride, to + begin, inside);
    zero_floats(to + begin + inside, phase - begin - inside);
  }
}

// The input of a band: x [channels] planes of the image.
void copy_lines_of(const LineLayer& l, const Band& band, const LinePlane& plane, const float* x,
                   float* to) {
  const auto& [depth, height, width] = l.axes;
  const auto position = [](const PatchAxis& axis, size_t out, size_t i) {
    return static_cast<ptrdiff_t>(out * axis.stride + i) - axis.pad;
  };
  const auto copy = width.stride == 1   ? copy_line<1>
                    : width.stride == 2 ? copy_line<2>
                                        : copy_line<0>;
  const auto outside = [](const PatchAxis& axis, ptrdiff_t at) {
    return at < 0 || at >= static_cast<ptrdiff_t>(axis.in);
  };
  for (size_t c = 0; c < l.channels; ++c, x += l.in_pixels(), to += plane.floats) {
    float* line = to;
    for (size_t i = 0; i < plane.slices; ++i) {
      const ptrdiff_t slice = position(depth, band.slices.begin, i);
      for (size_t j = 0; j < plane.rows; ++j, line += plane.line) {
        const ptrdiff_t row = position(height, band.rows.begin, j);
        if (outside(depth, slice) || outside(height, row)) {
          std::fill_n(line, plane.line, 0.0f);
        } else {
          const auto at = static_cast<size_t>(slice) * height.in + static_cast<size_t>(row);
          copy(width, x + at * width.in, plane.line, line);
        }
      }
    }
  }
}

LineTarget target_of_lines() { return {kLanes, kTileRows, kTileColumns}; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(multiply_all_lines);
HWY_EXPORT(sum_all_lines);
HWY_EXPORT(copy_lines_of);
HWY_EXPORT(target_of_lines);

}  // namespace

void multiply_lines(const LineProducts& products) {
  HWY_DYNAMIC_DISPATCH(multiply_all_lines)(products);
}

void sum_lines(const LineProducts& products) { HWY_DYNAMIC_DISPATCH(sum_all_lines)(products); }

void copy_lines(const LineLayer& layer, const Band& band, const LinePlane& plane, const float* x,
                float* to) {
  HWY_DYNAMIC_DISPATCH(copy_lines_of)(layer, band, plane, x, to);
}

LineTarget line_target() { return HWY_DYNAMIC_DISPATCH(target_of_lines)(); }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
