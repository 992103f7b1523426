#include "kernels/winograd_forward.h"

#include "kernels/point_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/winograd_forward.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/transpose-inl.h"
#include "kernels/winograd_input-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

constexpr size_t kFilters = 64;  // transformed at a time: their taps stay in L1

// Filters [0, count) of a row of w, tap t of filter c at taps[t * kFilters + c], to their points.
template <bool kTall>
void transform_filters(const WinogradWeights& weights, const float* taps, size_t count, float* to,
                       size_t block_step) {
  constexpr size_t kTaps = kTall ? 9 : 3;
  constexpr size_t kPoints = kTall ? 36 : 6;
  const FloatTag d;
  const auto transform = [](FloatTag tag, const FloatVec* in, FloatVec* out)
                             HWY_ATTR { weight_points(tag, in, out); };
  for (size_t c = 0; c < count; c += kLanes) {
    FloatVec in[kTaps], out[kPoints];
    HWY_UNROLL(9)
    for (size_t t = 0; t < kTaps; ++t) {
      in[t] = hn::LoadU(d, taps + (weights.flipped ? kTaps - 1 - t : t) * kFilters + c);
    }
    transform_tile<3, 6, kTall>(d, transform, in, out);
    float* at = to + c / kWinogradOuts * block_step + c % kWinogradOuts;
    HWY_UNROLL(36)
    for (size_t p = 0; p < kPoints; ++p) hn::StoreU(out[p], d, at + p * weights.plane);
  }
}

void transform_weights(const WinogradLayer& l, const WinogradWeights& weights, const float* w,
                       Range range, float* planes) {
  HWY_ALIGN float taps[9 * kFilters] = {};
  const size_t filters = weights.flipped ? l.outs : l.channels;
  // Flipped: blocks of kWinogradOuts filters lie `rows` blocks apart, the rows side by side.
  const size_t block = weights.flipped ? weights.rows * kWinogradOuts : kWinogradOuts;
  const size_t row_step = weights.flipped ? kWinogradOuts : weights.row;
  for (size_t row = range.begin; row < range.end; ++row) {
    for (size_t c = 0; c < filters; c += kFilters) {
      const size_t count = HWY_MIN(kFilters, filters - c);
      transpose(w + (row * filters + c) * l.taps(), l.taps(), count, l.taps(), taps, kFilters);
      float* to = planes + row * row_step + c / kWinogradOuts * block;
      if (l.tall) {
        transform_filters<true>(weights, taps, count, to, block);
      } else {
        transform_filters<false>(weights, taps, count, to, block);
      }
    }
  }
}

// V of all channels of a chunk.
void transform_input(const WinogradLayer& l, const float* x, Range chunk, const PointPlanes& v_form,
                     float* v, float* scratch) {
  InputLine line(l, scratch);
  TransformedLines lines;
  lines.floats = scratch + winograd_line_floats(l);
  lines.quarter = winograd_quarter_floats(l, chunk.size());
  for (size_t c = 0; c < l.channels; ++c) {
    for_each_segment(l, chunk, [&](size_t image, Range rows, size_t tile) {
      const float* plane = x + image * l.image_floats + c * l.height * l.width;
      transform_segment(l, plane, rows, line, lines, v + c * v_form.columns + tile, v_form.plane);
    });
  }
}

// The outputs of all tiles of one channel, from m[point][tile] to lines[row][4 * tile + column].
template <bool kTall>
void transform_output(const float* m, size_t plane, size_t tiles, float* lines, size_t line) {
  constexpr size_t kPoints = kTall ? 36 : 6;
  constexpr size_t kRows = kTall ? 4 : 1;
  const FloatTag d;
  const auto transform = [](FloatTag tag, const FloatVec* in, FloatVec* out)
                             HWY_ATTR { output_values(tag, in, out); };
  for (size_t tile = 0; tile < tiles; tile += kLanes) {
    FloatVec in[kPoints], out[4 * kRows];
    HWY_UNROLL(36)
    for (size_t p = 0; p < kPoints; ++p) in[p] = hn::LoadU(d, m + p * plane + tile);
    transform_tile<6, 4, kTall>(d, transform, in, out);
    HWY_UNROLL(4)
    for (size_t i = 0; i < kRows; ++i) {
      const FloatVec* row = out + 4 * i;
      hn::StoreInterleaved4(row[0], row[1], row[2], row[3], d, lines + i * line + 4 * tile);
    }
  }
}

