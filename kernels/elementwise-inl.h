// Loops that apply a vector function to each element. Included once per target.
#if defined(NSOP_KERNELS_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_ELEMENTWISE_INL_H_
#undef NSOP_KERNELS_ELEMENTWISE_INL_H_
#else
#define NSOP_KERNELS_ELEMENTWISE_INL_H_
#endif

#include "kernels/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// y[i] = Function::apply(d, x[i]) for i in [0, n). x and y may be the same buffer.
template <class Function>
HWY_INLINE void map_unary(const float* x, float* y, size_t n) {
  const FloatTag d;
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    const FloatVec v0 = hn::LoadU(d, x + i);
    const FloatVec v1 = hn::LoadU(d, x + i + kLanes);
    const FloatVec v2 = hn::LoadU(d, x + i + 2 * kLanes);
    const FloatVec v3 = hn::LoadU(d, x + i + 3 * kLanes);
    hn::StoreU(Function::apply(d, v0), d, y + i);
    hn::StoreU(Function::apply(d, v1), d, y + i + kLanes);
    hn::StoreU(Function::apply(d, v2), d, y + i + 2 * kLanes);
    hn::StoreU(Function::apply(d, v3), d, y + i + 3 * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(Function::apply(d, hn::LoadU(d, x + i)), d, y + i);
  }
  if (i < n) store_n(Function::apply(d, load_n(d, x + i, n - i)), d, y + i, n - i);
}

// out[i] = Function::apply(d, a[i], b[i]) for i in [0, n). out may be a or b.
template <class Function>
HWY_INLINE void map_binary(const float* a, const float* b, float* out, size_t n) {
  const FloatTag d;
  size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const FloatVec r0 = Function::apply(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    const FloatVec r1 =
        Function::apply(d, hn::LoadU(d, a + i + kLanes), hn::LoadU(d, b + i + kLanes));
    hn::StoreU(r0, d, out + i);
    hn::StoreU(r1, d, out + i + kLanes);
  }
  for (; i < n; i += kLanes) {
    const size_t left = n - i;
    if (left >= kLanes) {
      hn::StoreU(Function::apply(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
    } else {
      const FloatVec r = Function::apply(d, load_n(d, a + i, left), load_n(d, b + i, left));
      store_n(r, d, out + i, left);
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
