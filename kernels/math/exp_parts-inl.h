// The core of exp, tanh, sigmoid and their like: a power of two and a small rest. Included once per
// target.
//
// The coefficients of polynomials, here and in the other headers of functions, are nearly those of
// the least maximal error that their degree allows. tools/test_kernel_constants.py holds each
// polynomial against that best one and every other constant against what it stands for.
#if defined(NSOP_KERNELS_EXP_PARTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_EXP_PARTS_INL_H_
#undef NSOP_KERNELS_EXP_PARTS_INL_H_
#else
#define NSOP_KERNELS_EXP_PARTS_INL_H_
#endif

#include "hwy/highway.h"

// Has this target what AVX-512 brings for functions: tables of 16 floats in a register, scaling by
// powers of two, mantissas and exponents of denormals, estimates of 14 bits?
#undef NSOP_HAVE_FLOAT_TABLES
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define NSOP_HAVE_FLOAT_TABLES 1
#else
#define NSOP_HAVE_FLOAT_TABLES 0
#endif

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// e^z 2^bias = scale (1 + rest).
template <class V>
struct ExpParts {
  V scale;
  V rest;
};

// e^r - 1 for |r| <= ln(2) / 2, within 0.29 units of roundoff (2^-24).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_polynomial(D d, V r) {
  V p = hn::MulAdd(r, hn::Set(d, 0.00138825f), hn::Set(d, 0.00836655f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0416672f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.16666543f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.49999997f));
  return hn::MulAdd(hn::Mul(r, r), p, r);
}

#if NSOP_HAVE_FLOAT_TABLES

// 2^(j/16) rounded, and by how much of itself each was rounded.
alignas(64) constexpr float kExp2Table[16] = {
    0x1p+0f,        0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fe0p+0f, 0x1.3dea64p+0f,
    0x1.4bfdaep+0f, 0x1.5ab07ep+0f, 0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f,
    0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};
alignas(64) constexpr float kExp2Rest[16] = {
    0x0p+0f,          0x1.8d96d4p-25f,  -0x1.9c0c22p-27f, 0x1.964904p-25f,
    0x1.125002p-25f,  0x1.370be4p-25f,  -0x1.0a3550p-25f, -0x1.00d8acp-27f,
    0x1.26055cp-26f,  -0x1.05cb44p-25f, 0x1.67a1cap-28f,  0x1.a3b5e4p-28f,
    -0x1.f9c304p-27f, -0x1.6961b4p-28f, -0x1.a5217cp-28f, 0x1.61428ep-28f};

// z = (k + j/16) ln 2 + r.
template <class V>
struct ExpReduced {
  V n;      // k + j/16
  V power;  // 2^(j/16)
  V rest;   // e^r - 1, |r| <= ln(2) / 32
};

// How exact the rest must be. With kPower, e^z is within 1 ULP through the rounding of the power
// alone; with kBoth, that is in the rest, too; with kMinusOne, the rest is exact relative to
// itself, so that e^z - 1 is right near 0.
enum class ExpRest { kPower, kBoth, kMinusOne };

// `low`, if any, is a tiny second part of z.
template <ExpRest kRest, class D, class... Low, class V = hn::Vec<D>>
HWY_INLINE ExpReduced<V> exp_reduce(D d, V z, Low... low) {
  // Adding 1.5 * 2^19 rounds to sixteenths and leaves their number in the low bits.
  const V magic = hn::Set(d, 786432.0f);
  const V shifted = hn::MulAdd(z, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(shifted, magic);
  // ln 2 in two terms.
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693147182f), z);
  r = hn::NegMulAdd(n, hn::Set(d, -1.90465421e-9f), r);
  if constexpr (sizeof...(low) > 0) r = hn::Add(r, low...);
  V p = hn::MulAdd(r, hn::Set(d, 0.166667205f), hn::Set(d, 0.500016809f));
  if constexpr (kRest == ExpRest::kMinusOne) {
    p = hn::MulAdd(r, hn::Set(d, 0.0416664340f), hn::Set(d, 0.166670037f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  }
  const __m512i index = _mm512_castps_si512(shifted.raw);  // of which the lowest 4 bits count
  const V power{_mm512_permutexvar_ps(index, _mm512_load_ps(kExp2Table))};
  if constexpr (kRest == ExpRest::kPower) return {n, power, hn::MulAdd(hn::Mul(r, r), p, r)};
  const V missing{_mm512_permutexvar_ps(index, _mm512_load_ps(kExp2Rest))};
  return {n, power, hn::Add(hn::MulAdd(hn::Mul(r, r), p, missing), r)};
}

// power 2^floor(n), denormals and infinity included.
template <class V>
HWY_INLINE V times_power(V power, V n) {
  return V{_mm512_scalef_ps(power.raw, n.raw)};
}

template <int kBias, class D, class... Low, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V z, Low... low) {
  const ExpReduced<V> e = exp_reduce<ExpRest::kMinusOne>(d, z, low...);
  const V n = kBias == 0 ? e.n : hn::Add(e.n, hn::Set(d, static_cast<float>(kBias)));
  return {times_power(e.power, n), e.rest};
}

#else  // no tables

// e^z = 2^n e^r with n = round(z / ln 2) and |r| <= ln(2) / 2. n and n + bias must be in the range
// of normal numbers. `bias` is given as the bits of an exponent, a value per lane. `low`, if any,
// is a tiny second part of z.
template <class D, class... Low, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts_biased(D d, V z, hn::Vec<hn::RebindToSigned<D>> bias, Low... low) {
  const hn::RebindToSigned<D> di;
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(z, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(shifted, magic);
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  const V scale = hn::BitCast(d, hn::Add(exponent, hn::Add(bias, hn::Set(di, 127 << 23))));
  // ln 2 in two terms, the first short enough for an exact product.
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), z);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  if constexpr (sizeof...(low) > 0) r = hn::Add(r, low...);
  return {scale, exp_polynomial(d, r)};
}

template <int kBias, class D, class... Low, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V z, Low... low) {
  const hn::RebindToSigned<D> di;
  return exp_parts_biased(d, z, hn::Set(di, kBias << 23), low...);
}

#endif  // NSOP_HAVE_FLOAT_TABLES

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
