// Folding a line, or lines side by side, into one number each. Included once per target.
//
// A fold is a struct of static members:
//   State, kWays            what is kept per lane; how many of them hide the latency of add()
//   kZeroPads               whether zeros may be added without changing the value
//   start(d, first)         a state; `first` is an element of the line (it will be added again)
//   add(d, state, x)        takes in one more vector
//   add_two(d, s, t, x, y)  optional: the same twice, where a pair takes fewer instructions
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

#include <utility>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/pages.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

using FloatMask = hn::Mask<FloatTag>;

// The same vector, in a register, for folds that use it twice: without it GCC reads memory once per
// use. An addition that takes it from memory is one instruction less.
HWY_INLINE FloatVec in_register(FloatVec v) {
#if HWY_ARCH_X86
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// The loops over states are packs: as loops they would keep the array in memory.
template <class Fold, size_t... kIndex>
HWY_INLINE void start_states(std::index_sequence<kIndex...> /*all*/, float first,
                             typename Fold::State* state) {
  ((state[kIndex] = Fold::start(FloatTag(), first)), ...);
}

HWY_INLINE FloatVec vector_at(const float* x, size_t index) {
  return hn::LoadU(FloatTag(), x + index * kLanes);
}

template <class Fold, size_t... kPair>
HWY_INLINE void fold_pairs(std::index_sequence<kPair...> /*count*/, const float* x,
                           typename Fold::State* state) {
  (Fold::add_two(FloatTag(), state[2 * kPair], state[2 * kPair + 1], vector_at(x, 2 * kPair),
                 vector_at(x, 2 * kPair + 1)),
   ...);
}

// Adds consecutive vectors at x to consecutive states.
template <class Fold, size_t... kIndex>
HWY_INLINE void fold_vectors(std::index_sequence<kIndex...> count, const float* x,
                             typename Fold::State* state) {
  if constexpr (requires { &Fold::add_two; } && count.size() % 2 == 0) {
    fold_pairs<Fold>(std::make_index_sequence<count.size() / 2>(), x, state);
  } else {
    (Fold::add(FloatTag(), state[kIndex], vector_at(x, kIndex)), ...);
  }
}

// The same, where the vectors of each kPages-th part of the states lie a page after the vectors of
// the part before.
template <class Fold, size_t... kPage>
HWY_INLINE void fold_pages(std::index_sequence<kPage...> /*pages*/, const float* x,
                           typename Fold::State* state) {
  constexpr size_t kPer = Fold::kWays / kPages;
  using Per = std::make_index_sequence<kPer>;
  (fold_vectors<Fold>(Per(), x + kPage * kPageFloats, state + kPage * kPer), ...);
}

// Joins the second half of the states to the first.
template <class Fold, size_t... kIndex>
HWY_INLINE void join_half(std::index_sequence<kIndex...> half, typename Fold::State* state) {
  ((state[kIndex] = Fold::join(FloatTag(), state[kIndex], state[kIndex + half.size()])), ...);
}

// The state of a fold over n consecutive elements, the first `paged` of them (whole groups) by
// groups of pages.
template <class Fold, size_t kWays = Fold::kWays>
HWY_INLINE typename Fold::State fold_run(const float* x, size_t n, size_t paged) {
  const FloatTag d;
  static_assert(kWays == 8 || kWays == 4);
  using Ways = std::make_index_sequence<kWays>;
  using Four = std::make_index_sequence<4>;
  using Two = std::make_index_sequence<2>;
  using One = std::make_index_sequence<1>;
  typename Fold::State state[kWays];
  start_states<Fold>(Ways(), x[0], state);
  size_t i = 0;
  for (; kWays == Fold::kWays && i < paged; i += kPageGroup) {
    for (size_t j = i; j < i + kPageFloats; j += kWays / kPages * kLanes) {
      fold_pages<Fold>(Four(), x + j, state);
    }
  }
  for (; i + kWays * kLanes <= n; i += kWays * kLanes) fold_vectors<Fold>(Ways(), x + i, state);
  if constexpr (kWays == 8) {
    if (i + 4 * kLanes <= n) {
      fold_vectors<Fold>(Four(), x + i, state);
      i += 4 * kLanes;
    }
  }
  if (i + 2 * kLanes <= n) {
    fold_vectors<Fold>(Two(), x + i, state + kWays - 4);
    i += 2 * kLanes;
  }
  if (i + kLanes <= n) {
    fold_vectors<Fold>(One(), x + i, state + kWays - 2);
    i += kLanes;
  }
  if (i < n) {
    FloatVec last = load_n(d, x + i, n - i);
    if (!Fold::kZeroPads) last = hn::IfThenElse(hn::FirstN(d, n - i), last, hn::Set(d, x[0]));
    Fold::add(d, state[kWays - 1], last);
  }
  if constexpr (kWays == 8) join_half<Fold>(Four(), state);
  join_half<Fold>(Two(), state);
  join_half<Fold>(One(), state);
  return state[0];
}

template <class Fold>
HWY_INLINE float fold_value(const float* x, size_t n, size_t paged) {
  // So few that beginning and joining eight states would take longer than adding.
  if (Fold::kWays == 8 && n < 8 * kLanes) {
    return Fold::part(FloatTag(), fold_run<Fold, 4>(x, n, 0), x, n);
  }
  return Fold::part(FloatTag(), fold_run<Fold>(x, n, paged), x, n);
}

template <class Fold>
float fold_part(const float* x, size_t n) {
  return fold_value<Fold>(x, n, paged_floats(n));
}

// y[r] = the result of row r of x [rows, length].
template <class Fold>
void fold_rows(const float* x, size_t rows, size_t length, float* y) {
  for (size_t r = 0; r < rows; ++r) {
    const float* row = x + r * length;
    y[r] = Fold::finish(fold_value<Fold>(row, length, paged_floats(length)), row, length);
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
        Fold::add(d, state[t], vector_at(row, t));
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
