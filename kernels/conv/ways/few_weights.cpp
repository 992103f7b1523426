// The gradient of the weights where neither the channels nor patches fill vectors, as with few
// input channels, but neighbouring pixels do: dw and dbias by sums over vectors of pixels, each of
// which reads the padded input of a few taps and dy of a few output channels.
// Its rows are declared in rows.h.
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kernels/conv/ways/lines_tiles.h"
#include "kernels/conv/ways/rows.h"
#include "kernels/gemm/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/few_weights.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/math/sums-inl.h"
#include "kernels/runtime/vec-inl.h"

#ifndef NSOP_KERNELS_CONV_FEW_WEIGHTS_TYPES_
#define NSOP_KERNELS_CONV_FEW_WEIGHTS_TYPES_
namespace nsop::kernels {

// A band of one image and group.
struct FewBand {
  const LineLayer& layer;
  const Band& band;
  const LinePlane& plane;
  const float* x;           // the copied input
  const uint32_t* offsets;  // of each channel and tap in it
  const float* dy;          // [rows] planes of the output
  size_t rows;
  float* dw;     // [rows][channels][taps]
  float* dbias;  // [rows], or null
  bool accumulate;
};

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Rows and taps of the sums in registers, which with one more per row, the bias', and the vectors
// they are made of must fit in 32 or 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size_t kFewRows4 = 4;
#else
constexpr size_t kFewRows4 = 2;
#endif
constexpr size_t kFewTaps = 5;

HWY_INLINE void put_sum(float sum, bool accumulate, float* to) {
  *to = accumulate ? *to + sum : sum;
}

// sums[i] = the sum of the lanes of v[i].
template <size_t kCount>
HWY_INLINE void sum_lanes(const FloatVec (&v)[kCount], float* sums) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  HWY_UNROLL(5)
  for (; i + 4 <= kCount; i += 4) {
    const FloatVec four[4] = {v[i], v[i + 1], v[i + 2], v[i + 3]};
    hn::StoreU(sums_of_4(four), hn::FixedTag<float, 4>(), sums + i);
  }
#endif
  HWY_UNROLL(4)
  for (; i < kCount; ++i) sums[i] = hn::GetLane(hn::SumOfLanes(FloatTag(), v[i]));
}

// Rows [row, row + kRows) of dw for taps [tap, tap + kTaps), channels times taps counted through:
// kRows * kTaps multiply-adds for kRows + kTaps loads. kMasked: lines end within a vector.
template <size_t kRows, size_t kTaps, bool kBias, bool kMasked>
void add_few(const FewBand& b, size_t row, size_t tap, Range slices, Range rows) {
  const FloatTag d;
  const auto& [depth, height, width] = b.layer.axes;
  const size_t pixels = b.layer.out_pixels();
  const size_t row_step = height.stride * b.plane.line;
  const size_t slice_step = depth.stride * b.plane.rows * b.plane.line;
  const size_t columns = width.out;
  FloatVec sum[kRows * kTaps];
  FloatVec bias[kRows];
  HWY_UNROLL(4)
  for (size_t r = 0; r < kRows; ++r) {
    bias[r] = hn::Zero(d);
    HWY_UNROLL(5)
    for (size_t t = 0; t < kTaps; ++t) sum[r * kTaps + t] = hn::Zero(d);
  }
  const float* x[kTaps];
  for (size_t t = 0; t < kTaps; ++t) x[t] = b.x + b.offsets[tap + t];
  for (size_t slice = slices.begin; slice < slices.end; ++slice) {
    const float* from = b.dy + row * pixels + (slice * height.out + rows.begin) * columns;
    size_t in =
        (slice - b.band.slices.begin) * slice_step + (rows.begin - b.band.rows.begin) * row_step;
    for (size_t line = rows.begin; line < rows.end; ++line, from += columns, in += row_step) {
      for (size_t at = 0; at < columns; at += kLanes) {
        FloatVec dy[kRows];
        HWY_UNROLL(4)
        for (size_t r = 0; r < kRows; ++r) {
          const float* p = from + r * pixels + at;
          dy[r] = kMasked ? load_n(d, p, HWY_MIN(kLanes, columns - at)) : hn::LoadU(d, p);
          if constexpr (kBias) bias[r] = hn::Add(bias[r], dy[r]);
        }
        HWY_UNROLL(5)
        for (size_t t = 0; t < kTaps; ++t) {
          const FloatVec v = hn::LoadU(d, x[t] + in + at);
          HWY_UNROLL(4)
          for (size_t r = 0; r < kRows; ++r) {
            sum[r * kTaps + t] = hn::MulAdd(dy[r], v, sum[r * kTaps + t]);
          }
        }
      }
    }
  }
  const size_t patch = b.layer.channels * b.layer.taps();
  float sums[kRows * kTaps];
  sum_lanes(sum, sums);
  for (size_t r = 0; r < kRows; ++r) {
    float* dw = b.dw + (row + r) * patch + tap;
    for (size_t t = 0; t < kTaps; ++t) put_sum(sums[r * kTaps + t], b.accumulate, dw + t);
  }
  if constexpr (kBias) {
    sum_lanes(bias, sums);
    for (size_t r = 0; r < kRows; ++r) put_sum(sums[r], b.accumulate, b.dbias + row + r);
  }
}

