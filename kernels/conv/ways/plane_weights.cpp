// The gradient of the weights by single planes, as those with one channel per group are: the sums
// of all taps of a plane stay in registers. Its rows are declared in rows.h.
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kernels/conv/shape/patches.h"
#include "kernels/conv/ways/planes.h"
#include "kernels/conv/ways/planes_work.h"
#include "kernels/conv/ways/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/plane_weights.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/conv/ways/planes-inl.h"

#ifndef NSOP_KERNELS_CONV_PLANE_WEIGHTS_TYPES_
#define NSOP_KERNELS_CONV_PLANE_WEIGHTS_TYPES_
namespace nsop::kernels {

// Products of dy with x, summed over images.
struct PlaneProducts {
  const float* x;
  const float* dy;
  float* sums;    // [taps] and one for the bias, kRowSumLanes each
  float* totals;  // [taps] and one for the bias
  float* dw;      // [groups][outs][taps]
  float* dbias;   // [groups][outs]; null: not computed
};

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

HWY_INLINE void add_lanes(FloatVec v, float* sum) {
  const FloatTag d;
  hn::StoreU(hn::Add(hn::LoadU(d, sum), v), d, sum);
}

template <size_t kRows, size_t kColumns>
struct TapSums {
  FloatVec bias;
  FloatVec sum[kRows][kColumns];
};

template <bool kInside, size_t kStep, size_t kTogether, size_t kRows, size_t kColumns,
          class Columns>
HWY_INLINE void multiply_rows(const FloatVec (&dy)[kTogether], const Columns& from,
                              TapSums<kRows, kColumns>& taps) {
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
        if (n * kStep <= r && i < kRows) taps.sum[i][j] = hn::MulAdd(dy[n], x[j], taps.sum[i][j]);
      }
    }
  }
}

template <size_t kStep, size_t kTogether, size_t kRows, size_t kColumns, class Columns>
HWY_INLINE void multiply_lines(size_t line, size_t width, Columns& from, const float* dy,
                               TapSums<kRows, kColumns>& taps) {
  const FloatTag d;
  for (size_t at = 0; at < width; at += kLanes) {
    from.go_to(line, at);
    const float* columns = dy + line * width + at;
    const size_t left = width - at;
    FloatVec v[kTogether];
    if (left >= kLanes) {
      HWY_UNROLL(4)
      for (size_t n = 0; n < kTogether; ++n) v[n] = hn::LoadU(d, columns + n * width);
    } else {
      HWY_UNROLL(4)
      for (size_t n = 0; n < kTogether; ++n) v[n] = load_n(d, columns + n * width, left);
    }
    HWY_UNROLL(4)
    for (size_t n = 0; n < kTogether; ++n) taps.bias = hn::Add(taps.bias, v[n]);
    if (from.are_inside(rows_of(kStep, kTogether, kRows))) {
      multiply_rows<true, kStep>(v, from, taps);
    } else {
      multiply_rows<false, kStep>(v, from, taps);
    }
  }
}

// Taps [row, row + kRows) x [column, column + kColumns), and with the first of them the bias.
template <size_t kRows, size_t kColumns, class Columns>
HWY_INLINE void multiply_columns(const LineLayer& l, Columns from, size_t row, size_t column,
                                 const float* dy, float* sums) {
  const FloatTag d;
  TapSums<kRows, kColumns> taps;
  taps.bias = hn::Zero(d);
  HWY_UNROLL(3)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) taps.sum[i][j] = hn::Zero(d);
  }
  const size_t width = l.axes[2].out;
  for_each_lines(l, [&]<size_t kStep, size_t kTogether>(size_t line) HWY_ATTR {
    multiply_lines<kStep, kTogether>(line, width, from, dy, taps);
  });
  HWY_UNROLL(3)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) {
      const size_t tap = (row + i) * l.axes[2].kernel + column + j;
      add_lanes(taps.sum[i][j], sums + tap * kRowSumLanes);
    }
  }
  if (row + column == 0) add_lanes(taps.bias, sums + l.taps() * kRowSumLanes);
}

template <size_t kRows, size_t kColumns>
void multiply_plane_of(const PlaneWork& work, const float* x, const float* dy, size_t row,
                       size_t column, float* sums) {
#if NSOP_PLANES_IN_PLACE
  if (are_read_in_place(work.layer)) {
    if (work.layer.axes[2].stride == 1) {
      const MaskedColumns<kColumns, 1> from(work, x);
      return multiply_columns<kRows, kColumns>(work.layer, from, 0, 0, dy, sums);
    }
    const MaskedColumns<kColumns, 2> from(work, x);
    return multiply_columns<kRows, kColumns>(work.layer, from, 0, 0, dy, sums);
  }
#endif
  const CopiedColumns<kColumns> from(work, x, row, column);
  multiply_columns<kRows, kColumns>(work.layer, from, row, column, dy, sums);
}

