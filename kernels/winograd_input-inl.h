// The inputs of Winograd tiles at the points, with tiles in the lanes. Included once per target.
#if defined(NSOP_KERNELS_WINOGRAD_INPUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_WINOGRAD_INPUT_INL_H_
#undef NSOP_KERNELS_WINOGRAD_INPUT_INL_H_
#else
#define NSOP_KERNELS_WINOGRAD_INPUT_INL_H_
#endif

#include "kernels/winograd-inl.h"
#include "kernels/winograd_layer.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// A row of tiles reads a line of the input at tile * 4 + i - pad. Tiles come in whole vectors.
struct InputLine {
  float* floats;  // zero where the line lies in the padding
  size_t begin, end;

  InputLine(const WinogradLayer& l, float* storage) : floats(storage) {
    const auto count = static_cast<ptrdiff_t>(winograd_line_floats(l));
    const auto needed = static_cast<ptrdiff_t>(4 * l.tile_columns() + 2);
    begin = static_cast<size_t>(HWY_MIN(HWY_MAX(l.pad_width, 0), needed));
    const ptrdiff_t last = static_cast<ptrdiff_t>(l.width) + l.pad_width;
    end = HWY_MAX(begin, static_cast<size_t>(HWY_MAX(0, HWY_MIN(last, needed))));
    for (ptrdiff_t i = 0; i < count; ++i) floats[i] = 0.0f;
  }

  void read(const WinogradLayer& l, const float* row) {
    const ptrdiff_t first = static_cast<ptrdiff_t>(begin) - l.pad_width;
    copy_floats(row + first, floats + begin, end - begin);
  }
};

// dst[j * step + tile] = point j of the tile's six inputs. Writes whole vectors.
template <class D>
HWY_INLINE void transform_line(D d, const float* line, size_t tiles, float* dst, size_t step) {
  using V = hn::Vec<D>;
  for (size_t tile = 0; tile < tiles; tile += hn::Lanes(d)) {
    V in[6], unused2, unused3, out[6];
    hn::LoadInterleaved4(d, line + 4 * tile, in[0], in[1], in[2], in[3]);
    hn::LoadInterleaved4(d, line + 4 * tile + 4, in[4], in[5], unused2, unused3);
    input_points(d, in, out);
    HWY_UNROLL(6)
    for (size_t j = 0; j < 6; ++j) hn::StoreU(out[j], d, dst + j * step + tile);
  }
}

// Narrow lines use narrow vectors.
inline void transform_line(const float* line, size_t tiles, float* dst, size_t step) {
  if (tiles <= 4) return transform_line(hn::CappedTag<float, 4>(), line, tiles, dst, step);
  if (tiles <= 8) return transform_line(hn::CappedTag<float, 8>(), line, tiles, dst, step);
  transform_line(FloatTag(), line, tiles, dst, step);
}

// Lines of inputs after transform_line, by line number modulo 4: [6 points][4][lines / 4][tiles].
struct TransformedLines {
  float* floats;
  size_t quarter;
};

// The second dimension of tall tiles: V[i * 6 + j][tile] from lines of point j.
inline void transform_columns(const TransformedLines& lines, size_t tile_columns, size_t tiles,
                              float* v, size_t plane) {
  const FloatTag d;
  for (size_t j = 0; j < 6; ++j) {
    const float* from = lines.floats + j * 4 * lines.quarter;
    for (size_t tile = 0; tile < tiles; tile += kLanes) {
      FloatVec in[6], out[6];
      HWY_UNROLL(6)
      for (size_t i = 0; i < 6; ++i) {
        in[i] = hn::LoadU(d, from + i % 4 * lines.quarter + i / 4 * tile_columns + tile);
      }
      input_points(d, in, out);
      HWY_UNROLL(6)
      for (size_t i = 0; i < 6; ++i) {
        hn::StoreU(out[i], d, v + (i * 6 + j) * plane + tile);
      }
    }
  }
}

// V[point][tile] of one channel of rows [rows.begin, rows.end) of tiles. Up to a vector behind the
// last tile is written with no meaning.
inline void transform_segment(const WinogradLayer& l, const float* image, Range rows,
                              InputLine& line, const TransformedLines& lines, float* v,
                              size_t plane) {
  const size_t columns = l.tile_columns();
  const size_t count = l.tall ? 4 * rows.size() + 2 : rows.size();
  const ptrdiff_t first = static_cast<ptrdiff_t>(rows.begin * l.tile_height()) - l.pad_height;
  for (size_t i = 0; i < count; ++i) {
    const ptrdiff_t y = first + static_cast<ptrdiff_t>(i);
    float* dst = l.tall ? lines.floats + i % 4 * lines.quarter + i / 4 * columns : v + i * columns;
    const size_t step = l.tall ? 4 * lines.quarter : plane;
    if (y >= 0 && y < static_cast<ptrdiff_t>(l.height)) {
      line.read(l, image + static_cast<size_t>(y) * l.width);
      transform_line(line.floats, columns, dst, step);
    } else {
      for (size_t j = 0; j < 6; ++j) {
        for (size_t tile = 0; tile < columns; ++tile) dst[j * step + tile] = 0.0f;
      }
    }
  }
  if (l.tall) transform_columns(lines, columns, rows.size() * columns, v, plane);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
