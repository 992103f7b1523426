#include "kernels/conv/winograd/weights.h"

#include <algorithm>

#include "kernels/conv/winograd/point_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/winograd/weights.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/conv/winograd/units-inl.h"
#include "kernels/runtime/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The lines of input that a row of tiles reads, channels last: line i of the input's lines lies at
// floats[i % slots][column][channel].
struct ChannelLines {
  float* floats;
  size_t channels;  // padded
  size_t begin, end;
  size_t line;   // floats
  size_t slots;  // lines per row of tiles

  ChannelLines(const WinogradLayer& l, float* storage)
      : floats(storage), channels(aligned_floats(l.channels)) {
    const size_t columns = 4 * l.tile_columns() + 2;
    const auto pad = static_cast<size_t>(l.pad_width);
    begin = HWY_MIN(pad, columns);
    end = HWY_MIN(pad + l.width, columns);
    line = columns * channels;
    slots = l.tall ? 6 : 1;
    std::fill_n(floats, slots * line, 0.0f);
  }

  // Line i from input row y, or zeros where there is none.
  void read(const WinogradLayer& l, const float* image, size_t i, ptrdiff_t y) {
    float* to = floats + i % slots * line + begin * channels;
    if (y >= 0 && y < static_cast<ptrdiff_t>(l.height)) {
      transpose(image + static_cast<size_t>(y) * l.width, l.channel_floats, l.channels, end - begin,
                to, channels);
    } else {
      std::fill_n(to, (end - begin) * channels, 0.0f);
    }
  }
};

// The tiles of one row: v[point][lane of the tile][channel], from lines first, ...
template <bool kTall>
void transform_channels(const ChannelLines& lines, size_t first, Range tiles, float* v,
                        size_t plane) {
  constexpr size_t kLines = kTall ? 6 : 1;
  const FloatTag d;
  const auto transform = [](FloatTag tag, const FloatVec* in, FloatVec* out)
                             HWY_ATTR { input_points(tag, in, out); };
  for (size_t tile = tiles.begin; tile < tiles.end; ++tile) {
    for (size_t c = 0; c < lines.channels; c += kLanes) {
      FloatVec in[6 * kLines], out[6 * kLines];
      const float* from = lines.floats + 4 * (tile - tiles.begin) * lines.channels + c;
      HWY_UNROLL(6)
      for (size_t i = 0; i < kLines; ++i) {
        const float* line = from + (first + i) % kLines * lines.line;
        HWY_UNROLL(6)
        for (size_t j = 0; j < 6; ++j) in[i * 6 + j] = hn::LoadU(d, line + j * lines.channels);
      }
      transform_tile<6, 6, kTall>(d, transform, in, out);
      float* to = v + lane_of(tile) * lines.channels + c;
      HWY_UNROLL(36)
      for (size_t p = 0; p < 6 * kLines; ++p) hn::StoreU(out[p], d, to + p * plane);
    }
  }
}

void transform_inputs(const WinogradLayer& l, const float* x, Range chunk, float* v, size_t plane,
                      float* scratch) {
  ChannelLines lines(l, scratch);
  const size_t height = l.tile_height();
  const size_t columns = l.tile_columns();
  for_each_segment(l, chunk, [&](size_t image, Range rows, size_t tile) HWY_ATTR {
    const float* from = x + image * l.image_floats;
    size_t next = 0;  // line to be read
    for (size_t row = 0; row < rows.size(); ++row, tile += columns) {
      for (; next < row * height + lines.slots; ++next) {
        const size_t y = rows.begin * height + next;
        lines.read(l, from, next, static_cast<ptrdiff_t>(y) - l.pad_height);
      }
      if (l.tall) {
        transform_channels<true>(lines, row * height, {tile, tile + columns}, v, plane);
      } else {
        transform_channels<false>(lines, row, {tile, tile + columns}, v, plane);
      }
    }
  });
  // Lanes without a tile, which meet gradients of zero.
  const size_t tiles = chunk.size() * columns;
  for (size_t tile = tiles; tile < padded_tiles(tiles); ++tile) {
    for (size_t p = 0; p < l.points(); ++p) {
      std::fill_n(v + p * plane + lane_of(tile) * lines.channels, lines.channels, 0.0f);
    }
  }
}

// One channel of a chunk's output gradients.
struct GradientPlane {
  const WinogradLayer& l;
  Range chunk;
  const OutputUnit* units;
  const float* dy;  // the channel's plane in the first image
};

