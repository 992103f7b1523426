#include "kernels/conv/shape/patches.h"

#include <algorithm>

#include "kernels/gemm/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/shape/patches.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/math/sums-inl.h"
#include "kernels/runtime/transpose-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// A run of pixels (line, ow .. ow + count) under one tap, lines being the rows of the output:
// element i is plane[start + i * stride] for i in [begin, end) and 0 in the rest of [0, count).
struct Run {
  ptrdiff_t start;
  size_t count;
  size_t begin;
  size_t end;
};

HWY_INLINE size_t clamp_index(ptrdiff_t i, size_t count) {
  return static_cast<size_t>(std::clamp<ptrdiff_t>(i, 0, static_cast<ptrdiff_t>(count)));
}

// The input position of an output position under a tap of an axis.
HWY_INLINE ptrdiff_t position(const PatchAxis& axis, size_t out, size_t tap) {
  return static_cast<ptrdiff_t>(out * axis.stride + tap * axis.dilation) - axis.pad;
}

HWY_INLINE bool is_inside(const PatchAxis& axis, ptrdiff_t at) {
  return at >= 0 && at < static_cast<ptrdiff_t>(axis.in);
}

// n / stride rounded up, for n > 0: strides of 1 and 2 need no division.
HWY_INLINE ptrdiff_t strides_in(ptrdiff_t n, size_t stride) {
  if (stride == 1) return n;
  if (stride == 2) return (n + 1) / 2;
  return (n - 1) / static_cast<ptrdiff_t>(stride) + 1;
}

// The run whose first pixel meets this place of the image, inside or not.
HWY_INLINE Run run_at(const Patches& p, ptrdiff_t slice, ptrdiff_t row, ptrdiff_t column,
                      size_t count) {
  const auto& [depth, height, width] = p.axes;
  if (!is_inside(depth, slice) || !is_inside(height, row)) return {0, count, count, count};
  const auto in = static_cast<ptrdiff_t>(width.in);
  const size_t begin = column >= 0 ? 0 : clamp_index(strides_in(-column, width.stride), count);
  const size_t end = column >= in ? 0 : clamp_index(strides_in(in - column, width.stride), count);
  const ptrdiff_t start = (slice * static_cast<ptrdiff_t>(height.in) + row) * in + column;
  return {start, count, std::min(begin, end), end};
}

HWY_INLINE Run make_run(const Patches& p, size_t line, size_t ow, size_t count, size_t tap) {
  const auto& [depth, height, width] = p.axes;
  const ptrdiff_t slice = position(depth, line / height.out, tap / (height.kernel * width.kernel));
  const ptrdiff_t row = position(height, line % height.out, tap / width.kernel % height.kernel);
  return run_at(p, slice, row, position(width, ow, tap % width.kernel), count);
}

HWY_INLINE void copy_run(const float* plane, const Run& run, size_t stride, float* dst) {
  for (size_t i = 0; i < run.begin; ++i) dst[i] = 0.0f;
  const float* src = plane + (run.start + static_cast<ptrdiff_t>(run.begin * stride));
  const size_t inside = run.end - run.begin;
  if (stride == 1) {
    copy_floats(src, dst + run.begin, inside);
  } else {
    for (size_t i = 0; i < inside; ++i) dst[run.begin + i] = src[i * stride];
  }
  for (size_t i = run.end; i < run.count; ++i) dst[i] = 0.0f;
}

// The run in `channels` planes, `plane_size` apart, to rows that lie `step` apart.
struct RunOfPlanes {
  const float* planes;
  size_t plane_size;
  size_t channels;
  Run run;
  float* dst;
  size_t step;
};

#if NSOP_HAVE_MASKED_ACCESS
// The lanes of the vector-th vector that are in [begin, end), counted from the first vector.
HWY_INLINE hn::Mask<FloatTag> lanes_of(size_t begin, size_t end, size_t vector) {
  const FloatTag d;
  const size_t done = vector * kLanes;
  const auto first = [d, done](size_t count) HWY_ATTR {
    return hn::FirstN(d, count <= done ? 0 : HWY_MIN(kLanes, count - done));
  };
  return hn::AndNot(first(begin), first(end));
}

