#include "kernels/pool2d/adaptive_pool2d.h"

#include <bit>
#include <cassert>

#include "kernels/pool2d/window_walk.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"
#include "kernels/runtime/ways.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool2d/adaptive_pool2d.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/norm/norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The sum of n floats, in four chains.
HWY_INLINE float sum_of_plane(const float* p, size_t n) {
  const FloatTag d;
  Chains sums;
  const auto add = [&](size_t c, FloatVec v) { sums.sum[c] = hn::Add(sums.sum[c], v); };
  for_each_chained(
      n, [&](size_t c, size_t i) { add(c, hn::LoadU(d, p + i)); },
      [&](size_t c, size_t i, size_t left) { add(c, load_n(d, p + i, left)); });
  return sums.total();
}

// sums[i] = the sum of `count` rows of `width` floats at p; a vector's room past the end of sums is
// overwritten.
void sum_down(const float* p, size_t count, size_t width, float* sums) {
  const FloatTag d;
  const auto down = [&](const auto& load) {
    FloatVec sum = load(p);
    for (size_t row = 1; row < count; ++row) sum = hn::Add(sum, load(p + row * width));
    return sum;
  };
  for_each_vector(
      width,
      [&](size_t i) {
        hn::StoreU(down([&](const float* row) { return hn::LoadU(d, row + i); }), d, sums + i);
      },
      [&](size_t i, size_t left) {
        hn::StoreU(down([&](const float* row) { return load_n(d, row + i, left); }), d, sums + i);
      });
}

// Are the windows along a row equal ones of 2, 4, 8... columns, which halving adds up?
inline bool halving_adds(const AdaptivePool2dShape& s) {
  const size_t columns = s.width / s.out_width;
  return kLanes > 1 && s.width % s.out_width == 0 && columns > 1 && (columns & (columns - 1)) == 0;
}

// p[i] = p[2 i] + p[2 i + 1] for i < n / 2, in place; up to a vector past the end is overwritten.
HWY_INLINE void add_pairs(float* p, size_t n) {
#if HWY_TARGET != HWY_SCALAR
  const FloatTag d;
  for (size_t i = 0; i < n; i += 2 * kLanes) {
    const FloatVec lo = hn::LoadU(d, p + i);
    const FloatVec hi = hn::LoadU(d, p + i + kLanes);
    hn::StoreU(hn::Add(hn::ConcatEven(d, hi, lo), hn::ConcatOdd(d, hi, lo)), d, p + i / 2);
  }
#else
  (void)p;
  (void)n;
#endif
}

// One row of y where halving_adds: `sums` are those down the windows' columns.
void average_by_halves(const AdaptivePool2dShape& s, size_t rows, float* sums, float* y) {
  const FloatTag d;
  for (size_t n = s.width; n > s.out_width; n /= 2) add_pairs(sums, n);
  const size_t columns = s.width / s.out_width;
  const auto pixels = static_cast<float>(rows * columns);
  const auto average = [&](FloatVec sum) { return hn::Div(sum, hn::Set(d, pixels)); };
  for_each_vector(
      s.out_width, [&](size_t i) { hn::StoreU(average(hn::LoadU(d, sums + i)), d, y + i); },
      [&](size_t i, size_t left) { store_n(average(hn::LoadU(d, sums + i)), d, y + i, left); });
}

// Planes [begin, end) where a window is whole rows, which are added up where they lie. 4 bytes and
// 1 flop per element of x.
void average_whole_rows(const AdaptivePool2dShape& s, const float* x, float* y, float* /*sums*/,
                        size_t begin, size_t end) {
  for (size_t plane = begin; plane < end; ++plane) {
    WindowWalk down(s.height, s.out_height);
    for (size_t oy = 0; oy < s.out_height; ++oy) {
      const Range rows = down.next();
      const float* from = x + (plane * s.height + rows.begin) * s.width;
      const size_t pixels = rows.size() * s.width;
      y[plane * s.out_height + oy] = sum_of_plane(from, pixels) / static_cast<float>(pixels);
    }
  }
}

// Of the sum of so many floats one vector is read, from memory that has it.
using FewTag = hn::CappedTag<float, 8>;
HWY_INLINE float sum_of_few(const float* p, size_t n) {
  const FewTag d;
  const auto few = hn::IfThenElseZero(hn::FirstN(d, n), hn::LoadU(d, p));
  return hn::GetLane(hn::SumOfLanes(d, few));
}

