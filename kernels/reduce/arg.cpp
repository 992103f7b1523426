#include "kernels/reduce/arg.h"

#include <cassert>
#include <cmath>

#include "kernels/reduce/lines.h"
#include "kernels/runtime/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/arg.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/reduce/best-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

template <class Order>
bool beats_with_nan(float a, float b) {
  return Order::beats(a, b) || (std::isnan(a) && !std::isnan(b));
}

// Small enough that finding the place in a block costs little, large enough that its maximum does.
constexpr size_t kBlock = 1024;

template <class Order>
float best_of_block(const float* x, size_t n) {
  return fold_value<BestFold<Order>>(x, n, n == kPageGroup ? n : 0);
}

// The place of the first `value` among n elements, one of which it is.
HWY_INLINE size_t first_equal(const float* x, size_t n, float value) {
  const FloatTag d;
  const FloatVec wanted = hn::Set(d, value);
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    const FloatMask m0 = hn::Eq(hn::LoadU(d, x + i), wanted);
    const FloatMask m1 = hn::Eq(hn::LoadU(d, x + i + kLanes), wanted);
    const FloatMask m2 = hn::Eq(hn::LoadU(d, x + i + 2 * kLanes), wanted);
    const FloatMask m3 = hn::Eq(hn::LoadU(d, x + i + 3 * kLanes), wanted);
    if (!hn::AllFalse(d, hn::Or(hn::Or(m0, m1), hn::Or(m2, m3)))) break;
  }
  for (; i < n; i += kLanes) {
    // Lanes past the end are zero: if they match, so does nothing before them.
    const FloatVec v = n - i < kLanes ? load_n(d, x + i, n - i) : hn::LoadU(d, x + i);
    const intptr_t lane = hn::FindFirstTrue(d, hn::Eq(v, wanted));
    if (lane >= 0) return i + static_cast<size_t>(lane);
  }
  return n - 1;
}

HWY_NOINLINE size_t first_nan(const float* x, size_t n) {
  size_t i = 0;
  while (i + 1 < n && !std::isnan(x[i])) ++i;
  return i;
}

template <class Order>
ArgReducer::Best arg_part(const float* x, size_t n) {
  const size_t most = paged_floats(n) > 0 ? kPageGroup : kBlock;
  float best = 0;
  size_t block = 0;
  for (size_t b = 0; b < n; b += most) {
    const size_t count = HWY_MIN(most, n - b);
    const float value = best_of_block<Order>(x + b, count);
    if (HWY_UNLIKELY(std::isnan(value))) {
      return {value, static_cast<float>(b + first_nan(x + b, count))};
    }
    if (b == 0 || Order::beats(value, best)) {
      best = value;
      block = b;
    }
  }
  const size_t place = block + first_equal(x + block, HWY_MIN(most, n - block), best);
  return {best, static_cast<float>(place)};
}

template <class Order>
void arg_rows(const float* x, size_t rows, size_t length, float* y) {
  for (size_t r = 0; r < rows; ++r) y[r] = arg_part<Order>(x + r * length, length).index;
}

template <class Order>
HWY_NOINLINE float careful_arg(const float* x, size_t length, size_t stride) {
  size_t best = 0;
  for (size_t i = 1; i < length; ++i) {
    if (beats_with_nan<Order>(x[i * stride], x[best * stride])) best = i;
  }
  return static_cast<float>(best);
}

// Per lane: the best element, its place, and a sum that is NaN if an element is.
struct LaneBest {
  FloatVec best;
  FloatVec index;
  FloatVec sum;
};

template <class Order>
HWY_INLINE void add_row(LaneBest& state, FloatVec x, FloatVec row) {
  const FloatMask better = Order::beats(x, state.best);
  state.best = hn::IfThenElse(better, x, state.best);
  state.index = hn::IfThenElse(better, row, state.index);
  state.sum = hn::Add(state.sum, x);
}

template <class Order>
HWY_INLINE void store_lanes(const LaneBest& state, const float* x, const Columns& s, size_t count,
                            float* y) {
  const FloatTag d;
  store_n(state.index, d, y, count);
  if (HWY_LIKELY(hn::AllFalse(d, hn::IsNaN(state.sum)))) return;
  for (size_t j = 0; j < count; ++j) y[j] = careful_arg<Order>(x + j, s.length, s.stride);
}