// Stride 1 or 2 and a run of at most kVectors vectors: the masks are the same for all planes.
template <size_t kStride, size_t kVectors>
void copy_masked_run(const RunOfPlanes& r) {
  const FloatTag d;
  hn::Mask<FloatTag> inside[kStride * kVectors];
  for (size_t v = 0; v < kStride * kVectors; ++v) {
    inside[v] = lanes_of(kStride * r.run.begin, kStride * (r.run.end - 1) + 1, v);
  }
  const size_t last = r.run.count - (kVectors - 1) * kLanes;
  const float* src = r.planes + r.run.start;  // masked lanes may lie outside the plane
  float* dst = r.dst;
  for (size_t c = 0; c < r.channels; ++c, src += r.plane_size, dst += r.step) {
    const auto load = [&](size_t v)
                          HWY_ATTR { return hn::MaskedLoad(inside[v], d, src + v * kLanes); };
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      FloatVec run;
      if constexpr (kStride == 1) {
        run = load(v);
      } else {
        run = hn::ConcatEven(d, load(2 * v + 1), load(2 * v));
      }
      if (v + 1 < kVectors || last == kLanes) {
        hn::StoreU(run, d, dst + v * kLanes);
      } else {
        store_n(run, d, dst + v * kLanes, last);
      }
    }
  }
}

template <size_t kStride>
void copy_short_run(const RunOfPlanes& r) {
  if (r.run.count <= kLanes) return copy_masked_run<kStride, 1>(r);
  if (r.run.count <= 2 * kLanes) return copy_masked_run<kStride, 2>(r);
  copy_masked_run<kStride, 3>(r);
}
#endif

void copy_run_of_planes(const RunOfPlanes& r, size_t stride) {
#if NSOP_HAVE_MASKED_ACCESS
  // Making the masks pays from a few planes on.
  const bool short_run = r.run.begin < r.run.end && r.run.count <= 3 * kLanes;
  if (short_run && r.channels >= 4) {
    if (stride == 1) return copy_short_run<1>(r);
    if (stride == 2) return copy_short_run<2>(r);
  }
#endif
  for (size_t c = 0; c < r.channels; ++c) {
    copy_run(r.planes + c * r.plane_size, r.run, stride, r.dst + c * r.step);
  }
}

// Pixels of one line of the output that are columns of a panel, from column j on.
struct PanelRun {
  size_t j, out_slice, out_row, ow, count;
};

constexpr size_t kMostRuns = 64;  // at once: as many as the widest panel of gemm has columns

// The runs from `next` on, at most kMostRuns; returns their number and moves `next` behind them.
size_t runs_from(const Patches& p, const PanelBlock& block, PanelRun* next, PanelRun* runs) {
  const auto& [depth, height, width] = p.axes;
  size_t count = 0;
  for (; next->j < block.columns && count < kMostRuns; ++count) {
    next->count = std::min(width.out - next->ow, block.columns - next->j);
    runs[count] = *next;
    next->j += next->count;
    next->ow = 0;
    if (++next->out_row == height.out) {
      next->out_row = 0;
      ++next->out_slice;
    }
  }
  return count;
}

// `count` runs of a panel under all taps, tap by tap: a row of the panel is written at once.
void fill_runs(const Patches& p, const PanelBlock& block, const PanelRun* runs, size_t count,
               float* panel) {
  const auto& [depth, height, width] = p.axes;
  const size_t taps = p.taps();
  const size_t channels = block.depth / taps;
  const float* planes = p.image + block.k0 / taps * p.plane();
  for (size_t kd = 0; kd < depth.kernel; ++kd) {
    for (size_t kh = 0; kh < height.kernel; ++kh) {
      for (size_t kw = 0; kw < width.kernel; ++kw, panel += block.width) {
        for (size_t i = 0; i < count; ++i) {
          const PanelRun& r = runs[i];
          const Run run =
              run_at(p, position(depth, r.out_slice, kd), position(height, r.out_row, kh),
                     position(width, r.ow, kw), r.count);
          copy_run_of_planes({planes, p.plane(), channels, run, panel + r.j, taps * block.width},
                             width.stride);
        }
      }
    }
  }
}

void fill_panel(const void* context, const PanelBlock& block, float* panel) {
  const Patches& p = *static_cast<const Patches*>(context);
  const auto& [depth, height, width] = p.axes;
  const size_t line = block.j0 / width.out;
  PanelRun next{0, line / height.out, line % height.out, block.j0 % width.out, 0};
  PanelRun runs[kMostRuns];
  while (next.j < block.columns) {
    const size_t count = runs_from(p, block, &next, runs);
    fill_runs(p, block, runs, count, panel);
  }
  if (block.columns == block.width) return;
  for (size_t i = 0; i < block.depth; ++i) {
    float* row = panel + i * block.width;
    for (size_t j = block.columns; j < block.width; ++j) row[j] = 0.0f;
  }
}

// Pixels [pixel, pixel + count) of patch row `row`.
void fill_patch_row(const Patches& p, size_t row, size_t pixel, size_t count, float* dst) {
  const float* plane = p.image + row / p.taps() * p.plane();
  const size_t width = p.axes[2].out;
  size_t line = pixel / width;
  size_t ow = pixel % width;
  size_t length = 0;
  for (size_t i = 0; i < count; i += length, ow = 0, ++line) {
    length = std::min(width - ow, count - i);
    copy_run(plane, make_run(p, line, ow, length, row % p.taps()), p.axes[2].stride, dst + i);
  }
}