// Planes [begin, end) of any windows: down the columns in lanes, then window by window. 4 bytes and
// 1 flop per element of x.
void average_columns(const AdaptivePool2dShape& s, const float* x, float* y, float* sums,
                     size_t begin, size_t end) {
  const bool halves = halving_adds(s);
  for (size_t plane = begin; plane < end; ++plane) {
    WindowWalk down(s.height, s.out_height);
    for (size_t oy = 0; oy < s.out_height; ++oy) {
      const Range rows = down.next();
      const float* from = x + (plane * s.height + rows.begin) * s.width;
      float* to = y + (plane * s.out_height + oy) * s.out_width;
      sum_down(from, rows.size(), s.width, sums);
      if (halves) {
        average_by_halves(s, rows.size(), sums, to);
        continue;
      }
      WindowWalk along(s.width, s.out_width);
      for (size_t ox = 0; ox < s.out_width; ++ox) {
        const Range columns = along.next();
        float sum = 0;
        if (columns.size() <= hn::Lanes(FewTag())) {
          sum = sum_of_few(sums + columns.begin, columns.size());
        } else if (columns.size() <= 16) {
          for (size_t i = columns.begin; i < columns.end; ++i) sum += sums[i];
        } else {
          sum = sum_of(sums + columns.begin, columns.size());
        }
        to[ox] = sum / static_cast<float>(rows.size() * columns.size());
      }
    }
  }
}

// Planes [begin, end) of equal windows where halving_adds: down the columns for some rows of y,
// whose sums lie one behind the other, so that vectors are full however few a row has. 4 bytes and
// 1 flop per element of x.
void average_equal_windows(const AdaptivePool2dShape& s, const float* x, float* y, float* sums,
                           size_t begin, size_t end) {
  if (!halving_adds(s)) return average_columns(s, x, y, sums, begin, end);
  const FloatTag d;
  const size_t rows = s.height / s.out_height, columns = s.width / s.out_width;
  const FloatVec pixels = hn::Set(d, static_cast<float>(rows) * static_cast<float>(columns));
  const size_t together = s.rows_together();
  // Rows of all planes are one behind the other, too.
  for (size_t row = begin * s.out_height; row < end * s.out_height; row += together) {
    const size_t count = HWY_MIN(together, end * s.out_height - row);
    for (size_t i = 0; i < count; ++i) {
      sum_down(x + (row + i) * rows * s.width, rows, s.width, sums + i * s.width);
    }
    const size_t windows = count * s.out_width;
    for (size_t n = count * s.width; n > windows; n /= 2) add_pairs(sums, n);
    float* to = y + row * s.out_width;
    for_each_vector(
        windows, [&](size_t i) { hn::StoreU(hn::Div(hn::LoadU(d, sums + i), pixels), d, to + i); },
        [&](size_t i, size_t left) {
          store_n(hn::Div(hn::LoadU(d, sums + i), pixels), d, to + i, left);
        });
  }
}

// n times the same value.
void fill_row(float* p, size_t n, float value) {
  const FloatTag d;
  const FloatVec v = hn::Set(d, value);
  for_each_vector(
      n, [&](size_t i) { hn::StoreU(v, d, p + i); },
      [&](size_t i, size_t left) { store_n(v, d, p + i, left); });
}

// Are all windows the same, their columns a power of two, and rows of dx whole vectors?
inline bool repeats_spread(const AdaptivePool2dShape& s) {
  return halving_adds(s) && s.height % s.out_height == 0 && s.width % kLanes == 0 &&
         s.width / s.out_width <= kLanes;
}