template <class Order>
void arg_columns(const float* x, const Columns& s, float* y) {
  const FloatTag d;
  const FloatVec zero = hn::Zero(d);
  const FloatVec one = hn::Set(d, 1.0f);
  constexpr size_t kTile = 4;
  size_t j = 0;
  for (; j + kTile * kLanes <= s.columns; j += kTile * kLanes) {
    LaneBest state[kTile];
    HWY_UNROLL(4)
    for (size_t t = 0; t < kTile; ++t) {
      const FloatVec first = hn::LoadU(d, x + j + t * kLanes);
      state[t] = {first, zero, first};
    }
    FloatVec row = one;
    for (size_t i = 1; i < s.length; ++i) {
      const float* from = x + i * s.stride + j;
      HWY_UNROLL(4)
      for (size_t t = 0; t < kTile; ++t) {
        add_row<Order>(state[t], hn::LoadU(d, from + t * kLanes), row);
      }
      row = hn::Add(row, one);
    }
    HWY_UNROLL(4)
    for (size_t t = 0; t < kTile; ++t) {
      store_lanes<Order>(state[t], x + j + t * kLanes, s, kLanes, y + j + t * kLanes);
    }
  }
  for (; j < s.columns; j += kLanes) {
    const size_t count = HWY_MIN(kLanes, s.columns - j);
    const FloatVec first = load_n(d, x + j, count);
    LaneBest state = {first, zero, first};
    FloatVec row = one;
    for (size_t i = 1; i < s.length; ++i) {
      add_row<Order>(state, load_n(d, x + i * s.stride + j, count), row);
      row = hn::Add(row, one);
    }
    store_lanes<Order>(state, x + j, s, count, y + j);
  }
}

template <class Order>
ArgReducer::Code code_of() {
  return {arg_part<Order>, arg_rows<Order>, arg_columns<Order>, beats_with_nan<Order>};
}

ArgReducer::Code arg_code(Extreme extreme) {
  return extreme == Extreme::kLargest ? code_of<Largest>() : code_of<Smallest>();
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(arg_code);

void join_arg_parts(const AxisShape& s, const ArgReducer::Code& code, const LinesRun& run) {
  for_each_part(s, run, [&](size_t i, const float* x, const Range& range) {
    const ArgReducer::Best best = code.part(x, range.size());
    run.workspace[2 * i] = best.value;
    run.workspace[2 * i + 1] = best.index + static_cast<float>(range.begin);
  });
  for (size_t r = 0; r < s.outer; ++r) {
    const float* of_row = run.workspace + 2 * r * run.parts;
    size_t best = 0;
    for (size_t p = 1; p < run.parts; ++p) {
      if (code.beats(of_row[2 * p], of_row[2 * best])) best = p;
    }
    run.y[r] = of_row[2 * best + 1];
  }
}

constexpr const char* kBestBlock = "best block, then its place";
constexpr LinesWays<ArgReducer::Code> kArgWays = {
    .columns = {.name = "columns in lanes", .run = reduce_columns<ArgReducer::Code>},
    .parts = {.name = kBestBlock, .run = join_arg_parts},
    .rows = {.name = kBestBlock, .run = reduce_rows<ArgReducer::Code>}};

}  // namespace

ArgReducer::ArgReducer(Extreme extreme, const AxisShape& shape)
    : shape_(shape), code_(HWY_DYNAMIC_DISPATCH(arg_code)(extreme)) {
  assert(shape.length <= (size_t{1} << 24));
}

size_t ArgReducer::workspace_floats(int threads) const { return parts_floats(shape_, threads, 2); }

std::string ArgReducer::algorithm(const ThreadPool& thread_pool) const {
  return kArgWays.of(shape_, thread_pool).name.value;
}

void ArgReducer::run(std::span<const float> x, std::span<float> y, std::span<float> workspace,
                     ThreadPool& thread_pool) const {
  assert(x.size() == shape_.size() && y.size() == shape_.lines());
  assert(workspace.size() >= workspace_floats(thread_pool.threads()));
  reduce_lines(kArgWays, shape_, code_, x.data(), y.data(), workspace.data(), thread_pool);
}

namespace {

Variant variant_of(const std::string& op, Extreme extreme) {
  return hwy_variant(
      op, "the best block, then the place in it", [extreme](const StepRequest& request) {
        const ArgReducer reducer(extreme, axis_shape_of(request.op_case));
        return make_step(request, reducer.workspace_floats(request.threads),
                         reducer.algorithm(shared_threads(request.threads)),
                         [reducer](StepBuffers& b) {
                           reducer.run(b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
                         });
      });
}

const VariantRow argmax_row{variant_of("argmax", Extreme::kLargest)};
const VariantRow argmin_row{variant_of("argmin", Extreme::kSmallest)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