// A vector of tiles that isn't whole, as rows of kUnits * kUnitFloats with zeros where nothing is.
template <size_t kRows>
void copy_vector(const GradientPlane& in, size_t tile, float* to) {
  constexpr size_t kRow = kUnits * kUnitFloats;
  std::fill_n(to, kRows * kRow, 0.0f);
  for (size_t k = 0; k < kUnits; ++k, to += kUnitFloats) {
    const OutputUnit& unit = in.units[tile / kUnitTiles + k];
    if (unit.columns > 0) {
      for (size_t i = 0; i < unit.rows; ++i) {
        copy_floats(in.dy + unit.offset + i * in.l.out_width, to + i * kRow, unit.columns);
      }
      continue;
    }
    for (size_t b = 0; b < kUnitTiles; ++b) {
      const OutputUnit from = output_tile(in.l, in.chunk, tile + k * kUnitTiles + b);
      for (size_t i = 0; i < from.rows; ++i) {
        std::copy_n(in.dy + from.offset + i * in.l.out_width, from.columns, to + i * kRow + 4 * b);
      }
    }
  }
}

template <size_t kRows>
bool is_whole(const GradientPlane& in, size_t tile) {
  const OutputUnit* units = in.units + tile / kUnitTiles;
  return std::all_of(units, units + kUnits, [](const OutputUnit& unit) {
    return unit.columns == kUnitFloats && unit.rows == kRows;
  });
}

// m[point][tile] of one channel.
template <bool kTall>
void transform_gradients(const GradientPlane& in, float* m, size_t plane) {
  constexpr size_t kRows = kTall ? 4 : 1;
  constexpr size_t kPoints = kTall ? 36 : 6;
  const FloatTag d;
  const auto transform = [](FloatTag tag, const FloatVec* from, FloatVec* to)
                             HWY_ATTR { gradient_points(tag, from, to); };
  HWY_ALIGN float copied[kRows * kUnits * kUnitFloats];
  const size_t tiles = in.chunk.size() * in.l.tile_columns();
  for (size_t tile = 0; tile < tiles; tile += kLanes) {
    const bool whole = is_whole<kRows>(in, tile);
    if (!whole) copy_vector<kRows>(in, tile, copied);
    const OutputUnit* units = in.units + tile / kUnitTiles;
    FloatVec values[4 * kRows], out[kPoints];
    HWY_UNROLL(4)
    for (size_t i = 0; i < kRows; ++i) {
      const auto unit = [&](size_t k) HWY_ATTR {
        return whole ? in.dy + units[k].offset + i * in.l.out_width
                     : copied + (i * kUnits + k) * kUnitFloats;
      };
      load_columns<4>(unit, values + 4 * i);
    }
    transform_tile<4, 6, kTall>(d, transform, values, out);
    HWY_UNROLL(36)
    for (size_t p = 0; p < kPoints; ++p) hn::StoreU(out[p], d, m + p * plane + tile);
  }
}

// m [points][outs][tiles] of the gradients.
void transform_outputs(const WinogradChunk& chunk, const TileGroups& groups, const float* dy,
                       const PointPlanes& form, float* m, OutputUnit* units) {
  const WinogradLayer& l = chunk.out;
  for (size_t i = 0; i < groups.count; ++i) {
    const Range rows = groups.of(chunk.out_rows, i);
    make_output_units(l, rows, units);
    for (size_t o = 0; o < l.outs; ++o) {
      const GradientPlane in{l, rows, units, dy + o * l.out_channel_floats};
      float* to = m + o * form.columns + i * groups.padded;
      if (l.tall) {
        transform_gradients<true>(in, to, form.plane);
      } else {
        transform_gradients<false>(in, to, form.plane);
      }
    }
  }
}

void weights_chunk(const WinogradChunk& chunk, const float* x, const float* dy, bool accumulate,
                   float* sums, float* workspace) {
  const WinogradLayer& l = chunk.in;
  const TileGroups in_groups = chunk.in_groups(kLanes);
  const TileGroups out_groups = chunk.out_groups(kLanes);
  const size_t padded = in_groups.padded;
  const PointPlanes v_form(in_groups.tiles(), l.channels);
  const PointPlanes m_form(l.outs, out_groups.tiles());
  const PointPlanes sum_form = winograd_sums(l);
  float* v = workspace;
  float* m = v + l.points() * v_form.plane;
  float* scratch = m + l.points() * m_form.plane;
  for (size_t i = 0; i < in_groups.count; ++i) {
    transform_inputs(l, x + chunk.x, in_groups.of(chunk.in_rows, i),
                     v + i * padded * v_form.columns, v_form.plane, scratch);
  }
  transform_outputs(chunk, out_groups, dy + chunk.y, m_form, m,
                    reinterpret_cast<OutputUnit*>(scratch));
  const size_t sums_floats = l.points() * sum_form.plane;
  for (size_t tap = 0; tap < l.slice_taps; ++tap, sums += sums_floats) {
    const Range slices = chunk.slices_inside(tap);
    if (slices.size() == 0) {
      if (!accumulate) std::fill_n(sums, sums_floats, 0.0f);
      continue;
    }
    multiply_points({.points = l.points(),
                     .m = l.outs,
                     .n = v_form.columns,
                     .k = slices.size() * padded,
                     .a = m + slices.begin * padded,
                     .a_plane = m_form.plane,
                     .lda = m_form.columns,
                     .a_by_rows = true,
                     .b = v + (slices.begin + tap - chunk.before) * padded * v_form.columns,
                     .b_plane = v_form.plane,
                     .ldb = v_form.columns,
                     .c = sums,
                     .c_plane = sum_form.plane,
                     .ldc = sum_form.columns,
                     .accumulate = accumulate});
  }
}

