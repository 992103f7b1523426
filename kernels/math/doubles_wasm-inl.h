// What Highway 1.0 lacks for doubles on WebAssembly, as far as doubles-inl.h needs it. Included
// once per target.
#if defined(NSOP_KERNELS_DOUBLES_WASM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_DOUBLES_WASM_INL_H_
#undef NSOP_KERNELS_DOUBLES_WASM_INL_H_
#else
#define NSOP_KERNELS_DOUBLES_WASM_INL_H_
#endif

#include <hwy/highway.h>

#if HWY_TARGET == HWY_WASM
HWY_BEFORE_NAMESPACE();
namespace hwy::HWY_NAMESPACE {

template <size_t N>
HWY_API Vec128<double, N> Set(Simd<double, N, 0> /* tag */, double value) {
  return Vec128<double, N>{wasm_f64x2_splat(value)};
}

template <size_t N>
HWY_API Vec128<double, N> operator+(Vec128<double, N> a, Vec128<double, N> b) {
  return Vec128<double, N>{wasm_f64x2_add(a.raw, b.raw)};
}

template <size_t N>
HWY_API Vec128<double, N> operator-(Vec128<double, N> a, Vec128<double, N> b) {
  return Vec128<double, N>{wasm_f64x2_sub(a.raw, b.raw)};
}

template <size_t N>
HWY_API Vec128<double, N> operator*(Vec128<double, N> a, Vec128<double, N> b) {
  return Vec128<double, N>{wasm_f64x2_mul(a.raw, b.raw)};
}

template <size_t N>
HWY_API Vec128<double, N> MulAdd(Vec128<double, N> a, Vec128<double, N> b, Vec128<double, N> c) {
  return a * b + c;
}

// NaN where one of them is.
template <size_t N>
HWY_API Vec128<double, N> Min(Vec128<double, N> a, Vec128<double, N> b) {
  return Vec128<double, N>{wasm_f64x2_min(a.raw, b.raw)};
}

template <size_t N>
HWY_API Vec128<double, N> Max(Vec128<double, N> a, Vec128<double, N> b) {
  return Vec128<double, N>{wasm_f64x2_max(a.raw, b.raw)};
}

template <size_t N>
HWY_API Vec128<double, N> PromoteTo(Simd<double, N, 0> /* tag */, Vec128<float, N> v) {
  return Vec128<double, N>{wasm_f64x2_promote_low_f32x4(v.raw)};
}

template <size_t N>
HWY_API Vec128<float, N> DemoteTo(Simd<float, N, 0> /* tag */, Vec128<double, N> v) {
  return Vec128<float, N>{wasm_f32x4_demote_f64x2_zero(v.raw)};
}

}  // namespace hwy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // per target
