// exp, tanh and sigmoid on vectors. Included once per target.
#if defined(NSOP_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_MATH_INL_H_
#undef NSOP_KERNELS_MATH_INL_H_
#else
#define NSOP_KERNELS_MATH_INL_H_
#endif

#include "hwy/highway.h"

#if HWY_ARCH_X86
#include <xmmintrin.h>
#endif

#include "kernels/math/exp_parts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// One instruction that returns its second operand when one is NaN. The conditional expression that
// means the same is compiled to a branch, which is mispredicted half of the time.
HWY_INLINE float scalar_min(float a, float b) {
#if HWY_ARCH_X86
  return _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
  return a < b ? a : b;
#endif
}

HWY_INLINE float scalar_max(float a, float b) {
#if HWY_ARCH_X86
  return _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
  return a > b ? a : b;
#endif
}

HWY_INLINE double scalar_min(double a, double b) { return a < b ? a : b; }
HWY_INLINE double scalar_max(double a, double b) { return a > b ? a : b; }
#endif

// The smaller of limit and v; NaN where v is NaN, on every target.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V min_keep_nan(D /*d*/, V limit, V v) {
#if HWY_TARGET == HWY_SCALAR
  return V(scalar_min(limit.raw, v.raw));
#else
  return hn::Min(limit, v);  // x86 returns the second operand when one is NaN
#endif
}

// The larger of limit and v; NaN where v is NaN, on every target.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V max_keep_nan(D /*d*/, V limit, V v) {
#if HWY_TARGET == HWY_SCALAR
  return V(scalar_max(limit.raw, v.raw));
#else
  return hn::Max(limit, v);
#endif
}

// yes where the mask is set, else no. On SCALAR without the branch that IfThenElse compiles to: it
// would be mispredicted half of the time.
template <class D, class M, class V = hn::Vec<D>>
HWY_INLINE V select(D d, M mask, V yes, V no) {
#if HWY_TARGET == HWY_SCALAR
  const V bits = hn::VecFromMask(d, mask);
  return hn::Or(hn::And(bits, yes), hn::AndNot(bits, no));
#else
  (void)d;
  return hn::IfThenElse(mask, yes, no);
#endif
}

// 1 / b for b in the normal range, not infinite, to half a place and a bit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V reciprocal(D d, V b) {
  const V one = hn::Set(d, 1.0f);
#if NSOP_HAVE_FLOAT_TABLES
  // An estimate to 2^-14 and one step of Newton take a third of the time of a division.
  const V estimate{_mm512_rcp14_ps(b.raw)};
  return hn::MulAdd(hn::NegMulAdd(b, estimate, one), estimate, estimate);
#else
  return hn::Div(one, b);
#endif
}

// a / b for such b and any a, to one place.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V quotient(D d, V a, V b) {
#if NSOP_HAVE_FLOAT_TABLES
  return hn::Mul(a, reciprocal(d, b));
#else
  (void)d;
  return hn::Div(a, b);
#endif
}

// The same to half a place and a bit, for finite a; a zero loses its sign.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V close_quotient(D d, V a, V b) {
#if NSOP_HAVE_FLOAT_TABLES
  const V estimate{_mm512_rcp14_ps(b.raw)};
  const V q = hn::Mul(a, estimate);
  return hn::MulAdd(hn::NegMulAdd(b, q, a), estimate, q);
#else
  (void)d;
  return hn::Div(a, b);
#endif
}

// 2^64 e^-a for a >= 0: scaled, it is a normal number down to where results vanish. NaN for NaN.
constexpr float kExpUnscale = 0x1p-64f;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_negative_scaled(D d, V a) {
  // Even 1000 e^-130 rounds to 0.
  const V z = hn::Neg(min_keep_nan(d, hn::Set(d, 130.0f), a));
#if NSOP_HAVE_FLOAT_TABLES
  const ExpReduced<V> e = exp_reduce<ExpRest::kBoth>(d, z);
  return times_power(hn::MulAdd(e.power, e.rest, e.power), hn::Add(e.n, hn::Set(d, 64.0f)));
#else
  const ExpParts<V> e = exp_parts<64>(d, z);
  return hn::MulAdd(e.scale, e.rest, e.scale);
#endif
}

