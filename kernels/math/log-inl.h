// Logarithms on vectors. Included once per target.
//
// x = 2^e m with m in [3/4, 3/2), and log(m) = r + r^2 q(r) for r = m - 1 in [-1/4, 1/2].
#if defined(NSOP_KERNELS_LOG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_LOG_INL_H_
#undef NSOP_KERNELS_LOG_INL_H_
#else
#define NSOP_KERNELS_LOG_INL_H_
#endif

#include <limits>

#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// q of log(1 + r) = r + r^2 q(r), r in [-1/4, 1/2], within 0.61 units of roundoff of the logarithm.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_rest(D d, V r) {
  V q = hn::MulAdd(r, hn::Set(d, 0.0541325025f), hn::Set(d, -0.120673723f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.149839182f));
  q = hn::MulAdd(q, r, hn::Set(d, -0.168228116f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.199770771f));
  q = hn::MulAdd(q, r, hn::Set(d, -0.249934423f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.333335486f));
  return hn::MulAdd(q, r, hn::Set(d, -0.500000606f));
}

template <class V>
struct LogParts {
  V exponent;  // e; -infinity for 0, infinity for infinity
  V r;         // m - 1; NaN for NaN and below 0
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE LogParts<V> log_parts(D d, V x) {
#if NSOP_HAVE_FLOAT_TABLES
  const V m{_mm512_getmant_ps(x.raw, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan)};
  // The exponent of x, one more where m was halved into [3/4, 1).
  const V e{_mm512_sub_ps(_mm512_getexp_ps(x.raw), _mm512_getexp_ps(m.raw))};
  return {e, hn::Sub(m, hn::Set(d, 1.0f))};
#else
  const hn::RebindToSigned<D> di;
  // Denormals are scaled into the normal range.
  const V tiny = hn::VecFromMask(d, hn::Lt(x, hn::Set(d, 0x1p-126f)));
  const V scale = hn::Or(hn::And(tiny, hn::Set(d, 0x1p24f)), hn::AndNot(tiny, hn::Set(d, 1.0f)));
  const auto bits = hn::BitCast(di, hn::Mul(x, scale));
  // Subtracting the bits of 3/4 leaves the exponent of x / (3/4) above the fraction.
  const auto offset = hn::Sub(bits, hn::Set(di, 0x3f400000));
  const auto exponent = hn::ShiftRight<23>(offset);
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  V e = hn::ConvertTo(d, exponent);
  e = hn::Sub(e, hn::And(tiny, hn::Set(d, 24.0f)));
  V r = hn::Sub(m, hn::Set(d, 1.0f));
  const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  e = select(d, hn::Eq(x, infinity), infinity, e);
  e = select(d, hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), e);
  r = select(d, hn::Ge(x, hn::Zero(d)), r, hn::Set(d, std::numeric_limits<float>::quiet_NaN()));
  return {e, r};
#endif
}

#if NSOP_HAVE_FLOAT_TABLES

// Per sixteenth of the mantissa, [1, 3/2) before [3/4, 1): c near 1/m, chosen so that -log(c) is
// very nearly a float, and that. Next to 1, c is 1, for the relative error of small logarithms.
alignas(64) constexpr float kLogScale[16] = {
    0x1p+0f,        0x1.d40f4ep-1f, 0x1.badefep-1f, 0x1.a42db0p-1f, 0x1.8f9708p-1f, 0x1.7cf1b6p-1f,
    0x1.6c1380p-1f, 0x1.5caeb8p-1f, 0x1.4e5f7ep+0f, 0x1.41525ap+0f, 0x1.352496p+0f, 0x1.29e368p+0f,
    0x1.1f81eep+0f, 0x1.159aaep+0f, 0x1.0cadccp+0f, 0x1p+0f};
