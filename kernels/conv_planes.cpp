#include "kernels/conv_planes.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kernels/patches.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv_planes.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/vec-inl.h"

#ifndef NSOP_KERNELS_CONV_PLANES_TYPES_
#define NSOP_KERNELS_CONV_PLANES_TYPES_
namespace nsop::kernels {

// The copy of a plane with its padding, whose zeros stay from one plane to the next.
struct PlaneCopy {
  const LineLayer& layer;
  const LinePlane& form;
  float* floats;  // with a vector of any target to write and read behind them
};

// How an output plane meets the copy: taps [rows][columns].
struct PlaneTaps {
  const float* from;  // the copy
  size_t line_step;   // floats from one output line to the next
  size_t row_step;    // from one row of taps to the next
  size_t rows;
  size_t columns;
  const uint32_t* column_offsets;
  size_t lines;
  size_t width;
};

// The sums of one output plane.
struct PlaneSums : PlaneTaps {
  const float* w;
  float bias;
  float* to;
};

// The products of one plane of dy with the copied input, added to lanes of sums.
struct PlaneProducts : PlaneTaps {
  const float* dy;
  float* sums;  // [rows][columns] and one for the bias, kRowSumLanes each
};

}  // namespace nsop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

constexpr size_t kTapRows = 3;
constexpr size_t kTapColumns = 3;

// Columns first, first + kStride, ... of a line, `count` of them, and then zeros to a whole vector.
template <size_t kStride>
HWY_INLINE void copy_columns(const float* src, size_t count, float* to) {
  const FloatTag d;
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t left = kStride * (count - i - 1) + 1;
    const float* from = src + kStride * i;
    const FloatVec low = left < kLanes ? load_n(d, from, left) : hn::LoadU(d, from);
    if constexpr (kStride == 1) {
      hn::StoreU(low, d, to + i);
    } else {
#if HWY_TARGET == HWY_SCALAR
      hn::StoreU(low, d, to + i);
#else
      FloatVec high = hn::Zero(d);
      if (left >= 2 * kLanes) {
        high = hn::LoadU(d, from + kLanes);
      } else if (left > kLanes) {
        high = load_n(d, from + kLanes, left - kLanes);
      }
      hn::StoreU(hn::ConcatEven(d, high, low), d, to + i);
#endif
    }
  }
}

// Lines in ascending order: the zeros behind one are overwritten by the next.
template <size_t kStride>
void copy_lines_of_plane(const PlaneCopy& copy, const float* x) {
  const auto& [depth, height, width] = copy.layer.axes;
  struct Columns {
    size_t to, from, count;
  };
  std::array<Columns, kStride> phases;
  const auto stride = static_cast<ptrdiff_t>(kStride);
  for (size_t i = 0; i < kStride; ++i) {
    // Position p of phase i is input column p * stride + i - pad.
    const ptrdiff_t outside = width.pad - static_cast<ptrdiff_t>(i);
    const size_t first = outside > 0 ? static_cast<size_t>((outside + stride - 1) / stride) : 0;
    const auto from = static_cast<size_t>(static_cast<ptrdiff_t>(first) * stride - outside);
    const size_t inside = width.in > from ? (width.in - from - 1) / kStride + 1 : 0;
    const size_t phase = copy.layer.phase();
    phases[i] = {i * phase + first, from, HWY_MIN(inside, phase - HWY_MIN(first, phase))};
  }
  for (size_t j = 0; j < copy.form.rows; ++j) {
    const ptrdiff_t row = static_cast<ptrdiff_t>(j) - height.pad;
    if (row < 0 || row >= static_cast<ptrdiff_t>(height.in)) continue;
    const float* from = x + static_cast<size_t>(row) * width.in;
    float* to = copy.floats + j * copy.form.line;
    for (const Columns& columns : phases) {
      copy_columns<kStride>(from + columns.from, columns.count, to + columns.to);
    }
  }
}

void copy_plane(const PlaneCopy& copy, const float* x) {
  if (copy.layer.axes[2].stride == 1) return copy_lines_of_plane<1>(copy, x);
  copy_lines_of_plane<2>(copy, x);
}

HWY_INLINE void store_columns(FloatVec sum, size_t left, float* to) {
  if (left >= kLanes) {
    hn::StoreU(sum, FloatTag(), to);
  } else {
    store_n(sum, FloatTag(), to, left);
  }
}