void fill_transposed_panel(const void* context, const PanelBlock& block, float* panel) {
  constexpr size_t kRows = 8;
  const Patches& p = *static_cast<const Patches*>(context);
  HWY_ALIGN float rows[kRows * kPackedDepth];
  for (size_t j = 0; j < block.columns; j += kRows) {
    const size_t count = std::min(kRows, block.columns - j);
    for (size_t i = 0; i < count; ++i) {
      fill_patch_row(p, p.first_row + block.j0 + j + i, block.k0, block.depth,
                     rows + i * kPackedDepth);
    }
    transpose(rows, kPackedDepth, count, block.depth, panel + j, block.width);
  }
  if (block.columns == block.width) return;
  for (size_t i = 0; i < block.depth; ++i) {
    float* row = panel + i * block.width;
    for (size_t j = block.columns; j < block.width; ++j) row[j] = 0.0f;
  }
}

HWY_INLINE void add_floats(const float* src, float* dst, size_t count) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, dst + i), hn::LoadU(d, src + i)), d, dst + i);
  }
  for (; i < count; ++i) dst[i] += src[i];
}

void add_patches_to_plane(const Patches& p, const float* columns, float* plane) {
  const PatchAxis& width = p.axes[2];
  for (size_t tap = 0; tap < p.taps(); ++tap) {
    for (size_t line = 0; line < p.lines(); ++line, columns += width.out) {
      const Run run = make_run(p, line, 0, width.out, tap);
      float* to = plane + (run.start + static_cast<ptrdiff_t>(run.begin * width.stride));
      const size_t inside = run.end - run.begin;
      if (width.stride == 1) {
        add_floats(columns + run.begin, to, inside);
      } else {
        for (size_t i = 0; i < inside; ++i) to[i * width.stride] += columns[run.begin + i];
      }
    }
  }
}

void add_constant_part(float value, float* to, size_t count) {
  const FloatTag d;
  const FloatVec v = hn::Set(d, value);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::Add(hn::LoadU(d, to + i), v), d, to + i);
  for (; i < count; ++i) to[i] += value;
}

#if HWY_TARGET != HWY_SCALAR
// sums[i] = the sum of row i of 4 rows, kRowSumLanes floats each.
HWY_INLINE void sum_four_rows(const float* rows, float* sums) {
  const FloatTag d;
  FloatVec row[4];
  HWY_UNROLL(4)
  for (size_t r = 0; r < 4; ++r, rows += kRowSumLanes) {
    row[r] = hn::LoadU(d, rows);
    HWY_UNROLL(4)
    for (size_t j = kLanes; j < kRowSumLanes; j += kLanes) {
      row[r] = hn::Add(row[r], hn::LoadU(d, rows + j));
    }
  }
  hn::StoreU(sums_of_4(row), hn::FixedTag<float, 4>(), sums);
}
#endif

void add_row_sums_part(const float* rows, size_t count, size_t columns, bool accumulate,
                       float* sums) {
  size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; columns == kRowSumLanes && !accumulate && r + 4 <= count; r += 4) {
    sum_four_rows(rows + r * kRowSumLanes, sums + r);
  }
#endif
  for (; r < count; ++r) {
    const float sum = sum_of(rows + r * columns, columns);
    sums[r] = accumulate ? sums[r] + sum : sum;
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(fill_panel);
HWY_EXPORT(fill_transposed_panel);
HWY_EXPORT(add_patches_to_plane);
HWY_EXPORT(add_row_sums_part);
HWY_EXPORT(add_constant_part);

}  // namespace

PanelSource patch_source(const Patches& patches) {
  return {&HWY_DYNAMIC_DISPATCH(fill_panel), &patches, patches.taps()};
}

PanelSource transposed_patch_source(const Patches& patches) {
  return {&HWY_DYNAMIC_DISPATCH(fill_transposed_panel), &patches, 1};
}

void add_patches(const Patches& patches, size_t channels, const float* columns, float* image) {
  const size_t channel_columns = patches.taps() * patches.lines() * patches.axes[2].out;
  for (size_t c = 0; c < channels; ++c) {
    HWY_DYNAMIC_DISPATCH(add_patches_to_plane)
    (patches, columns + c * channel_columns, image + c * patches.plane());
  }
}

void add_row_sums(std::span<const float> rows, size_t columns, bool accumulate,
                  std::span<float> sums) {
  HWY_DYNAMIC_DISPATCH(add_row_sums_part)
  (rows.data(), sums.size(), columns, accumulate, sums.data());
}

void add_constant(float value, std::span<float> to) {
  HWY_DYNAMIC_DISPATCH(add_constant_part)(value, to.data(), to.size());
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