constexpr size_t kFilters = 64;  // finished at a time

// taps[t * kFilters + c] of the `count` filters from the sums of parts.
template <bool kTall>
void finish_filters(const float* sums, size_t plane, size_t parts, size_t part_floats, size_t count,
                    float* taps) {
  constexpr size_t kTaps = kTall ? 9 : 3;
  constexpr size_t kPoints = kTall ? 36 : 6;
  const FloatTag d;
  const auto transform = [](FloatTag tag, const FloatVec* in, FloatVec* out)
                             HWY_ATTR { weight_gradients(tag, in, out); };
  for (size_t c = 0; c < count; c += kLanes) {
    FloatVec in[kPoints], out[kTaps];
    HWY_UNROLL(36)
    for (size_t p = 0; p < kPoints; ++p) in[p] = hn::LoadU(d, sums + p * plane + c);
    for (size_t part = 1; part < parts; ++part) {
      const float* other = sums + part * part_floats + c;
      HWY_UNROLL(36)
      for (size_t p = 0; p < kPoints; ++p) in[p] = hn::Add(in[p], hn::LoadU(d, other + p * plane));
    }
    transform_tile<6, 3, kTall>(d, transform, in, out);
    HWY_UNROLL(9)
    for (size_t t = 0; t < kTaps; ++t) hn::StoreU(out[t], d, taps + t * kFilters + c);
  }
}

void finish_weights(const WinogradLayer& l, const float* sums, size_t parts, size_t part_floats,
                    Range range, float* dw) {
  HWY_ALIGN float taps[9 * kFilters];
  const PointPlanes form = winograd_sums(l);
  const size_t filter = l.slice_taps * l.taps();
  for (size_t slice = 0; slice < l.slice_taps; ++slice, sums += l.points() * form.plane) {
    for (size_t o = range.begin; o < range.end; ++o) {
      for (size_t c = 0; c < l.channels; c += kFilters) {
        const size_t count = HWY_MIN(kFilters, l.channels - c);
        const float* from = sums + o * form.columns + c;
        if (l.tall) {
          finish_filters<true>(from, form.plane, parts, part_floats, count, taps);
        } else {
          finish_filters<false>(from, form.plane, parts, part_floats, count, taps);
        }
        float* to = dw + (o * l.channels + c) * filter + slice * l.taps();
        transpose(taps, kFilters, l.taps(), count, to, filter);
      }
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(weights_chunk);
HWY_EXPORT(finish_weights);

}  // namespace

size_t winograd_weights_floats(const WinogradChunk& chunk) {
  const WinogradLayer& l = chunk.in;
  const TileGroups in = chunk.in_groups(16);  // lanes of any target
  const TileGroups out = chunk.out_groups(16);
  const PointPlanes v(in.tiles(), l.channels);
  const PointPlanes m(l.outs, out.tiles());
  const size_t lines = (l.tall ? 6 : 1) * (4 * l.tile_columns() + 2) * v.columns;
  return l.points() * (v.plane + m.plane) +
         aligned_floats(std::max(lines, winograd_output_floats(out.padded)));
}

void winograd_weights_chunk(const WinogradChunk& chunk, const float* x, const float* dy,
                            bool accumulate, float* sums, float* workspace) {
  HWY_DYNAMIC_DISPATCH(weights_chunk)(chunk, x, dy, accumulate, sums, workspace);
}

void winograd_finish_weights(const WinogradLayer& layer, const float* sums, size_t parts,
                             size_t part_floats, Range range, float* dw) {
  HWY_DYNAMIC_DISPATCH(finish_weights)(layer, sums, parts, part_floats, range, dw);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