using AddFew = void (*)(const FewBand& b, size_t row, size_t tap, Range slices, Range rows);
using FewTable = std::array<AddFew, kFewRows4 * kFewTaps>;

template <bool kBias, bool kMasked, size_t... kIndex>
constexpr FewTable few_table(std::index_sequence<kIndex...> /*rows and taps*/) {
  return {{add_few<kIndex / kFewTaps + 1, kIndex % kFewTaps + 1, kBias, kMasked>...}};
}

// The copied input holds zeros where a tap is outside the image, in lanes beyond a line whatever
// follows: there dy is 0, but the copy must hold numbers.
void few_band(const FewBand& b) {
  constexpr auto kAll = std::make_index_sequence<kFewRows4 * kFewTaps>();
  static constexpr std::array kPlain = {few_table<false, false>(kAll),
                                        few_table<false, true>(kAll)};
  static constexpr std::array kBias = {few_table<true, false>(kAll), few_table<true, true>(kAll)};
  const LineLayer& l = b.layer;
  const bool masked = l.axes[2].out % kLanes != 0;
  const size_t width_taps = l.axes[2].kernel;
  const EvenParts row_parts(b.rows, kFewRows4);
  const EvenParts tap_parts(l.channels * l.taps(), kFewTaps);
  size_t row = 0;
  for (uint32_t i = 0; i < row_parts.count; row += row_parts[i], ++i) {
    size_t tap = 0;
    for (uint32_t j = 0; j < tap_parts.count; tap += tap_parts[j], ++j) {
      Range slices = b.band.slices;
      Range rows = b.band.rows;
      const bool bias = b.dbias != nullptr && tap == 0;
      const size_t first = tap % l.taps() / width_taps;
      const size_t last = (tap + tap_parts[j] - 1) % l.taps() / width_taps;
      const size_t kernel_rows = l.axes[1].kernel;
      const bool one_channel = tap % l.taps() + tap_parts[j] <= l.taps();
      if (!bias && one_channel && first / kernel_rows == last / kernel_rows) {
        slices = outputs_inside(l.axes[0], first / kernel_rows, slices);
        rows = {outputs_inside(l.axes[1], last % kernel_rows, rows).begin,
                outputs_inside(l.axes[1], first % kernel_rows, rows).end};
      }
      const size_t index = (row_parts[i] - 1) * kFewTaps + tap_parts[j] - 1;
      (bias ? kBias : kPlain)[masked][index](b, row, tap, slices, rows);
    }
  }
}