// Planes [begin, end) of dx where repeats_spread: each value of dy, divided by its window's pixels,
// fills the window. Windows don't overlap.
void spread_by_repeats(const AdaptivePool2dShape& s, const float* dy, float* dx, size_t begin,
                       size_t end) {
#if HWY_TARGET != HWY_SCALAR
  const FloatTag d;
  const size_t rows = s.height / s.out_height;
  const size_t columns = s.width / s.out_width;
  const FloatVec pixels = hn::Set(d, static_cast<float>(rows * columns));
  const size_t step = kLanes / columns;  // windows of a vector
  HWY_ALIGN int32_t windows[kLanes];
  for (size_t i = 0; i < kLanes; ++i) windows[i] = static_cast<int32_t>(i / columns);
  const auto repeats = hn::SetTableIndices(d, windows);
  const float* from = dy + begin * s.out_height * s.out_width;
  const float* last = dy + end * s.out_height * s.out_width;
  float* to = dx + begin * s.height * s.width;
  while (from < last) {
    for (size_t i = 0; i < s.width; i += kLanes, from += step) {
      const auto left = static_cast<size_t>(last - from);
      const FloatVec values = left >= kLanes ? hn::LoadU(d, from) : load_n(d, from, left);
      const FloatVec share = hn::TableLookupLanes(hn::Div(values, pixels), repeats);
      for (size_t row = 0; row < rows; ++row) hn::StoreU(share, d, to + row * s.width + i);
    }
    to += rows * s.width;
  }
#else
  (void)s, (void)dy, (void)dx, (void)begin, (void)end;
#endif
}

// A row of dy, each value divided by its window's pixels, spread over the columns of its window.
void spread_along(const AdaptivePool2dShape& s, const float* dy, size_t rows, float* spread) {
  if (s.out_width == 1) {
    return fill_row(spread, s.width, dy[0] / static_cast<float>(rows * s.width));
  }
  size_t written = 0;
  WindowWalk along(s.width, s.out_width);
  for (size_t ox = 0; ox < s.out_width; ++ox) {
    const Range columns = along.next();
    const float share = dy[ox] / static_cast<float>(rows * columns.size());
    size_t i = columns.begin;
    for (; i < HWY_MIN(written, columns.end); ++i) spread[i] += share;
    for (; i < columns.end; ++i) spread[i] = share;
    written = columns.end;
  }
}

// to = row, or to += row; n floats.
void put_row(const float* row, size_t n, bool add, float* to) {
  const FloatTag d;
  if (!add) return copy_floats(row, to, n);
  for_each_vector(
      n,
      [&](size_t i) {
        hn::StoreU(hn::Add(hn::LoadU(d, row + i), hn::LoadU(d, to + i)), d, to + i);
      },
      [&](size_t i, size_t left) {
        store_n(hn::Add(load_n(d, row + i, left), load_n(d, to + i, left)), d, to + i, left);
      });
}

