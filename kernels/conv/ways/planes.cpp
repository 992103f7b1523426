#include "kernels/conv/ways/planes.h"

#include <array>
#include <cassert>
#include <utility>

#include "kernels/conv/ways/planes_work.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/planes.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/conv/ways/planes-inl.h"

#ifndef NSOP_KERNELS_CONV_PLANES_TYPES_
#define NSOP_KERNELS_CONV_PLANES_TYPES_
namespace nsop::kernels {

// Planes of x [batch, groups] become planes of y [batch, groups, outs].
struct PlaneSums {
  const float* x;
  const float* w;     // [groups][outs][taps]
  const float* bias;  // [groups][outs]; null: zeros
  float* y;
};

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

template <size_t kRows, size_t kColumns>
struct TapWeights {
  FloatVec bias;
  FloatVec w[kRows][kColumns];
};

// 2 * kRows * kColumns flops per output.
template <bool kInside, size_t kStep, size_t kTogether, size_t kRows, size_t kColumns,
          class Columns>
HWY_INLINE void sum_rows(const TapWeights<kRows, kColumns>& taps, const Columns& from,
                         FloatVec (&sum)[kTogether]) {
  HWY_UNROLL(4)
  for (size_t n = 0; n < kTogether; ++n) sum[n] = taps.bias;
  constexpr size_t kReadRows = rows_of(kStep, kTogether, kRows);
  const float* row = from.row();
  HWY_UNROLL(9)
  for (size_t r = 0; r < kReadRows; ++r, row += from.row_step()) {
    FloatVec x[kColumns];
    from.template load<kInside>(row, r, x);
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) {
      HWY_UNROLL(4)
      for (size_t n = 0; n < kTogether; ++n) {
        const size_t i = r - n * kStep;
        if (n * kStep <= r && i < kRows) sum[n] = hn::MulAdd(taps.w[i][j], x[j], sum[n]);
      }
    }
  }
}

template <size_t kStep, size_t kTogether, size_t kRows, size_t kColumns, class Columns>
HWY_INLINE void sum_lines(const TapWeights<kRows, kColumns>& taps, size_t line, size_t width,
                          Columns& from, float* to) {
  const FloatTag d;
  for (size_t at = 0; at < width; at += kLanes) {
    from.go_to(line, at);
    FloatVec sum[kTogether];
    if (from.are_inside(rows_of(kStep, kTogether, kRows))) {
      sum_rows<true, kStep>(taps, from, sum);
    } else {
      sum_rows<false, kStep>(taps, from, sum);
    }
    float* columns = to + line * width + at;
    const size_t left = width - at;
    if (left >= kLanes) {
      HWY_UNROLL(4)
      for (size_t n = 0; n < kTogether; ++n) hn::StoreU(sum[n], d, columns + n * width);
    } else {
      HWY_UNROLL(4)
      for (size_t n = 0; n < kTogether; ++n) store_n(sum[n], d, columns + n * width, left);
    }
  }
}

template <size_t kRows, size_t kColumns, class Columns>
HWY_INLINE void sum_columns(const LineLayer& l, const float* w, float bias, Columns from,
                            float* to) {
  const FloatTag d;
  TapWeights<kRows, kColumns> taps;
  taps.bias = hn::Set(d, bias);
  HWY_UNROLL(3)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) taps.w[i][j] = hn::Set(d, w[i * kColumns + j]);
  }
  const size_t width = l.axes[2].out;
  for_each_lines(l, [&]<size_t kStep, size_t kTogether>(size_t line)
                        HWY_ATTR { sum_lines<kStep, kTogether>(taps, line, width, from, to); });
}

// One plane of y from one of x: the copy of it, or itself where planes are read in place.
template <size_t kRows, size_t kColumns>
void sum_plane_of(const PlaneWork& work, const float* x, const float* w, float bias, float* to) {
#if NSOP_PLANES_IN_PLACE
  if (are_read_in_place(work.layer)) {
    if (work.layer.axes[2].stride == 1) {
      const MaskedColumns<kColumns, 1> from(work, x);
      return sum_columns<kRows, kColumns>(work.layer, w, bias, from, to);
    }
    const MaskedColumns<kColumns, 2> from(work, x);
    return sum_columns<kRows, kColumns>(work.layer, w, bias, from, to);
  }
#endif
  const CopiedColumns<kColumns> from(work, x, 0, 0);
  sum_columns<kRows, kColumns>(work.layer, w, bias, from, to);
}