// 2 * kRows * kColumns flops per output.
template <size_t kRows, size_t kColumns>
void sum_plane_of(const PlaneSums& p) {
  const FloatTag d;
  FloatVec w[kRows][kColumns];
  size_t offsets[kColumns];
  HWY_UNROLL(3)
  for (size_t j = 0; j < kColumns; ++j) {
    offsets[j] = p.column_offsets[j];
    HWY_UNROLL(3)
    for (size_t i = 0; i < kRows; ++i) w[i][j] = hn::Set(d, p.w[i * kColumns + j]);
  }
  const FloatVec bias = hn::Set(d, p.bias);
  const float* line = p.from;
  float* to = p.to;
  for (size_t n = 0; n < p.lines; ++n, line += p.line_step, to += p.width) {
    for (size_t at = 0; at < p.width; at += kLanes) {
      const float* row = line + at;
      FloatVec sum = bias;
      HWY_UNROLL(3)
      for (size_t i = 0; i < kRows; ++i, row += p.row_step) {
        HWY_UNROLL(3)
        for (size_t j = 0; j < kColumns; ++j) {
          sum = hn::MulAdd(w[i][j], hn::LoadU(d, row + offsets[j]), sum);
        }
      }
      store_columns(sum, p.width - at, to + at);
    }
  }
}

void sum_plane_of_many(const PlaneSums& p) {
  const FloatTag d;
  const float* line = p.from;
  float* to = p.to;
  for (size_t n = 0; n < p.lines; ++n, line += p.line_step, to += p.width) {
    for (size_t at = 0; at < p.width; at += kLanes) {
      const float* row = line + at;
      const float* w = p.w;
      FloatVec sum = hn::Set(d, p.bias);
      for (size_t i = 0; i < p.rows; ++i, row += p.row_step, w += p.columns) {
        for (size_t j = 0; j < p.columns; ++j) {
          const FloatVec from = hn::LoadU(d, row + p.column_offsets[j]);
          sum = hn::MulAdd(hn::Set(d, w[j]), from, sum);
        }
      }
      store_columns(sum, p.width - at, to + at);
    }
  }
}

using SumPlane = void (*)(const PlaneSums& p);

template <size_t... kIndex>
constexpr std::array<SumPlane, kTapRows * kTapColumns> plane_sums(
    std::index_sequence<kIndex...> /*taps*/) {
  return {{sum_plane_of<kIndex / kTapColumns + 1, kIndex % kTapColumns + 1>...}};
}

void sum_plane(const PlaneSums& p) {
  static constexpr auto kSums = plane_sums(std::make_index_sequence<kTapRows * kTapColumns>());
  const bool few = p.rows <= kTapRows && p.columns <= kTapColumns;
  if (few) return kSums[(p.rows - 1) * kTapColumns + p.columns - 1](p);
  sum_plane_of_many(p);
}

HWY_INLINE void add_lanes(FloatVec v, float* sum) {
  const FloatTag d;
  hn::StoreU(hn::Add(hn::LoadU(d, sum), v), d, sum);
}

// Taps [row, row + kRows) x [column, column + kColumns), and with the first of them the bias.
template <size_t kRows, size_t kColumns>
void multiply_plane_of(const PlaneProducts& p, size_t first_row, size_t first_column) {
  const FloatTag d;
  FloatVec sum[kRows][kColumns];
  size_t offsets[kColumns];
  HWY_UNROLL(3)
  for (size_t j = 0; j < kColumns; ++j) {
    offsets[j] = p.column_offsets[first_column + j];
    HWY_UNROLL(3)
    for (size_t i = 0; i < kRows; ++i) sum[i][j] = hn::Zero(d);
  }
  FloatVec bias = hn::Zero(d);
  const float* line = p.from + first_row * p.row_step;
  const float* dy = p.dy;
  for (size_t n = 0; n < p.lines; ++n, line += p.line_step, dy += p.width) {
    for (size_t at = 0; at < p.width; at += kLanes) {
      const size_t left = p.width - at;
      const FloatVec v = left < kLanes ? load_n(d, dy + at, left) : hn::LoadU(d, dy + at);
      bias = hn::Add(bias, v);
      const float* row = line + at;
      HWY_UNROLL(3)
      for (size_t i = 0; i < kRows; ++i, row += p.row_step) {
        HWY_UNROLL(3)
        for (size_t j = 0; j < kColumns; ++j) {
          sum[i][j] = hn::MulAdd(v, hn::LoadU(d, row + offsets[j]), sum[i][j]);
        }
      }
    }
  }
  HWY_UNROLL(3)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(3)
    for (size_t j = 0; j < kColumns; ++j) {
      const size_t tap = (first_row + i) * p.columns + first_column + j;
      add_lanes(sum[i][j], p.sums + tap * kRowSumLanes);
    }
  }
  if (first_row + first_column == 0) {
    add_lanes(bias, p.sums + p.rows * p.columns * kRowSumLanes);
  }
}

using MultiplyPlane = void (*)(const PlaneProducts& p, size_t row, size_t column);

template <size_t... kIndex>
constexpr std::array<MultiplyPlane, kTapRows * kTapColumns> plane_products(
    std::index_sequence<kIndex...> /*taps*/) {
  return {{multiply_plane_of<kIndex / kTapColumns + 1, kIndex % kTapColumns + 1>...}};
}