using MultiplyPlane = void (*)(const PlaneWork& work, const float* x, const float* dy, size_t row,
                               size_t column, float* sums);

template <size_t... kIndex>
constexpr std::array<MultiplyPlane, kTapRows * kTapColumns> plane_products(
    std::index_sequence<kIndex...> /*taps*/) {
  return {{multiply_plane_of<kIndex / kTapColumns + 1, kIndex % kTapColumns + 1>...}};
}

void multiply_plane(const PlaneWork& work, const float* x, const float* dy, float* sums) {
  static constexpr auto kProducts =
      plane_products(std::make_index_sequence<kTapRows * kTapColumns>());
  const size_t all_rows = work.layer.axes[1].kernel;
  const size_t all_columns = work.layer.axes[2].kernel;
  for (size_t i = 0; i < all_rows; i += kTapRows) {
    const size_t rows = HWY_MIN(kTapRows, all_rows - i);
    for (size_t j = 0; j < all_columns; j += kTapColumns) {
      const size_t columns = HWY_MIN(kTapColumns, all_columns - j);
      kProducts[(rows - 1) * kTapColumns + columns - 1](work, x, dy, i, j, sums);
    }
  }
}

// Every image of a channel before the next channel: a sum is one thread's.
void multiply_planes(const PlaneWork& work, const PlaneProducts& p, Range channels) {
  const LineLayer& l = work.layer;
  const std::span<float> sums(p.sums, (l.taps() + 1) * kRowSumLanes);
  const std::span<float> totals(p.totals, l.taps() + 1);
  prepare_planes(work);
  const auto channel_of = [&](size_t i) { return channels.begin + i / l.batch; };
  const auto plane_of_x = [&](size_t i) {
    return p.x + (i % l.batch * l.groups + channel_of(i) / l.outs) * l.in_pixels();
  };
  const size_t count = channels.size() * l.batch;
  for_each_plane(work, count, plane_of_x, [&](const float* x, size_t i) HWY_ATTR {
    const size_t image = i % l.batch;
    const size_t channel = channel_of(i);
    if (image == 0) std::fill(sums.begin(), sums.end(), 0.0f);
    const size_t plane = image * l.groups * l.outs + channel;
    multiply_plane(work, x, p.dy + plane * l.out_pixels(), p.sums);
    if (image + 1 < l.batch) return;
    add_row_sums(sums, kRowSumLanes, false, totals);
    std::copy_n(p.totals, l.taps(), p.dw + channel * l.taps());
    if (p.dbias != nullptr) p.dbias[channel] = p.totals[l.taps()];
  });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using Out = std::span<float>;

HWY_EXPORT(multiply_planes);

bool plane_weights_pay(const ConvShape& s) { return s.taps() > 1 && planes_pay(forward_lines(s)); }

size_t plane_weights_floats(const ConvShape& s, int threads) {
  const LineLayer l = forward_lines(s);
  return static_cast<size_t>(threads) *
         (PlaneBuffers(l).floats() + (l.taps() + 1) * (kRowSumLanes + 1) + kRowSumLanes);
}

// Every element is summed by one thread in the same order, however many there are.
void plane_weights(const ConvShape& s, const ConvTensors& t, Out workspace,
                   ThreadPool& thread_pool) {
  assert(workspace.size() >= plane_weights_floats(s, thread_pool.threads()));
  const LineLayer l = forward_lines(s);
  const PlaneBuffers buffers(l);
  const auto threads = static_cast<size_t>(thread_pool.threads());
  const size_t own = workspace.size() / threads / 16 * 16;
  thread_pool.parallel(thread_pool.threads(), [&](int part, int) {
    const auto thread = static_cast<size_t>(part);
    float* floats = workspace.data() + thread * own;
    float* sums = floats + buffers.floats();
    const PlaneProducts products{t.x.data(),  t.dy.data(),
                                 sums,        sums + (l.taps() + 1) * kRowSumLanes,
                                 t.dw.data(), t.dbias.empty() ? nullptr : t.dbias.data()};
    HWY_DYNAMIC_DISPATCH(multiply_planes)
    ({l, buffers, floats}, products, split_range(l.groups * l.outs, 1, threads, thread));
  });
}

std::string plane_weights_algorithm(const ConvShape& s) {
  return planes_algorithm(forward_lines(s));
}

}  // namespace

constinit const ConvWay kPlaneWeights = {.name = "planes",
                                         .pass = ConvPass::kWeights,
                                         .pays = plane_weights_pay,
                                         .floats = plane_weights_floats,
                                         .run = plane_weights,
                                         .describe = plane_weights_algorithm,
                                         .with_bias = true};

}  // namespace nsop::kernels
#endif  // HWY_ONCE
