#include "kernels/conv/ways/lines_tiles.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/gemm/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/lines_tiles.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm/tile-inl.h"
#include "kernels/runtime/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Neighbouring weights of a row, and where the input under them lies.
struct TapRun {
  const uint32_t* offsets;
  const uint32_t* end;
  const float* factors;
};

// What vectors of neighbouring outputs need of a row of weights: of every
// channel `runs` runs of `run` neighbouring weights each, `step` apart.
struct TapRuns {
  size_t channels, runs, run, step, first;
  size_t channel_step;

  HWY_INLINE TapRuns(const LineLayer& l, Range slice_taps, Range row_taps)
      : channels(l.channels),
        runs(slice_taps.size()),
        run(row_taps.size() * l.axes[2].kernel),
        step(l.plane_taps()),
        first(slice_taps.begin * step + row_taps.begin * l.axes[2].kernel),
        channel_step(l.taps()) {
    if (run == step) {
      run *= runs;
      runs = HWY_MIN(runs, 1);
    }
    if (run == channel_step) {
      run *= channels;
      channels = 1;
    }
  }

  // Run i of channel c, of weights that are w_tap floats apart from tap to tap.
  HWY_INLINE TapRun at(size_t c, size_t i, const uint32_t* offsets, const float* w,
                       size_t w_tap) const {
    const size_t begin = c * channel_step + i * step + first;
    return {offsets + begin, offsets + begin + run, w + begin * w_tap};
  }
};

// Vectors of a register tile, which may lie on several lines, and neighbouring
// vectors of one line.
template <size_t kVectors>
struct TileInput {
  const float* x[kVectors];
  HWY_INLINE FloatVec load(size_t offset, size_t v) const {
    return hn::LoadU(FloatTag(), x[v] + offset);
  }
};
struct LineInput {
  const float* x;
  HWY_INLINE FloatVec load(size_t offset, size_t v) const {
    return hn::LoadU(FloatTag(), x + offset + v * kLanes);
  }
};
struct MaskedInput {
  const float* x;
  hn::Mask<FloatTag> mask;
  HWY_INLINE FloatVec load(size_t offset, size_t /*v*/) const {
    return hn::IfThenElseZero(mask, hn::LoadU(FloatTag(), x + offset));  // the copy may be read
  }
};