void multiply_plane(const PlaneProducts& p) {
  static constexpr auto kProducts =
      plane_products(std::make_index_sequence<kTapRows * kTapColumns>());
  for (size_t i = 0; i < p.rows; i += kTapRows) {
    const size_t rows = HWY_MIN(kTapRows, p.rows - i);
    for (size_t j = 0; j < p.columns; j += kTapColumns) {
      const size_t columns = HWY_MIN(kTapColumns, p.columns - j);
      kProducts[(rows - 1) * kTapColumns + columns - 1](p, i, j);
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

HWY_EXPORT(copy_plane);
HWY_EXPORT(sum_plane);
HWY_EXPORT(multiply_plane);

struct PlaneBuffers {
  LinePlane form;
  size_t copy, offsets;  // floats

  explicit PlaneBuffers(const LineLayer& l)
      : form(l, 1, l.axes[1].out),
        copy(aligned_floats(form.floats + 16)),
        offsets(aligned_floats(l.taps())) {}
  size_t floats() const { return copy + offsets; }
};

// Of the copy at the start of a thread's buffers, whose padding is set to zeros.
PlaneTaps prepare_taps(const LineLayer& l, const PlaneBuffers& buffers, float* copy) {
  const auto& [depth, height, width] = l.axes;
  auto* offsets = reinterpret_cast<uint32_t*>(copy + buffers.copy);
  make_line_offsets(l, buffers.form, offsets);
  std::fill_n(copy, buffers.copy, 0.0f);
  const size_t line = buffers.form.line;
  return {.from = copy,
          .line_step = height.stride * line,
          .row_step = height.dilation * line,
          .rows = height.kernel,
          .columns = width.kernel,
          .column_offsets = offsets,
          .lines = height.out,
          .width = width.out};
}

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
                  Pool& pool) {
  const PlaneBuffers buffers(l);
  const auto threads = static_cast<size_t>(pool.threads());
  assert(workspace.size() >= threads * buffers.floats());
  pool.parallel(pool.threads(), [&](int part, int) {
    float* copy = workspace.data() + static_cast<size_t>(part) * buffers.floats();
    const PlaneTaps taps = prepare_taps(l, buffers, copy);
    const Range mine = split_range(l.batch * l.groups, 1, threads, static_cast<size_t>(part));
    for (size_t plane = mine.begin; plane < mine.end; ++plane) {
      HWY_DYNAMIC_DISPATCH(copy_plane)
      ({l, buffers.form, copy}, x.data() + plane * l.in_pixels());
      for (size_t o = 0; o < l.outs; ++o) {
        const size_t channel = plane % l.groups * l.outs + o;
        HWY_DYNAMIC_DISPATCH(sum_plane)
        ({taps, w + channel * l.taps(), bias.empty() ? 0.0f : bias[channel],
          y.data() + (plane * l.outs + o) * l.out_pixels()});
      }
    }
  });
}

size_t plane_weights_floats(const LineLayer& l, int threads) {
  return static_cast<size_t>(threads) *
         (PlaneBuffers(l).floats() + (l.taps() + 1) * (kRowSumLanes + 1) + kRowSumLanes);
}

void plane_weights(const LineLayer& l, In x, In dy, Out dw, Out dbias, Out workspace, Pool& pool) {
  assert(workspace.size() >= plane_weights_floats(l, pool.threads()));
  const PlaneBuffers buffers(l);
  const auto threads = static_cast<size_t>(pool.threads());
  const size_t own = workspace.size() / threads / 16 * 16;
  const size_t sum_count = l.taps() + 1;  // with the bias
  pool.parallel(pool.threads(), [&](int part, int) {
    const auto thread = static_cast<size_t>(part);
    float* copy = workspace.data() + thread * own;
    const PlaneTaps taps = prepare_taps(l, buffers, copy);
    const Out sums(copy + buffers.floats(), sum_count * kRowSumLanes);
    const Out totals(sums.data() + sums.size(), sum_count);
    const Range mine = split_range(l.groups * l.outs, 1, threads, thread);
    for (size_t channel = mine.begin; channel < mine.end; ++channel) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (size_t image = 0; image < l.batch; ++image) {
        const size_t plane = image * l.groups + channel / l.outs;
        const size_t out_plane = image * l.groups * l.outs + channel;
        HWY_DYNAMIC_DISPATCH(copy_plane)
        ({l, buffers.form, copy}, x.data() + plane * l.in_pixels());
        HWY_DYNAMIC_DISPATCH(multiply_plane)
        ({taps, dy.data() + out_plane * l.out_pixels(), sums.data()});
      }
      add_row_sums(sums, kRowSumLanes, false, totals);
      std::copy_n(totals.data(), l.taps(), dw.data() + channel * l.taps());
      if (!dbias.empty()) dbias[channel] = totals[l.taps()];
    }
  });
}

std::string planes_algorithm() { return "planes, taps in registers"; }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
