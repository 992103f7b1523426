// exp, tanh and sigmoid on vectors. Included once per target.
//
// All go through e^z = 2^n e^r with n = round(z / ln 2) and |r| <= ln(2) / 2.
#if defined(NSOP_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_MATH_INL_H_
#undef NSOP_KERNELS_MATH_INL_H_
#else
#define NSOP_KERNELS_MATH_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The smaller of limit and v; NaN where v is NaN, on every target.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V min_keep_nan(D /*d*/, V limit, V v) {
#if HWY_TARGET == HWY_SCALAR
  return V(limit.raw < v.raw ? limit.raw : v.raw);  // compiles to minss, no branch
#else
  return hn::Min(limit, v);  // x86 returns the second operand when one is NaN
#endif
}

// The larger of limit and v; NaN where v is NaN, on every target.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V max_keep_nan(D /*d*/, V limit, V v) {
#if HWY_TARGET == HWY_SCALAR
  return V(limit.raw > v.raw ? limit.raw : v.raw);
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

// e^z = scale * (1 + rest), scale = 2^(n + bias), for z with |n| and n + bias in the normal range.
template <class V>
struct ExpParts {
  V scale;
  V rest;  // e^r - 1
};

// `bias` is given as the bits of an exponent, a value per lane. `rest`, if any, is a small second
// part of z, in [-0.06, 0].
template <class D, class... Rest, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V z, hn::Vec<hn::RebindToSigned<D>> bias, Rest... rest) {
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
  if constexpr (sizeof...(rest) > 0) r = hn::Add(r, rest...);
  V p = hn::MulAdd(r, hn::Set(d, 0.00138825f), hn::Set(d, 0.00836655f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0416672f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.16666543f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.49999997f));
  return {scale, hn::MulAdd(hn::Mul(r, r), p, r)};
}

template <int kBias, class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V z) {
  const hn::RebindToSigned<D> di;
  return exp_parts(d, z, hn::Set(di, kBias << 23));
}

// 2^64 e^-a for a >= 0: scaled, it is a normal number down to where results vanish. NaN for NaN.
constexpr float kExpUnscale = 0x1p-64f;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_negative_scaled(D d, V a) {
  // Even 1000 e^-130 rounds to 0.
  const ExpParts<V> e = exp_parts<64>(d, hn::Neg(min_keep_nan(d, hn::Set(d, 130.0f), a)));
  return hn::MulAdd(e.scale, e.rest, e.scale);
}

// e^-a for a >= 0, gradual underflow included; NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_negative(D d, V a) {
  return hn::Mul(exp_negative_scaled(d, a), hn::Set(d, kExpUnscale));
}

// e^x for any x: gradual underflow, infinity beyond the range, NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V z = max_keep_nan(d, hn::Set(d, -104.0f), min_keep_nan(d, hn::Set(d, 89.0f), x));
  // n goes from -150 to 128: 2^(n + 24) for negative x and 2^(n - 1) for the others are normal.
  const auto negative = hn::BroadcastSignBit(hn::BitCast(di, z));
  const auto bias = hn::Add(hn::Set(di, -1 << 23), hn::And(negative, hn::Set(di, 25 << 23)));
  const V unbias = hn::BitCast(
      d, hn::Sub(hn::Set(di, (127 + 1) << 23), hn::And(negative, hn::Set(di, 25 << 23))));
  const ExpParts<V> e = exp_parts(d, z, bias);
  return hn::Mul(hn::MulAdd(e.scale, e.rest, e.scale), unbias);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = exp_negative(d, hn::Abs(x));
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(numerator, hn::Add(one, e));
}

// tanh(|x|) = t / (t + 2) with t = e^(2|x|) - 1, which loses nothing near 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
  const V a = min_keep_nan(d, hn::Set(d, 9.1f), hn::Abs(x));  // tanh(9.1) rounds to 1
  const ExpParts<V> e = exp_parts<0>(d, hn::Add(a, a));
  const V t = hn::MulAdd(e.scale, e.rest, hn::Sub(e.scale, hn::Set(d, 1.0f)));
  return hn::CopySign(hn::Div(t, hn::Add(t, hn::Set(d, 2.0f))), x);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
