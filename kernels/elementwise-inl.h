// The loop that applies a vector function to each element. Included once per target.
#if defined(NSOP_KERNELS_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_ELEMENTWISE_INL_H_
#undef NSOP_KERNELS_ELEMENTWISE_INL_H_
#else
#define NSOP_KERNELS_ELEMENTWISE_INL_H_
#endif

#include <type_traits>

#include "hwy/cache_control.h"
#include "kernels/elementwise.h"
#include "kernels/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// An operand that moves with the elements.
struct Moving {
  const float* p;
  HWY_INLINE FloatVec whole(FloatTag d, size_t i) const { return hn::LoadU(d, p + i); }
  HWY_INLINE FloatVec part(FloatTag d, size_t i, size_t count) const {
    return load_n(d, p + i, count);
  }
};

// An operand with the same value for all elements.
struct Fixed {
  FloatVec v;
  HWY_INLINE FloatVec whole(FloatTag /*d*/, size_t /*i*/) const { return v; }
  HWY_INLINE FloatVec part(FloatTag /*d*/, size_t /*i*/, size_t /*count*/) const { return v; }
};

template <bool kStream>
HWY_INLINE void put(FloatVec v, FloatTag d, float* p) {
  if constexpr (kStream) {
    hn::Stream(v, d, p);
  } else {
    hn::StoreU(v, d, p);
  }
}

template <bool kStream, class Function, class... Operand>
HWY_INLINE void map_loop(const Function& f, float* out, size_t n, const Operand&... in) {
  const FloatTag d;
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    const FloatVec r0 = f(d, in.whole(d, i)...);
    const FloatVec r1 = f(d, in.whole(d, i + kLanes)...);
    const FloatVec r2 = f(d, in.whole(d, i + 2 * kLanes)...);
    const FloatVec r3 = f(d, in.whole(d, i + 3 * kLanes)...);
    put<kStream>(r0, d, out + i);
    put<kStream>(r1, d, out + i + kLanes);
    put<kStream>(r2, d, out + i + 2 * kLanes);
    put<kStream>(r3, d, out + i + 3 * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(f(d, in.whole(d, i)...), d, out + i);
  if (i < n) store_n(f(d, in.part(d, i, n - i)...), d, out + i, n - i);
}

// out[i] = f(d, in[i]...) for i in [0, n). `out` may be one of the operands. Streaming wants `out`
// aligned to a vector.
template <class Function, class... Operand>
HWY_INLINE void map(const Function& f, bool stream, float* out, size_t n, const Operand&... in) {
  if (stream) {
    map_loop<true>(f, out, n, in...);
    hwy::FlushStream();
  } else {
    map_loop<false>(f, out, n, in...);
  }
}

// Functions with parameters are made from them.
template <class Function>
HWY_INLINE Function make_function(const ElementwiseArgs& args) {
  if constexpr (std::is_constructible_v<Function, const ElementwiseArgs&>) {
    return Function(args);
  } else {
    return Function();
  }
}

// The same as functions of one signature, for tables.
template <class Function>
void map_unary(const float* x, float* y, size_t n, const ElementwiseArgs& args) {
  map(make_function<Function>(args), args.stream, y, n, Moving{x});
}

template <class Function>
void map_binary(const float* a, const float* b, float* c, size_t n, const ElementwiseArgs& args) {
  map(make_function<Function>(args), args.stream, c, n, Moving{a}, Moving{b});
}

// b is one value for all.
template <class Function>
void map_binary_fixed(const float* a, const float* b, float* c, size_t n,
                      const ElementwiseArgs& args) {
  map(make_function<Function>(args), args.stream, c, n, Moving{a}, Fixed{hn::Set(FloatTag(), *b)});
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