// sum[row][v] += products of rows of weights, factors[row * w_row + tap * w_tap], with vectors of
// the input: 2 * kRows * kVectors * kLanes flops per tap.
template <size_t kRows, size_t kVectors, class Input>
HWY_INLINE void add_run(const TapRun& run, size_t w_row, size_t w_tap, const Input& input,
                        FloatVec (&sum)[kRows][kVectors]) {
  const FloatTag d;
  const float* factors = run.factors;
  for (const uint32_t* at = run.offsets; at != run.end; ++at, factors += w_tap) {
    const size_t offset = *at;
    FloatVec row[kVectors];
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) row[v] = input.load(offset, v);
    HWY_UNROLL(12)
    for (size_t i = 0; i < kRows; ++i) {
      const FloatVec factor = hn::Set(d, factors[i * w_row]);
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(factor, row[v], sum[i][v]);
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
  TileInput<kVectors> input;
  for (size_t v = 0; v < kVectors; ++v) input.x[v] = p.x + tile.in[v];
  const size_t w_row = p.layer.channels * p.layer.taps();
  const TapRuns taps(p.layer, tile.slice_taps, tile.row_taps);
  for (size_t c = 0; c < taps.channels; ++c) {
    for (size_t i = 0; i < taps.runs; ++i) {
      add_run(taps.at(c, i, p.offsets, p.w + row * w_row, 1), w_row, 1, input, sum);
    }
  }
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

// The outputs of `out` for which all taps of an axis are inside the image.
HWY_INLINE Range outputs_of_all_taps(const PatchAxis& axis, Range out) {
  const Range first = outputs_inside(axis, 0, out);
  const Range last = outputs_inside(axis, axis.kernel - 1, out);
  return {HWY_MAX(first.begin, last.begin), HWY_MIN(first.end, last.end)};
}

// Columns of the output, whole vectors or a part of one.
struct LineColumns {
  size_t begin, end;
};

// sum += products of one run of taps with so many lines, from x on. The loops around a run are few:
// more of them take as long as the products of three taps.
template <size_t kRows, size_t kVectors, bool kMasked>
HWY_INLINE void add_lines(const TapRun& run, const float* x, size_t lines, size_t line_step,
                          LineColumns columns, FloatVec (&sum)[kRows][kVectors]) {
  const FloatTag d;
  for (size_t i = 0; i < lines; ++i, x += line_step) {
    if (kMasked) {
      const MaskedInput input{x + columns.begin, hn::FirstN(d, columns.end - columns.begin)};
      add_run(run, 1, kRows, input, sum);
      continue;
    }
    for (size_t at = columns.begin; at < columns.end; at += kVectors * kLanes) {
      add_run(run, 1, kRows, LineInput{x + at}, sum);
    }
  }
}

// The sums over some columns of all lines, added to y. packed: weights [channels][taps][kRows], so
// that the factors of a tap are neighbours.
template <size_t kRows, size_t kVectors, bool kMasked>
void line_sums(const LineProducts& p, LineColumns columns, const float* packed, size_t row) {
  const FloatTag d;
  const auto& [depth, height, width] = p.layer.axes;
  FloatVec sum[kRows][kVectors];
  HWY_UNROLL(12)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) sum[i][v] = hn::Zero(d);
  }
  const Range inner = outputs_of_all_taps(height, p.band.rows);
  const size_t line_step = height.stride * p.plane.line;
  for (size_t slice = p.band.slices.begin; slice < p.band.slices.end; ++slice) {
    const Range slice_taps = taps_of(depth, {slice, slice + 1});
    const float* x =
        p.x + (slice - p.band.slices.begin) * depth.stride * p.plane.rows * p.plane.line;
    for (size_t i = p.band.rows.begin, end = i; i < p.band.rows.end; i = end) {
      end = i == inner.begin && i < inner.end ? inner.end : i + 1;  // lines with the same taps
      const TapRuns taps(p.layer, slice_taps, taps_of(height, {i, end}));
      for (size_t c = 0; c < taps.channels; ++c) {
        for (size_t r = 0; r < taps.runs; ++r) {
          add_lines<kRows, kVectors, kMasked>(taps.at(c, r, p.offsets, packed, kRows), x, end - i,
                                              line_step, columns, sum);
        }
      }
      x += (end - i) * line_step;
    }
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
using LineSums = void (*)(const LineProducts& p, LineColumns columns, const float* packed,
                          size_t row);

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

// More than two vectors of a line would leave accumulators for fewer rows, and
// short lines.
constexpr size_t kSumVectors = 2;
constexpr size_t kSumRows = tile_rows(kSumVectors);
static_assert(kSumRows <= kMostSumRows);

template <size_t kVectors, bool kMasked, size_t... kRow>
constexpr std::array<LineSums, kSumRows> all_line_sums(std::index_sequence<kRow...> /*rows*/) {
  return {{line_sums<kRow + 1, kVectors, kMasked>...}};
}

void sum_all_lines(const LineProducts& p) {
  constexpr auto kRows = std::make_index_sequence<kSumRows>();
  static constexpr auto kWhole = all_line_sums<kSumVectors, false>(kRows);
  static constexpr auto kMasked = all_line_sums<1, true>(kRows);
  const size_t width = p.layer.axes[2].out;
  const size_t whole = width - width % (kSumVectors * kLanes);
  const size_t patch = p.layer.channels * p.layer.taps();
  const EvenParts parts(p.rows, kSumRows);
  size_t row = 0;
  for (uint32_t part = 0; part < parts.count; row += parts[part], ++part) {
    const size_t rows = parts[part];
    transpose(p.w + row * patch, patch, rows, patch, p.packed, rows);
    if (whole > 0) kWhole[rows - 1](p, {0, whole}, p.packed, row);
    for (size_t at = whole; at < width; at += kLanes) {
      kMasked[rows - 1](p, {at, HWY_MIN(at + kLanes, width)}, p.packed, row);
    }
  }
}

// Lines are written one after the other: whole vectors, whose surplus the next line overwrites.
HWY_INLINE void zero_floats(float* p, size_t count) {
  const FloatTag d;
  if (count == 0) return;
  if (count <= kLanes) return hn::StoreU(hn::Zero(d), d, p);  // the loop becomes a call of memset
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
          if (!l.mean) std::fill_n(line, plane.line, 0.0f);  // sums leave such taps out
        } else {
          const auto at = static_cast<size_t>(slice) * height.in + static_cast<size_t>(row);
          copy(width, x + at * width.in, plane.line, line);
        }
      }
    }
  }
}

LineTarget target_of_lines() {
  return {kLanes, kTileRows, kTileColumns, kSumRows, kSumVectors * kLanes};
}

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
