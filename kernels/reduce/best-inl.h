// The fold that finds the best element of a line. Included once per target.
#if defined(NSOP_KERNELS_BEST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_BEST_INL_H_
#undef NSOP_KERNELS_BEST_INL_H_
#else
#define NSOP_KERNELS_BEST_INL_H_
#endif

#include <cmath>

#include "kernels/reduce/reduce-inl.h"

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

// What has been seen of NaN, which vector comparisons drop.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// One instruction compares two vectors and keeps what was seen before.
struct SeenNan {
  FloatMask none;
  static HWY_INLINE SeenNan start(FloatTag d) { return {hn::FirstN(d, kLanes)}; }
  HWY_INLINE void add(FloatTag d, FloatVec x) { add_two(d, x, x); }
  HWY_INLINE void add_two(FloatTag /*d*/, FloatVec x, FloatVec y) {
    none = FloatMask{_mm512_mask_cmp_ps_mask(none.raw, x.raw, y.raw, _CMP_ORD_Q)};
  }
  HWY_INLINE SeenNan join(const SeenNan& other) const { return {hn::And(none, other.none)}; }
  HWY_INLINE FloatMask doubtful() const { return hn::Not(none); }
};
#else
// A plain sum: it is NaN if an element is (or when opposite infinities meet: then careful() finds
// out).
struct SeenNan {
  FloatVec sum;
  static HWY_INLINE SeenNan start(FloatTag d) { return {hn::Zero(d)}; }
  HWY_INLINE void add(FloatTag /*d*/, FloatVec x) { sum = hn::Add(sum, x); }
  HWY_INLINE SeenNan join(const SeenNan& other) const { return {hn::Add(sum, other.sum)}; }
  HWY_INLINE FloatMask doubtful() const { return hn::IsNaN(sum); }
};
#endif

// The best element.
template <class Order>
struct BestFold {
  struct State {
    FloatVec best;
    SeenNan nan;
  };
  static constexpr size_t kWays = kLanes < 16 ? 4 : 8;
  static constexpr bool kZeroPads = false;
  static HWY_INLINE State start(FloatTag d, float first) {
    return {Order::map(hn::Set(d, first)), SeenNan::start(d)};
  }
  static HWY_INLINE State start_lanes(FloatTag d, FloatVec first) {
    return {Order::map(first), SeenNan::start(d)};
  }
  static HWY_INLINE void add(FloatTag d, State& state, FloatVec x) {
    const FloatVec value = Order::map(in_register(x));
    state.best = Order::better(state.best, value);
    state.nan.add(d, value);
  }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  static HWY_INLINE void add_two(FloatTag d, State& s, State& t, FloatVec x, FloatVec y) {
    x = in_register(x);
    y = in_register(y);
    s.best = Order::better(s.best, Order::map(x));
    t.best = Order::better(t.best, Order::map(y));
    s.nan.add_two(d, x, y);
  }
#endif
  static HWY_INLINE State join(FloatTag /*d*/, const State& a, const State& b) {
    return {Order::better(a.best, b.best), a.nan.join(b.nan)};
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
    return state.nan.doubtful();
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