void sum_plane_of_many(const PlaneWork& work, const float* copy, const float* w, float bias,
                       float* to) {
  const FloatTag d;
  const PatchAxis& height = work.layer.axes[1];
  const PatchAxis& width = work.layer.axes[2];
  for (size_t n = 0; n < height.out; ++n, to += width.out) {
    const float* line = copy + n * height.stride * work.buffers.form.line;
    for (size_t at = 0; at < width.out; at += kLanes) {
      const float* row = line + at;
      const float* tap = w;
      FloatVec sum = hn::Set(d, bias);
      for (size_t i = 0; i < height.kernel; ++i, tap += width.kernel) {
        for (size_t j = 0; j < width.kernel; ++j) {
          const FloatVec x = hn::LoadU(d, row + work.offsets()[j]);
          sum = hn::MulAdd(hn::Set(d, tap[j]), x, sum);
        }
        row += height.dilation * work.buffers.form.line;
      }
      const size_t left = width.out - at;
      if (left >= kLanes) {
        hn::StoreU(sum, d, to + at);
      } else {
        store_n(sum, d, to + at, left);
      }
    }
  }
}

using SumPlane = void (*)(const PlaneWork& work, const float* x, const float* w, float bias,
                          float* to);

template <size_t... kIndex>
constexpr std::array<SumPlane, kTapRows * kTapColumns> plane_sums(
    std::index_sequence<kIndex...> /*taps*/) {
  return {{sum_plane_of<kIndex / kTapColumns + 1, kIndex % kTapColumns + 1>...}};
}

SumPlane plane_sum(const LineLayer& l) {
  static constexpr auto kSums = plane_sums(std::make_index_sequence<kTapRows * kTapColumns>());
  const size_t rows = l.axes[1].kernel;
  const size_t columns = l.axes[2].kernel;
  const bool few = rows <= kTapRows && columns <= kTapColumns;
  return few ? kSums[(rows - 1) * kTapColumns + columns - 1] : sum_plane_of_many;
}

void sum_planes(const PlaneWork& work, const PlaneSums& p, Range planes) {
  const LineLayer& l = work.layer;
  const SumPlane sum = plane_sum(l);
  prepare_planes(work);
  const auto plane_of_x = [&](size_t i) { return p.x + (planes.begin + i) * l.in_pixels(); };
  for_each_plane(work, planes.size(), plane_of_x, [&](const float* x, size_t i) HWY_ATTR {
    const size_t plane = planes.begin + i;
    for (size_t o = 0; o < l.outs; ++o) {
      const size_t channel = plane % l.groups * l.outs + o;
      sum(work, x, p.w + channel * l.taps(), p.bias == nullptr ? 0.0f : p.bias[channel],
          p.y + (plane * l.outs + o) * l.out_pixels());
    }
  });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

HWY_EXPORT(sum_planes);

}  // namespace

bool planes_pay(const LineLayer& l) {
  const auto& [depth, height, width] = l.axes;
  const bool flat = depth.in == 1 && depth.out == 1 && depth.kernel == 1 && depth.pad == 0;
  return flat && !l.mean && l.channels == 1 && l.outs <= 4 && l.groups > 1 && width.stride <= 2;
}

size_t planes_floats(const LineLayer& l, int threads) {
  return static_cast<size_t>(threads) * PlaneBuffers(l).floats();
}

void planes_layer(const LineLayer& l, In x, const float* w, In bias, Out y, Out workspace,
                  ThreadPool& thread_pool) {
  const PlaneBuffers buffers(l);
  const auto threads = static_cast<size_t>(thread_pool.threads());
  assert(workspace.size() >= threads * buffers.floats());
  const PlaneSums sums{x.data(), w, bias.empty() ? nullptr : bias.data(), y.data()};
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const auto thread = static_cast<size_t>(part);
    float* floats = workspace.data() + thread * buffers.floats();
    HWY_DYNAMIC_DISPATCH(sum_planes)
    ({l, buffers, floats}, sums, split_range(l.batch * l.groups, 1, threads, thread));
  });
}

std::string planes_algorithm(const LineLayer& /*layer*/) { return "planes, taps in registers"; }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