void few_tile_size(size_t* rows, size_t* taps) {
  *rows = kFewRows4;
  *taps = kFewTaps;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

HWY_EXPORT(few_band);
HWY_EXPORT(few_tile_size);

struct FewBuffers {
  size_t x, offsets;  // floats

  explicit FewBuffers(const LineLayer& l) {
    const Bands bands = l.bands();
    x = aligned_floats(l.channels * LinePlane(l, bands.slices, bands.rows).floats + 16);
    offsets = aligned_floats(l.channels * l.taps());
  }
};

// Rows `outs` of one group.
void few_part(const LineLayer& l, size_t group, Range outs, In x, In dy, Out dw, Out dbias,
              float* workspace) {
  auto* offsets = reinterpret_cast<uint32_t*>(workspace + FewBuffers(l).x);
  const size_t first_out = group * l.outs + outs.begin;
  const Bands bands = l.bands();
  const size_t count = bands.count(l.axes, 1);
  for (size_t i = 0; i < l.batch * count; ++i) {
    const size_t image = i / count;
    const Band band = bands.band(l.axes, 1, i % count);
    const LinePlane plane(l, band.slices.size(), band.rows.size());
    make_line_offsets(l, plane, offsets);
    copy_lines(l, band, plane, x.data() + (image * l.groups + group) * l.channels * l.in_pixels(),
               workspace);
    const size_t patch = l.channels * l.taps();
    HWY_DYNAMIC_DISPATCH(few_band)
    ({.layer = l,
      .band = band,
      .plane = plane,
      .x = workspace,
      .offsets = offsets,
      .dy = dy.data() + (image * l.groups * l.outs + first_out) * l.out_pixels(),
      .rows = outs.size(),
      .dw = dw.data() + first_out * patch,
      .dbias = dbias.empty() ? nullptr : dbias.data() + first_out,
      .accumulate = i > 0});
  }
}

size_t own_floats(const LineLayer& l) {
  const FewBuffers buffers(l);
  return buffers.x + buffers.offsets;
}

// There are taps to share the padded input, the output isn't averaged, and its lines fill their
// vectors by three quarters or there is one channel per group.
bool few_weights_pay(const ConvShape& s) {
  const bool plane = s.group_in() == 1 && s.groups > 1;
  return s.taps() > 1 && !s.mean && (plane || fills_vectors(s.width().out(), line_target().lanes));
}

size_t few_weights_floats(const ConvShape& s, int threads) {
  return static_cast<size_t>(threads) * own_floats(forward_lines(s));
}

void few_weights(const ConvShape& s, const ConvTensors& t, Out workspace, ThreadPool& thread_pool) {
  const LineLayer l = forward_lines(s);
  const auto threads = static_cast<size_t>(thread_pool.threads());
  const size_t own = own_floats(l);
  assert(workspace.size() >= own * threads);
  const size_t splits = std::min(l.outs, (threads + l.groups - 1) / l.groups);
  thread_pool.parallel(static_cast<int>(l.groups * splits), [&](int part, int thread) {
    const auto i = static_cast<size_t>(part);
    few_part(l, i / splits, split_range(l.outs, 1, splits, i % splits), t.x, t.dy, t.dw, t.dbias,
             workspace.data() + static_cast<size_t>(thread) * own);
  });
}

std::string few_weights_algorithm(const ConvShape& /*shape*/) {
  size_t rows = 0;
  size_t taps = 0;
  HWY_DYNAMIC_DISPATCH(few_tile_size)(&rows, &taps);
  return "vectors of pixels " + std::to_string(rows) + "x" + std::to_string(taps);
}

}  // namespace

constinit const ConvWay kFewWeights = {.name = "pixels",
                                       .pass = ConvPass::kWeights,
                                       .pays = few_weights_pay,
                                       .floats = few_weights_floats,
                                       .run = few_weights,
                                       .describe = few_weights_algorithm,
                                       .with_bias = true};

}  // namespace nsop::kernels
#endif  // HWY_ONCE
