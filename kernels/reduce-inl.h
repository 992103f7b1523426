// Folding a line, or lines side by side, into one number each. Included once per target.
//
// A fold is a struct of static members:
//   State, kWays            what is kept per lane; how many of them hide the latency of add()
//   kZeroPads               whether zeros may be added without changing the value
//   start(d, first)         a state; `first` is an element of the line (it will be added again)
//   add(d, state, x)        takes in one more vector
//   join(d, a, b)           two states into one
//   part(d, state, x, n)    the value of a part of a line, in any representation that
//   combine(a, b)           can put together and
//   finish(value, x, n)     can turn into the result, given the whole line
//   lanes(d, state, n)      the results of the lanes as n elements each
//   doubtful(d, state)      the lanes whose result must be computed by
//   careful(x, n, stride)   instead: slow and always right
#if defined(NSOP_KERNELS_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_REDUCE_INL_H_
#undef NSOP_KERNELS_REDUCE_INL_H_
#else
#define NSOP_KERNELS_REDUCE_INL_H_
#endif

#include "kernels/axis.h"
#include "kernels/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

using FloatMask = hn::Mask<FloatTag>;

// The state of a fold over n consecutive elements.
template <class Fold>
HWY_INLINE typename Fold::State fold_run(const float* x, size_t n) {
  const FloatTag d;
  constexpr size_t kWays = Fold::kWays;
  typename Fold::State state[kWays];
  HWY_UNROLL(8)
  for (size_t w = 0; w < kWays; ++w) state[w] = Fold::start(d, x[0]);
  size_t i = 0;
  for (; i + kWays * kLanes <= n; i += kWays * kLanes) {
    HWY_UNROLL(8)
    for (size_t w = 0; w < kWays; ++w) Fold::add(d, state[w], hn::LoadU(d, x + i + w * kLanes));
  }
  HWY_UNROLL(8)
  for (size_t w = 0; w + 1 < kWays; ++w) {
    if (i + kLanes > n) break;
    Fold::add(d, state[w], hn::LoadU(d, x + i));
    i += kLanes;
  }
  if (i < n) {
    FloatVec last = load_n(d, x + i, n - i);
    if (!Fold::kZeroPads) last = hn::IfThenElse(hn::FirstN(d, n - i), last, hn::Set(d, x[0]));
    Fold::add(d, state[kWays - 1], last);
  }
  HWY_UNROLL(3)
  for (size_t step = 1; step < kWays; step *= 2) {
    HWY_UNROLL(4)
    for (size_t w = 0; w < kWays; w += 2 * step) {
      state[w] = Fold::join(d, state[w], state[w + step]);
    }
  }
  return state[0];
}

template <class Fold>
float fold_part(const float* x, size_t n) {
  return Fold::part(FloatTag(), fold_run<Fold>(x, n), x, n);
}

// y[r] = the result of row r of x [rows, length].
template <class Fold>
void fold_rows(const float* x, size_t rows, size_t length, float* y) {
  for (size_t r = 0; r < rows; ++r) {
    const float* row = x + r * length;
    y[r] = Fold::finish(fold_part<Fold>(row, length), row, length);
  }
}

template <class Fold>
HWY_NOINLINE void redo_lanes(FloatMask lanes, const float* x, const Columns& shape, float* y) {
  const FloatTag d;
  HWY_ALIGN float doubtful[kLanes];
  hn::Store(hn::IfThenElseZero(lanes, hn::Set(d, 1.0f)), d, doubtful);
  for (size_t j = 0; j < kLanes; ++j) {
    if (doubtful[j] != 0) y[j] = Fold::careful(x + j, shape.length, shape.stride);
  }
}

// The results of one vector of lines, of which `count` <= lanes exist.
template <class Fold>
HWY_INLINE void finish_lanes(const typename Fold::State& state, const float* x,
                             const Columns& shape, size_t count, float* y) {
  const FloatTag d;
  const FloatVec result = Fold::lanes(d, state, shape.length);
  FloatMask doubtful = Fold::doubtful(d, state);
  if (count < kLanes) {
    store_n(result, d, y, count);
    doubtful = hn::And(doubtful, hn::FirstN(d, count));
  } else {
    hn::StoreU(result, d, y);
  }
  if (HWY_UNLIKELY(!hn::AllFalse(d, doubtful))) redo_lanes<Fold>(doubtful, x, shape, y);
}

// y[j] = the result of column j of x [length, columns], whose rows are `stride` apart.
template <class Fold>
void fold_columns(const float* x, const Columns& shape, float* y) {
  const FloatTag d;
  constexpr size_t kTile = 4;
  size_t j = 0;
  for (; j + kTile * kLanes <= shape.columns; j += kTile * kLanes) {
    typename Fold::State state[kTile];
    HWY_UNROLL(4)
    for (size_t t = 0; t < kTile; ++t) {
      state[t] = Fold::start_lanes(d, hn::LoadU(d, x + j + t * kLanes));
    }
    for (size_t i = 0; i < shape.length; ++i) {
      const float* row = x + i * shape.stride + j;
      HWY_UNROLL(4)
      for (size_t t = 0; t < kTile; ++t) {
        Fold::add(d, state[t], hn::LoadU(d, row + t * kLanes));
      }
    }
    HWY_UNROLL(4)
    for (size_t t = 0; t < kTile; ++t) {
      const size_t at = j + t * kLanes;
      finish_lanes<Fold>(state[t], x + at, shape, kLanes, y + at);
    }
  }
  for (; j < shape.columns; j += kLanes) {
    const size_t count = HWY_MIN(kLanes, shape.columns - j);
    typename Fold::State state = Fold::start_lanes(d, load_n(d, x + j, count));
    for (size_t i = 0; i < shape.length; ++i) {
      Fold::add(d, state, load_n(d, x + i * shape.stride + j, count));
    }
    finish_lanes<Fold>(state, x + j, shape, count, y + j);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
