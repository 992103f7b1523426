#include "kernels/patches.h"

#include <algorithm>

#include "kernels/gemm_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/patches.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/transpose-inl.h"
#include "kernels/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// A run of pixels (oh, ow .. ow + count) under one tap (kh, kw): element i is
// plane[start + i * stride] for i in [begin, end) and 0 in the rest of [0, count).
struct Run {
  ptrdiff_t start;
  size_t count;
  size_t begin;
  size_t end;
};

HWY_INLINE size_t clamp_index(ptrdiff_t i, size_t count) {
  return static_cast<size_t>(std::clamp<ptrdiff_t>(i, 0, static_cast<ptrdiff_t>(count)));
}

HWY_INLINE Run make_run(const Patches& p, size_t oh, size_t ow, size_t count, size_t kh,
                        size_t kw) {
  const auto row = static_cast<ptrdiff_t>(oh * p.stride + kh * p.dilation) - p.pad;
  const auto column = static_cast<ptrdiff_t>(ow * p.stride + kw * p.dilation) - p.pad;
  if (row < 0 || row >= static_cast<ptrdiff_t>(p.height)) return {0, count, count, count};
  const auto width = static_cast<ptrdiff_t>(p.width);
  const auto stride = static_cast<ptrdiff_t>(p.stride);
  const size_t begin = column >= 0 ? 0 : clamp_index((stride - 1 - column) / stride, count);
  const size_t end =
      column >= width ? 0 : clamp_index((width - column + stride - 1) / stride, count);
  return {row * width + column, count, std::min(begin, end), end};
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
  const size_t taps = p.kernel * p.kernel;
  const size_t plane = p.height * p.width;
  const float* planes = p.image + block.k0 / taps * plane;
  size_t count = 0;
  for (size_t j = 0; j < block.columns; j += count) {
    const size_t oh = (block.j0 + j) / p.out_width;
    const size_t ow = (block.j0 + j) % p.out_width;
    count = std::min(p.out_width - ow, block.columns - j);
    for (size_t tap = 0; tap < taps; ++tap) {
      const Run run = make_run(p, oh, ow, count, tap / p.kernel, tap % p.kernel);
      copy_run_of_planes({planes, plane, block.depth / taps, run, panel + tap * block.width + j,
                          taps * block.width},
                         p.stride);
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
  const size_t taps = p.kernel * p.kernel;
  const float* plane = p.image + row / taps * p.height * p.width;
  const size_t kh = row % taps / p.kernel;
  const size_t kw = row % p.kernel;
  size_t oh = pixel / p.out_width;
  size_t ow = pixel % p.out_width;
  size_t length = 0;
  for (size_t i = 0; i < count; i += length, ow = 0, ++oh) {
    length = std::min(p.out_width - ow, count - i);
    copy_run(plane, make_run(p, oh, ow, length, kh, kw), p.stride, dst + i);
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

void add_patches_to_plane(const Patches& p, size_t out_height, const float* columns, float* plane) {
  for (size_t tap = 0; tap < p.kernel * p.kernel; ++tap) {
    for (size_t oh = 0; oh < out_height; ++oh, columns += p.out_width) {
      const Run run = make_run(p, oh, 0, p.out_width, tap / p.kernel, tap % p.kernel);
      float* to = plane + (run.start + static_cast<ptrdiff_t>(run.begin * p.stride));
      const size_t inside = run.end - run.begin;
      if (p.stride == 1) {
        add_floats(columns + run.begin, to, inside);
      } else {
        for (size_t i = 0; i < inside; ++i) to[i * p.stride] += columns[run.begin + i];
      }
    }
  }
}

void add_row_sums_part(const float* rows, size_t count, size_t columns, bool accumulate,
                       float* sums) {
  for (size_t r = 0; r < count; ++r) {
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

}  // namespace

PanelSource patch_source(const Patches& patches) {
  return {&HWY_DYNAMIC_DISPATCH(fill_panel), &patches, patches.kernel * patches.kernel};
}

PanelSource transposed_patch_source(const Patches& patches) {
  return {&HWY_DYNAMIC_DISPATCH(fill_transposed_panel), &patches, 1};
}

void add_patches(const Patches& patches, size_t channels, size_t out_height, const float* columns,
                 float* image) {
  const size_t channel_columns = patches.kernel * patches.kernel * out_height * patches.out_width;
  for (size_t c = 0; c < channels; ++c) {
    HWY_DYNAMIC_DISPATCH(add_patches_to_plane)
    (patches, out_height, columns + c * channel_columns,
     image + c * patches.height * patches.width);
  }
}

void add_row_sums(std::span<const float> rows, size_t columns, bool accumulate,
                  std::span<float> sums) {
  HWY_DYNAMIC_DISPATCH(add_row_sums_part)
  (rows.data(), sums.size(), columns, accumulate, sums.data());
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
