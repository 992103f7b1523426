#include "kernels/winograd_forward.h"

#include <algorithm>

#include "kernels/point_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/winograd_forward.cpp"
#include "hwy/cache_control.h"
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
  InputLines lines(l, chunk, scratch);
  for (size_t c = 0; c < l.channels; ++c) {
    lines.read(x + c * l.height * l.width);
    if (l.tall) {
      transform_input_tiles<true>(lines, v + c * v_form.columns, v_form.plane);
    } else {
      transform_input_tiles<false>(lines, v + c * v_form.columns, v_form.plane);
    }
  }
}

// One channel of a chunk's output.
struct OutputPlane {
  const WinogradLayer& l;
  Range chunk;
  const OutputUnit* units;
  float* y;  // the channel's plane in the first image
};

// The tiles of a unit one by one, from rows of kUnitFloats.
void write_tiles(const OutputPlane& out, size_t tile, const float* values) {
  for (size_t b = 0; b < kUnitTiles; ++b) {
    const OutputUnit to = output_tile(out.l, out.chunk, tile + b);
    for (size_t i = 0; i < to.rows; ++i) {
      std::copy_n(values + i * kUnitFloats + 4 * b, to.columns,
                  out.y + to.offset + i * out.l.out_width);
    }
  }
}

// Writes a vector of tiles: values[4 * row + column].
template <size_t kRows>
HWY_INLINE void write_vector(const OutputPlane& out, size_t tile, const FloatVec* values) {
  const OutputUnit* units = out.units + tile / kUnitTiles;
#if HWY_TARGET == HWY_SCALAR
  for (size_t i = 0; i < units->rows; ++i) {
    float* to = out.y + units->offset + i * out.l.out_width;
    for (size_t j = 0; j < units->columns; ++j) to[j] = hn::GetLane(values[4 * i + j]);
  }
#else
  const FloatTag d;
  FloatVec rows[4 * kRows];
  HWY_UNROLL(4)
  for (size_t i = 0; i < kRows; ++i) columns_to_units(values + 4 * i, rows + 4 * i);
  HWY_UNROLL(4)
  for (size_t k = 0; k < kUnits; ++k) {
    const OutputUnit& unit = units[k];
    if (unit.columns == 0) {
      HWY_ALIGN float scattered[kRows * kUnitFloats];
      HWY_UNROLL(4)
      for (size_t i = 0; i < kRows; ++i) hn::Store(rows[4 * i + k], d, scattered + i * kUnitFloats);
      write_tiles(out, tile + k * kUnitTiles, scattered);
      continue;
    }
    float* to = out.y + unit.offset;
    HWY_UNROLL(4)
    for (size_t i = 0; i < kRows; ++i, to += out.l.out_width) {
      if (i >= unit.rows) break;
      hwy::Prefetch(to + out.l.out_height * out.l.out_width);  // of the next channel
      if (unit.columns == kUnitFloats) {
        hn::StoreU(rows[4 * i + k], d, to);
      } else {
        store_n(rows[4 * i + k], d, to, unit.columns);
      }
    }
  }
#endif
}

// The outputs of one channel from m[point][tile].
template <bool kTall>
void transform_output(const OutputPlane& out, const float* m, size_t plane, float bias) {
  constexpr size_t kRows = kTall ? 4 : 1;
  const FloatTag d;
  const FloatVec offset = hn::Set(d, bias);
  const size_t tiles = out.chunk.size() * out.l.tile_columns();
  for (size_t tile = 0; tile < tiles; tile += kLanes) {
    FloatVec rows[6 * kRows], values[4 * kRows];
    HWY_UNROLL(6)
    for (size_t j = 0; j < 6; ++j) {
      if constexpr (kTall) {
        FloatVec in[6], to[4];
        HWY_UNROLL(6)
        for (size_t i = 0; i < 6; ++i) in[i] = hn::LoadU(d, m + (i * 6 + j) * plane + tile);
        output_values(d, in, to);
        HWY_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) rows[i * 6 + j] = to[i];
      } else {
        rows[j] = hn::LoadU(d, m + j * plane + tile);
      }
    }
    HWY_UNROLL(4)
    for (size_t i = 0; i < kRows; ++i) {
      output_values(d, rows + 6 * i, values + 4 * i);
      HWY_UNROLL(4)
      for (size_t j = 0; j < 4; ++j) values[4 * i + j] = hn::Add(values[4 * i + j], offset);
    }
    write_vector<kRows>(out, tile, values);
  }
}

void forward_chunk(const WinogradLayer& l, const WinogradWeights& weights, const float* planes,
                   const float* x, const float* bias, float* y, Range chunk, float* workspace) {
  const size_t tiles = chunk.size() * l.tile_columns();
  const PointPlanes v_form(l.channels, tiles);
  const PointPlanes m_form(kWinogradOuts, tiles);
  float* v = workspace;
  float* m = v + l.points() * v_form.plane;
  float* scratch = m + l.points() * m_form.plane;
  auto* units = reinterpret_cast<OutputUnit*>(scratch);
  transform_input(l, x, chunk, v_form, v, scratch);
  make_output_units(l, chunk, units);
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
      const OutputPlane out{l, chunk, units, y + (o + i) * l.out_height * l.out_width};
      const float* from = m + i * m_form.columns;
      const float offset = bias == nullptr ? 0.0f : bias[o + i];
      if (l.tall) {
        transform_output<true>(out, from, m_form.plane, offset);
      } else {
        transform_output<false>(out, from, m_form.plane, offset);
      }
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
  const PointPlanes v(l.channels, tiles);
  const PointPlanes m(kWinogradOuts, tiles);
  return l.points() * (v.plane + m.plane) +
         std::max(winograd_input_floats(l, tiles), winograd_output_floats(tiles));
}

void winograd_forward_chunk(const WinogradLayer& layer, const WinogradWeights& weights,
                            const float* planes, const float* x, const float* bias, float* y,
                            Range chunk, float* workspace) {
  HWY_DYNAMIC_DISPATCH(forward_chunk)
  (layer, weights, planes, x, bias, y, chunk, workspace);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
