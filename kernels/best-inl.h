// The fold that finds the best element of a line. Included once per target.
#if defined(NSOP_KERNELS_BEST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_BEST_INL_H_
#undef NSOP_KERNELS_BEST_INL_H_
#else
#define NSOP_KERNELS_BEST_INL_H_
#endif

#include <cmath>

#include "kernels/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Largest {
  static HWY_INLINE FloatVec map(FloatVec x) { return x; }
  static HWY_INLINE FloatVec better(FloatVec a, FloatVec b) { return hn::Max(a, b); }
  static HWY_INLINE FloatVec of_lanes(FloatTag d, FloatVec v) { return hn::MaxOfLanes(d, v); }
  static float map(float x) { return x; }
  static bool beats(float a, float b) { return a > b; }
  static HWY_INLINE FloatMask beats(FloatVec a, FloatVec b) { return hn::Gt(a, b); }
};
struct Smallest {
  static HWY_INLINE FloatVec map(FloatVec x) { return x; }
  static HWY_INLINE FloatVec better(FloatVec a, FloatVec b) { return hn::Min(a, b); }
  static HWY_INLINE FloatVec of_lanes(FloatTag d, FloatVec v) { return hn::MinOfLanes(d, v); }
  static float map(float x) { return x; }
  static bool beats(float a, float b) { return a < b; }
  static HWY_INLINE FloatMask beats(FloatVec a, FloatVec b) { return hn::Lt(a, b); }
};
struct LargestMagnitude : Largest {
  static HWY_INLINE FloatVec map(FloatVec x) { return hn::Abs(x); }
  static float map(float x) { return std::fabs(x); }
};

// The best element. Vector comparisons drop NaN, so that a plain sum runs along: it is NaN if an
// element is (or when opposite infinities meet: then careful() finds out).
template <class Order>
struct BestFold {
  struct State {
    FloatVec best;
    FloatVec sum;
  };
  static constexpr size_t kWays = kLanes < 16 ? 4 : 8;  // AVX3 has registers for 8 times two
  static constexpr bool kZeroPads = false;
  static HWY_INLINE State start(FloatTag d, float first) {
    return {Order::map(hn::Set(d, first)), hn::Zero(d)};
  }
  static HWY_INLINE State start_lanes(FloatTag d, FloatVec first) {
    return {Order::map(first), hn::Zero(d)};
  }
  static HWY_INLINE void add(FloatTag /*d*/, State& state, FloatVec x) {
    const FloatVec value = Order::map(x);
    state.best = Order::better(state.best, value);
    state.sum = hn::Add(state.sum, value);
  }
  static HWY_INLINE State join(FloatTag /*d*/, const State& a, const State& b) {
    return {Order::better(a.best, b.best), hn::Add(a.sum, b.sum)};
  }
  static HWY_INLINE float part(FloatTag d, const State& state, const float* x, size_t n) {
    if (HWY_UNLIKELY(!hn::AllFalse(d, doubtful(d, state)))) return careful(x, n, 1);
    return hn::GetLane(Order::of_lanes(d, state.best));
  }
  static float combine(float a, float b) { return Order::beats(b, a) || std::isnan(b) ? b : a; }
  static float finish(float value, const float* /*x*/, size_t /*n*/) { return value; }
  static HWY_INLINE FloatVec lanes(FloatTag /*d*/, const State& state, size_t /*n*/) {
    return state.best;
  }
  static HWY_INLINE FloatMask doubtful(FloatTag /*d*/, const State& state) {
    return hn::IsNaN(state.sum);
  }
  static HWY_NOINLINE float careful(const float* x, size_t n, size_t stride) {
    float best = Order::map(x[0]);
    for (size_t i = 1; i < n && !std::isnan(best); ++i) {
      best = combine(best, Order::map(x[i * stride]));
    }
    return best;
  }
};

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