// Planes [begin, end) of dx. Windows come in ascending order and leave no gap: a row is stored by
// its first window and added to by the others.
void spread_planes(const AdaptivePool2dShape& s, const float* dy, float* dx, float* spread,
                   size_t begin, size_t end) {
  if (repeats_spread(s)) return spread_by_repeats(s, dy, dx, begin, end);
  for (size_t plane = begin; plane < end; ++plane) {
    float* to = dx + plane * s.height * s.width;
    const float* from = dy + plane * s.out_height * s.out_width;
    if (s.out_height == 1 && s.out_width == 1) {
      fill_row(to, s.height * s.width, from[0] / static_cast<float>(s.height * s.width));
      continue;
    }
    size_t written = 0;
    WindowWalk down(s.height, s.out_height);
    for (size_t oy = 0; oy < s.out_height; ++oy) {
      const Range rows = down.next();
      spread_along(s, from + oy * s.out_width, rows.size(), spread);
      for (size_t row = rows.begin; row < rows.end; ++row) {
        put_row(spread, s.width, row < written, to + row * s.width);
      }
      written = rows.end;
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(average_whole_rows);
HWY_EXPORT(average_columns);
HWY_EXPORT(average_equal_windows);
HWY_EXPORT(spread_planes);

// Planes [begin, end) of y; a row of floats of its own.
using AdaptiveKernel = void (*)(const AdaptivePool2dShape& shape, const float* x, float* y,
                                float* own, size_t begin, size_t end);

}  // namespace

struct AdaptiveWay {
  Required<const char*> name;  // what it does, in words
  Required<bool (*)(const AdaptivePool2dShape& shape)> pays;
  Required<AdaptiveKernel (*)()> kernel;  // that of the current target
};

namespace {

// Equal windows of 2, 4, 8... columns, as halving_adds and the planes' division want them.
bool are_equal_and_halved(const AdaptivePool2dShape& s) {
  const bool equal = s.width % s.out_width == 0 && s.height % s.out_height == 0;
  return equal && s.width > s.out_width && std::has_single_bit(s.width / s.out_width);
}

// In the order in which they are asked; the last can do any shape. Nothing else decides.
constexpr AdaptiveWay kAdaptiveWays[] = {
    {.name = "whole rows",
     .pays = [](const AdaptivePool2dShape& s) { return s.out_width == 1; },
     .kernel = []() -> AdaptiveKernel { return HWY_DYNAMIC_DISPATCH(average_whole_rows); }},
    {.name = "columns in lanes, then halves",
     .pays = are_equal_and_halved,
     .kernel = []() -> AdaptiveKernel { return HWY_DYNAMIC_DISPATCH(average_equal_windows); }},
    {.name = "columns in lanes, then windows",
     .pays = [](const AdaptivePool2dShape&) { return true; },
     .kernel = []() -> AdaptiveKernel { return HWY_DYNAMIC_DISPATCH(average_columns); }},
};

}  // namespace

AdaptiveAveragePlan::AdaptiveAveragePlan(const AdaptivePool2dShape& shape)
    : shape_(shape), way_(&first_that_pays(kAdaptiveWays, shape)) {}

const char* AdaptiveAveragePlan::algorithm() const { return way_->name; }

AdaptivePool2dShape adaptive_pool2d_shape(const Case& op_case) {
  const std::vector<int64_t> in = op_case.shape("in");
  const std::vector<int64_t> out = op_case.shape("out");
  return {static_cast<size_t>(in[0] * in[1]), static_cast<size_t>(in[2]),
          static_cast<size_t>(in[3]), static_cast<size_t>(out[0]), static_cast<size_t>(out[1])};
}

size_t adaptive_pool2d_workspace_floats(const AdaptivePool2dShape& shape, int threads) {
  return shape.together_floats() * static_cast<size_t>(threads);
}

void adaptive_avgpool2d_forward(const AdaptiveAveragePlan& plan, std::span<const float> x,
                                std::span<float> y, std::span<float> workspace,
                                ThreadPool& thread_pool) {
  const AdaptivePool2dShape& shape = plan.shape();
  assert(x.size() == shape.x_size() && y.size() == shape.y_size());
  assert(workspace.size() >= adaptive_pool2d_workspace_floats(shape, thread_pool.threads()));
  const AdaptiveKernel planes = plan.way().kernel();
  parallel_units(thread_pool, shape.planes, shape.plane_work(), kAdaptivePooledElements,
                 [&](size_t begin, size_t end, size_t part) {
                   float* own = workspace.data() + part * shape.together_floats();
                   planes(shape, x.data(), y.data(), own, begin, end);
                 });
}

void adaptive_avgpool2d_backward(const AdaptivePool2dShape& shape, std::span<const float> dy,
                                 std::span<float> dx, std::span<float> workspace,
                                 ThreadPool& thread_pool) {
  assert(dx.size() == shape.x_size() && dy.size() == shape.y_size());
  assert(workspace.size() >= adaptive_pool2d_workspace_floats(shape, thread_pool.threads()));
  const auto planes = HWY_DYNAMIC_DISPATCH(spread_planes);
  parallel_units(thread_pool, shape.planes, shape.plane_work(), kAdaptiveGradientElements,
                 [&](size_t begin, size_t end, size_t part) {
                   float* own = workspace.data() + part * shape.together_floats();
                   planes(shape, dy.data(), dx.data(), own, begin, end);
                 });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const AdaptivePool2dShape s = adaptive_pool2d_shape(request.op_case);
  const size_t floats = adaptive_pool2d_workspace_floats(s, request.threads);
  if (request.op_case.str("pass") == "forward") {
    const AdaptiveAveragePlan plan = s;
    return make_step(request, floats, plan.algorithm(), [plan](StepBuffers& b) {
      adaptive_avgpool2d_forward(plan, b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
    });
  }
  return make_step(request, floats, "rows spread once, then added", [s](StepBuffers& b) {
    adaptive_avgpool2d_backward(s, b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
  });
}

const ForkingRow row{hwy_variant("adaptive_avgpool2d",
                                 "windows down the columns first, split over planes", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