// e^-a for a >= 0, gradual underflow included; NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_negative(D d, V a) {
#if NSOP_HAVE_FLOAT_TABLES
  const ExpReduced<V> e =
      exp_reduce<ExpRest::kBoth>(d, hn::Neg(min_keep_nan(d, hn::Set(d, 130.0f), a)));
  return times_power(hn::MulAdd(e.power, e.rest, e.power), e.n);
#else
  return hn::Mul(exp_negative_scaled(d, a), hn::Set(d, kExpUnscale));
#endif
}

// e^x for any x: gradual underflow, infinity beyond the range, NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const V z = max_keep_nan(d, hn::Set(d, -104.0f), min_keep_nan(d, hn::Set(d, 89.0f), x));
#if NSOP_HAVE_FLOAT_TABLES
  const ExpReduced<V> e = exp_reduce<ExpRest::kPower>(d, z);
  return times_power(hn::MulAdd(e.power, e.rest, e.power), e.n);
#else
  const hn::RebindToSigned<D> di;
  // n goes from -150 to 128: 2^(n + 24) for negative x and 2^(n - 1) for the others are normal.
  const auto negative = hn::BroadcastSignBit(hn::BitCast(di, z));
  const auto bias = hn::Add(hn::Set(di, -1 << 23), hn::And(negative, hn::Set(di, 25 << 23)));
  const V unbias = hn::BitCast(
      d, hn::Sub(hn::Set(di, (127 + 1) << 23), hn::And(negative, hn::Set(di, 25 << 23))));
  const ExpParts<V> e = exp_parts_biased(d, z, bias);
  return hn::Mul(hn::MulAdd(e.scale, e.rest, e.scale), unbias);
#endif
}

// 1 / (1 + e^-x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid_anywhere(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = exp_negative(d, hn::Abs(x));
  const V numerator = select(d, hn::Lt(x, hn::Zero(d)), e, one);
  return close_quotient(d, numerator, hn::Add(one, e));
}

#if NSOP_HAVE_FLOAT_TABLES

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  // Where 1 + e^-x is no infinity, nothing needs to be told apart by the sign of x.
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Ge(x, hn::Set(d, -87.0f))))) return sigmoid_anywhere(d, x);
  const V one = hn::Set(d, 1.0f);
  const ExpReduced<V> e = exp_reduce<ExpRest::kBoth>(d, hn::Neg(hn::Min(x, hn::Set(d, 130.0f))));
  return reciprocal(d, hn::Add(times_power(hn::MulAdd(e.power, e.rest, e.power), e.n), one));
}

// e^(2a) - 1 for a in [0, 10]. Without tables: rounded powers would cost as much to set right next
// to 0 as the longer polynomial. The error of ln 2 as one float matters only where tanh no longer
// depends on it.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1_of_double(D d, V a) {
  const hn::RebindToSigned<D> di;
  const V z = hn::Add(a, a);
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(z, hn::Set(d, 1.44269504f), magic);
  const V r = hn::NegMulAdd(hn::Sub(shifted, magic), hn::Set(d, 0.693147182f), z);
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  const V scale = hn::BitCast(d, hn::Add(exponent, hn::Set(di, 127 << 23)));
  return hn::MulAdd(scale, exp_polynomial(d, r), hn::Sub(scale, hn::Set(d, 1.0f)));
}

#else

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  return sigmoid_anywhere(d, x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1_of_double(D d, V a) {
  const ExpParts<V> e = exp_parts<0>(d, hn::Add(a, a));
  return hn::MulAdd(e.scale, e.rest, hn::Sub(e.scale, hn::Set(d, 1.0f)));
}

#endif  // NSOP_HAVE_FLOAT_TABLES

// tanh(|x|) = t / (t + 2) with t = e^(2|x|) - 1, which loses nothing near 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
  const V a = min_keep_nan(d, hn::Set(d, 9.1f), hn::Abs(x));  // tanh(9.1) rounds to 1
  const V t = expm1_of_double(d, a);
  return hn::CopySign(close_quotient(d, t, hn::Add(t, hn::Set(d, 2.0f))), x);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