alignas(64) constexpr float kLogOfScale[16] = {
    0x0p+0f,         0x1.6f8740p-4f,  0x1.290ddap-3f,  0x1.94c6f2p-3f,
    0x1.fbab7ep-3f,  0x1.2ec494p-2f,  0x1.5d2504p-2f,  0x1.8961fep-2f,
    -0x1.117d5ap-2f, -0x1.d1707ap-3f, -0x1.824e78p-3f, -0x1.365b36p-3f,
    -0x1.db6deep-4f, -0x1.4bda8ep-4f, -0x1.8bff52p-5f, 0x0p+0f};

// The natural logarithm: log(x) = (e ln 2 - log c) + log(1 + r) with r = c m - 1 in [-1/32, 1/16].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  const V m{_mm512_getmant_ps(x.raw, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan)};
  const V e{_mm512_sub_ps(_mm512_getexp_ps(x.raw), _mm512_getexp_ps(m.raw))};
  // Of an index, the lowest 4 bits count.
  const __m512i index = _mm512_srli_epi32(_mm512_castps_si512(m.raw), 19);
  const V c{_mm512_permutexvar_ps(index, _mm512_load_ps(kLogScale))};
  const V log_c{_mm512_permutexvar_ps(index, _mm512_load_ps(kLogOfScale))};
  const V r = hn::MulSub(m, c, hn::Set(d, 1.0f));
  V q = hn::MulAdd(r, hn::Set(d, 0.189366874f), hn::Set(d, -0.250132340f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.333344987f));
  q = hn::MulAdd(q, r, hn::Set(d, -0.49999998f));
  const V low = hn::MulAdd(hn::Mul(r, r), q, r);
  return hn::Add(hn::MulAdd(e, hn::Set(d, 0.693147182f), log_c), low);
}

#else

// The natural logarithm.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  const LogParts<V> p = log_parts(d, x);
  const V rest = hn::Mul(hn::Mul(p.r, p.r), log1p_rest(d, p.r));
  // The first part of ln 2 is short: its product is exact, and so is the sum with r where the two
  // cancel. The second part is positive, too, so that infinite exponents don't meet.
  const V high = hn::MulAdd(p.exponent, hn::Set(d, 0.693145752f), p.r);
  return hn::Add(high, hn::MulAdd(p.exponent, hn::Set(d, 1.42860677e-6f), rest));
}

#endif  // NSOP_HAVE_FLOAT_TABLES

// log2(x) = e + r log2(e) + r^2 q log2(e), log10 likewise: `unit` is log_b(2) and `factor`
// log_b(e), each in two parts of which the first has few enough bits for exact products with e, and
// the second is not negative.
struct LogBase {
  float unit_high;
  float unit_low;
  float factor_high;
  float factor_low;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_to_base(D d, V x, LogBase b) {
  const LogParts<V> p = log_parts(d, x);
  const V rest = hn::Mul(hn::Mul(p.r, p.r), log1p_rest(d, p.r));
  // factor_high has 12 bits: its product with the upper 12 bits of r is exact without FMA, too.
  const hn::RebindToSigned<D> di;
  const V r_high = hn::BitCast(d, hn::And(hn::BitCast(di, p.r), hn::Set(di, ~0xfff)));
  const V r_low = hn::Sub(p.r, r_high);
  V low = hn::MulAdd(r_high, hn::Set(d, b.factor_low),
                     hn::Mul(hn::Add(r_low, rest), hn::Set(d, b.factor_high + b.factor_low)));
  // Infinity times 0 would be NaN.
  if (b.unit_low != 0) low = hn::MulAdd(p.exponent, hn::Set(d, b.unit_low), low);
  const V whole = hn::Mul(p.exponent, hn::Set(d, b.unit_high));
  return hn::Add(hn::MulAdd(r_high, hn::Set(d, b.factor_high), whole), low);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V log2(D d, V x) {
  return log_to_base(d, x, {1.0f, 0.0f, 0x1.714p+0f, 0x1.47652cp-12f});
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V log10(D d, V x) {
  return log_to_base(d, x, {0x1.344p-2f, 0x1.3509f8p-18f, 0x1.bcap-2f, 0x1.7b1526p-14f});
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
