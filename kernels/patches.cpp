#include "kernels/patches.h"

#include <algorithm>

#include "kernels/gemm_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/patches.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/sums-inl.h"
#include "kernels/transpose-inl.h"
#include "kernels/vec-inl.h"

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

HWY_INLINE Run make_run(const Patches& p, size_t line, size_t ow, size_t count, size_t tap) {
  const auto& [depth, height, width] = p.axes;
  const ptrdiff_t slice = position(depth, line / height.out, tap / (height.kernel * width.kernel));
  const ptrdiff_t row = position(height, line % height.out, tap / width.kernel % height.kernel);
  const ptrdiff_t column = position(width, ow, tap % width.kernel);
  if (!is_inside(depth, slice) || !is_inside(height, row)) return {0, count, count, count};
  const auto in = static_cast<ptrdiff_t>(width.in);
  const auto stride = static_cast<ptrdiff_t>(width.stride);
  const size_t begin = column >= 0 ? 0 : clamp_index((stride - 1 - column) / stride, count);
  const size_t end = column >= in ? 0 : clamp_index((in - column + stride - 1) / stride, count);
  const ptrdiff_t start = (slice * static_cast<ptrdiff_t>(height.in) + row) * in + column;
  return {start, count, std::min(begin, end), end};
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
// Stride 1 and a run of at most kVectors vectors: the masks are the same for all planes.
template <size_t kVectors>
void copy_masked_run(const RunOfPlanes& r) {
  const FloatTag d;
  const auto first = [d](size_t count, size_t vector) HWY_ATTR {
    const size_t done = vector * kLanes;
    return hn::FirstN(d, count <= done ? 0 : HWY_MIN(kLanes, count - done));
  };
  hn::Mask<FloatTag> inside[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    inside[v] = hn::AndNot(first(r.run.begin, v), first(r.run.end, v));
  }
  const size_t last = r.run.count - (kVectors - 1) * kLanes;
  const float* src = r.planes + r.run.start;  // masked lanes may lie outside the plane
  float* dst = r.dst;
  for (size_t c = 0; c < r.channels; ++c, src += r.plane_size, dst += r.step) {
    HWY_UNROLL(4)
    for (size_t v = 0; v + 1 < kVectors; ++v) {
      hn::StoreU(hn::MaskedLoad(inside[v], d, src + v * kLanes), d, dst + v * kLanes);
    }
    constexpr size_t kTail = (kVectors - 1) * kLanes;
    const FloatVec tail = hn::MaskedLoad(inside[kVectors - 1], d, src + kTail);
    if (last == kLanes) {
      hn::StoreU(tail, d, dst + kTail);
    } else {
      store_n(tail, d, dst + kTail, last);
    }
  }
}
#endif

void copy_run_of_planes(const RunOfPlanes& r, size_t stride) {
#if NSOP_HAVE_MASKED_ACCESS
  // Making the masks pays from a few planes on.
  const bool short_run = r.run.begin < r.run.end && r.run.count <= 3 * kLanes;
  if (stride == 1 && short_run && r.channels >= 4) {
    if (r.run.count <= kLanes) return copy_masked_run<1>(r);
    if (r.run.count <= 2 * kLanes) return copy_masked_run<2>(r);
    return copy_masked_run<3>(r);
  }
#endif
  for (size_t c = 0; c < r.channels; ++c) {
    copy_run(r.planes + c * r.plane_size, r.run, stride, r.dst + c * r.step);
  }
}

void fill_panel(const void* context, const PanelBlock& block, float* panel) {
  const Patches& p = *static_cast<const Patches*>(context);
  const size_t taps = p.taps();
  const size_t width = p.axes[2].out;
  const float* planes = p.image + block.k0 / taps * p.plane();
  size_t count = 0;
  for (size_t j = 0; j < block.columns; j += count) {
    const size_t line = (block.j0 + j) / width;
    const size_t ow = (block.j0 + j) % width;
    count = std::min(width - ow, block.columns - j);
    for (size_t tap = 0; tap < taps; ++tap) {
      const Run run = make_run(p, line, ow, count, tap);
      copy_run_of_planes({planes, p.plane(), block.depth / taps, run, panel + tap * block.width + j,
                          taps * block.width},
                         p.axes[2].stride);
    }
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
// sums[0, 4) = those of 4 rows of kRowSumLanes floats.
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