HWY_INLINE void copy_with_bias(const float* src, float bias, float* dst, size_t count) {
  const FloatTag d;
  const FloatVec offset = hn::Set(d, bias);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, src + i), offset), d, dst + i);
  }
  if (i < count) store_n(hn::Add(hn::LoadU(d, src + i), offset), d, dst + i, count - i);
}

// One channel of a chunk from its lines to y.
void write_output(const WinogradLayer& l, Range chunk, const float* lines, size_t line, float bias,
                  float* y) {
  for_each_segment(l, chunk, [&](size_t image, Range rows, size_t tile) HWY_ATTR {
    float* plane = y + image * l.out_image_floats;
    for (size_t row = rows.begin; row < rows.end; ++row, tile += l.tile_columns()) {
      const size_t first = row * l.tile_height();
      const size_t count = HWY_MIN(l.tile_height(), l.out_height - first);
      for (size_t i = 0; i < count; ++i) {
        copy_with_bias(lines + i * line + 4 * tile, bias, plane + (first + i) * l.out_width,
                       l.out_width);
      }
    }
  });
}

void forward_chunk(const WinogradLayer& l, const WinogradWeights& weights, const float* planes,
                   const float* x, const float* bias, float* y, Range chunk, float* workspace) {
  const size_t tiles = chunk.size() * l.tile_columns();
  const PointPlanes v_form(l.channels, tiles);
  const PointPlanes m_form(kWinogradOuts, tiles);
  float* v = workspace;
  float* m = v + l.points() * v_form.plane;
  float* scratch = m + l.points() * m_form.plane;
  const size_t line = 4 * m_form.columns;
  transform_input(l, x, chunk, v_form, v, scratch);
  for (size_t o = 0; o < l.outs; o += kWinogradOuts) {
    const size_t outs = HWY_MIN(kWinogradOuts, l.outs - o);
    multiply_points({.points = l.points(),
                     .m = outs,
                     .n = m_form.columns,
                     .k = l.channels,
                     .a = planes + o * (weights.flipped ? weights.rows : weights.row),
                     .a_plane = weights.plane,
                     .lda = weights.flipped ? kWinogradOuts : weights.row,
                     .a_by_rows = !weights.flipped,
                     .b = v,
                     .b_plane = v_form.plane,
                     .ldb = v_form.columns,
                     .c = m,
                     .c_plane = m_form.plane,
                     .ldc = m_form.columns,
                     .accumulate = false});
    for (size_t i = 0; i < outs; ++i) {
      const float* from = m + i * m_form.columns;
      if (l.tall) {
        transform_output<true>(from, m_form.plane, tiles, scratch, line);
      } else {
        transform_output<false>(from, m_form.plane, tiles, scratch, line);
      }
      write_output(l, chunk, scratch, line, bias == nullptr ? 0.0f : bias[o + i],
                   y + (o + i) * l.out_height * l.out_width);
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(transform_weights);
HWY_EXPORT(forward_chunk);

}  // namespace

void winograd_transform_weights(const WinogradLayer& layer, const WinogradWeights& weights,
                                const float* w, Range range, float* planes) {
  HWY_DYNAMIC_DISPATCH(transform_weights)(layer, weights, w, range, planes);
}

size_t winograd_forward_floats(const WinogradLayer& l, size_t tiles) {
  const size_t rows = tiles / l.tile_columns();
  const PointPlanes v(l.channels, tiles);
  const PointPlanes m(kWinogradOuts, tiles);
  const size_t input = winograd_line_floats(l) + 24 * winograd_quarter_floats(l, rows);
  const size_t output = 4 * 4 * m.columns;
  return l.points() * (v.plane + m.plane) + std::max(input, output);
}

void winograd_forward_chunk(const WinogradLayer& layer, const WinogradWeights& weights,
                            const float* planes, const float* x, const float* bias, float* y,
                            Range chunk, float* workspace) {
  HWY_DYNAMIC_DISPATCH(forward_chunk)
  (layer, weights, planes, x, bias, y, chunk, workspace);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
