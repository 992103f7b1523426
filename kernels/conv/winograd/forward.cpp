#include "kernels/conv/winograd/forward.h"

#include <algorithm>

#include "kernels/conv/winograd/point_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/winograd/forward.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/conv/winograd/input-inl.h"
#include "kernels/runtime/transpose-inl.h"

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

// The filters of one slice of the kernel.
void transform_slice(const WinogradLayer& l, const WinogradWeights& weights, const float* w,
                     Range range, float* planes) {
  HWY_ALIGN float taps[9 * kFilters] = {};
  const size_t filters = weights.flipped ? l.outs : l.channels;
  // Flipped: blocks of kWinogradOuts filters lie `rows` blocks apart, the rows side by side.
  const size_t block = weights.flipped ? weights.rows * kWinogradOuts : kWinogradOuts;
  const size_t row_step = weights.flipped ? kWinogradOuts : weights.row;
  const size_t filter = l.slice_taps * l.taps();
  for (size_t row = range.begin; row < range.end; ++row) {
    for (size_t c = 0; c < filters; c += kFilters) {
      const size_t count = HWY_MIN(kFilters, filters - c);
      transpose(w + (row * filters + c) * filter, filter, count, l.taps(), taps, kFilters);
      float* to = planes + row * row_step + c / kWinogradOuts * block;
      if (l.tall) {
        transform_filters<true>(weights, taps, count, to, block);
      } else {
        transform_filters<false>(weights, taps, count, to, block);
      }
    }
  }
}

void transform_weights(const WinogradLayer& l, const WinogradWeights& weights, const float* w,
                       Range range, float* planes) {
  for (size_t slice = 0; slice < l.slice_taps; ++slice) {
    const size_t from = weights.flipped ? l.slice_taps - 1 - slice : slice;
    transform_slice(l, weights, w + from * l.taps(), range, planes + slice * weights.slice);
  }
}

// V [points][channels][tiles] of a chunk.
void transform_input(const WinogradChunk& chunk, const float* x, const PointPlanes& form, float* v,
                     float* scratch) {
  const WinogradLayer& l = chunk.in;
  const TileGroups groups = chunk.in_groups(kLanes);
  for (size_t i = 0; i < groups.count; ++i, v += groups.padded) {
    InputLines lines(l, groups.of(chunk.in_rows, i), scratch);
    for (size_t c = 0; c < l.channels; ++c) {
      lines.read(x + c * l.channel_floats);
      if (l.tall) {
        transform_input_tiles<true>(lines, v + c * form.columns, form.plane);
      } else {
        transform_input_tiles<false>(lines, v + c * form.columns, form.plane);
      }
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
      hwy::Prefetch(to + out.l.out_channel_floats);  // of the next channel
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

// The tensors at the points of a chunk: V [points][channels][tiles], M [points][outs][tiles].
struct ChunkPoints {
  const WinogradChunk& chunk;
  TileGroups in, out;
  PointPlanes v_form, m_form;
  float* v;
  float* m;

  ChunkPoints(const WinogradChunk& c, float* floats)
      : chunk(c),
        in(c.in_groups(kLanes)),
        out(c.out_groups(kLanes)),
        v_form(c.in.channels, in.tiles()),
        m_form(kWinogradOuts, out.tiles()),
        v(floats),
        m(v + c.in.points() * v_form.plane) {}
  float* end() const { return m + chunk.in.points() * m_form.plane; }
};

void multiply_slices(const ChunkPoints& p, const WinogradWeights& weights, const float* planes,
                     size_t outs, size_t tap, Range slices, bool accumulate) {
  multiply_points({.points = p.chunk.in.points(),
                   .m = outs,
                   .n = slices.size() * p.out.padded,
                   .k = p.chunk.in.channels,
                   .a = planes + tap * weights.slice,
                   .a_plane = weights.plane,
                   .lda = weights.flipped ? kWinogradOuts : weights.row,
                   .a_by_rows = !weights.flipped,
                   .b = p.v + (slices.begin + tap - p.chunk.before) * p.in.padded,
                   .b_plane = p.v_form.plane,
                   .ldb = p.v_form.columns,
                   .c = p.m + slices.begin * p.out.padded,
                   .c_plane = p.m_form.plane,
                   .ldc = p.m_form.columns,
                   .accumulate = accumulate});
}

// M of some rows of weights: first by a slice of the kernel that all slices of the output meet, if
// there is one, then the others are added.
void multiply_chunk(const ChunkPoints& p, const WinogradWeights& weights, const float* planes,
                    size_t outs) {
  const size_t taps = p.chunk.in.slice_taps;
  size_t first = 0;
  while (first < taps && p.chunk.slices_inside(first).size() < p.out.count) ++first;
  if (first == taps) {
    std::fill_n(p.m, p.chunk.in.points() * p.m_form.plane, 0.0f);
  } else {
    multiply_slices(p, weights, planes, outs, first, {0, p.out.count}, false);
  }
  for (size_t tap = 0; tap < taps; ++tap) {
    const Range slices = p.chunk.slices_inside(tap);
    if (tap == first || slices.size() == 0) continue;
    multiply_slices(p, weights, planes, outs, tap, slices, true);
  }
}

// Channels [first, first + outs) of the output from M.
void transform_outputs(const ChunkPoints& p, const float* bias, Range outs, float* y) {
  const WinogradLayer& l = p.chunk.out;
  auto* units = reinterpret_cast<OutputUnit*>(p.end());
  for (size_t group = 0; group < p.out.count; ++group) {
    const Range rows = p.out.of(p.chunk.out_rows, group);
    make_output_units(l, rows, units);
    for (size_t i = 0; i < outs.size(); ++i) {
      const OutputPlane out{l, rows, units, y + (outs.begin + i) * l.out_channel_floats};
      const float* from = p.m + i * p.m_form.columns + group * p.out.padded;
      const float offset = bias == nullptr ? 0.0f : bias[outs.begin + i];
      if (l.tall) {
        transform_output<true>(out, from, p.m_form.plane, offset);
      } else {
        transform_output<false>(out, from, p.m_form.plane, offset);
      }
    }
  }
}

void forward_chunk(const WinogradChunk& chunk, const WinogradWeights& weights, const float* planes,
                   const float* x, const float* bias, float* y, float* workspace) {
  const size_t outs = chunk.out.outs;
  const ChunkPoints points(chunk, workspace);
  transform_input(chunk, x + chunk.x, points.v_form, points.v, points.end());
  for (size_t o = 0; o < outs; o += kWinogradOuts) {
    const Range block{o, HWY_MIN(o + kWinogradOuts, outs)};
    multiply_chunk(points, weights, planes + o * (weights.flipped ? weights.rows : weights.row),
                   block.size());
    transform_outputs(points, bias, block, y + chunk.y);
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

size_t winograd_forward_floats(const WinogradChunk& chunk) {
  const TileGroups in = chunk.in_groups(16);  // lanes of any target
  const TileGroups out = chunk.out_groups(16);
  const PointPlanes v(chunk.in.channels, in.tiles());
  const PointPlanes m(kWinogradOuts, out.tiles());
  return chunk.in.points() * (v.plane + m.plane) +
         std::max(winograd_input_floats(chunk.in, in.rows * chunk.in.tile_columns()),
                  winograd_output_floats(out.padded));
}

void winograd_forward_chunk(const WinogradChunk& chunk, const WinogradWeights& weights,
                            const float* planes, const float* x, const float* bias, float* y,
                            float* workspace) {
  HWY_DYNAMIC_DISPATCH(forward_chunk)(chunk, weights, planes, x, bias, y, workspace);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
