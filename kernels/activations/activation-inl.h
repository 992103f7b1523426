// Activations made of exp and log1p, and their derivatives, on vectors. Included once per target.
#if defined(NSOP_KERNELS_GATES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_GATES_INL_H_
#undef NSOP_KERNELS_GATES_INL_H_
#else
#define NSOP_KERNELS_GATES_INL_H_
#endif

#include "kernels/math/log-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Where all these functions of negative x have reached their limits; keeps -infinity out of
// products with 0.
constexpr float kFarNegative = -1000.0f;

// x / (1 + e^-x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x) {
  const V z = max_keep_nan(d, hn::Set(d, kFarNegative), x);
  const V e = exp_negative_scaled(d, hn::Abs(z));
  const auto negative = hn::Lt(z, hn::Zero(d));
  const V divisor = hn::MulAdd(e, hn::Set(d, kExpUnscale), hn::Set(d, 1.0f));
  // Scaled until the end: x e^x is a normal number where e^x alone no longer is.
  const V numerator = select(d, negative, hn::Mul(z, e), z);
  const V y = quotient(d, numerator, divisor);
  return hn::Mul(y, select(d, negative, hn::Set(d, kExpUnscale), hn::Set(d, 1.0f)));
}

// With s = sigmoid(x): s (1 + x (1 - s)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu_derivative(D d, V x) {
  const V z = max_keep_nan(d, hn::Set(d, kFarNegative), x);
  const V one = hn::Set(d, 1.0f);
  const V e = exp_negative(d, hn::Abs(z));
  const auto negative = hn::Lt(z, hn::Zero(d));
  const V q = reciprocal(d, hn::Add(one, e));
  const V s = hn::Mul(q, select(d, negative, e, one));  // sigmoid(z)
  const V r = hn::Mul(q, select(d, negative, one, e));  // 1 - sigmoid(z), nothing cancelled
  // z r is at most |z| e^-z: far right of 0 it vanishes, but infinity times 0 must not arise.
  return hn::Mul(s, hn::MulAdd(min_keep_nan(d, hn::Set(d, -kFarNegative), z), r, one));
}

// log(1 + e^x) = max(x, 0) + log(1 + t) with t = e^-|x|; for t > 1/2 as log 2 + log((1 + t) / 2).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V x) {
  const V t = exp_negative(d, hn::Abs(x));
  const V half = hn::Set(d, 0.5f);
  const auto big = hn::Gt(t, half);
  const V r = select(d, big, hn::Mul(hn::Sub(t, hn::Set(d, 1.0f)), half), t);
  const V whole = hn::Add(max_keep_nan(d, hn::Zero(d), x),
                          hn::And(hn::VecFromMask(d, big), hn::Set(d, 0.693147182f)));
  return hn::Add(whole, hn::MulAdd(hn::Mul(r, r), log1p_rest(d, r), r));
}

// e^x - 1 for x <= 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1_negative(D d, V x) {
  const V z = max_keep_nan(d, hn::Set(d, -20.0f), x);  // rounds to -1 there
  const ExpParts<V> e = exp_parts<0>(d, z);
  const V y = hn::MulAdd(e.scale, e.rest, hn::Sub(e.scale, hn::Set(d, 1.0f)));
  return hn::CopySign(y, x);  // for -0
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V elu(D d, V x, V alpha) {
  const V negative = hn::Mul(alpha, expm1_negative(d, min_keep_nan(d, hn::Zero(d), x)));
  return select(d, hn::Gt(x, hn::Zero(d)), x, negative);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V elu_derivative(D d, V x, V alpha) {
  const V negative = hn::Mul(alpha, exp_negative(d, hn::Abs(x)));
  return select(d, hn::Gt(x, hn::Zero(d)), hn::Set(d, 1.0f), negative);
}

// The normal distribution at -a <= 0, both times 2^64.
template <class V>
struct NormalTail {
  V density;   // e^(-a^2/2)
  V integral;  // Phi(-a) = density * Q(a)
};

// Q(a) = erfc(a / sqrt 2) e^(a^2/2) / 2 as a polynomial in t = 1 / (1 + 0.35 a).
template <class D, class V = hn::Vec<D>>
HWY_INLINE NormalTail<V> normal_tail(D d, V a) {
  const hn::RebindToSigned<D> di;
  a = min_keep_nan(d, hn::Set(d, 16.0f), a);  // Phi(-16) is below the smallest denormal
  const V t = reciprocal(d, hn::MulAdd(a, hn::Set(d, 0.35f), hn::Set(d, 1.0f)));
  V q = hn::MulAdd(t, hn::Set(d, -0.0291578634f), hn::Set(d, 0.144030817f));
  q = hn::MulAdd(q, t, hn::Set(d, -0.255838801f));
  q = hn::MulAdd(q, t, hn::Set(d, 0.159319485f));
  q = hn::MulAdd(q, t, hn::Set(d, -0.0232122193f));
  q = hn::MulAdd(q, t, hn::Set(d, 0.105552450f));
  q = hn::MulAdd(q, t, hn::Set(d, 0.119821300f));
  q = hn::MulAdd(q, t, hn::Set(d, 0.139863514f));
  q = hn::MulAdd(q, t, hn::Set(d, 0.139621307f));
  // a^2 / 2 in two parts: from the exact square of the upper 12 bits of a and what they lack, its
  // rounded sum and the error of that.
  const V upper = hn::BitCast(d, hn::And(hn::BitCast(di, a), hn::Set(di, ~0xfff)));
  const V half = hn::Set(d, 0.5f);
  const V square = hn::Mul(hn::Mul(upper, half), upper);
  const V lacking = hn::Mul(hn::Mul(hn::Sub(a, upper), half), hn::Add(a, upper));
  const V z = hn::Add(square, lacking);
  const V low = hn::Add(hn::Sub(square, z), lacking);
  const ExpParts<V> e = exp_parts<64>(d, hn::Neg(z), hn::Neg(low));
  const V density = hn::MulAdd(e.scale, e.rest, e.scale);
  return {density, hn::Mul(density, hn::Mul(q, t))};
}

// x Phi(x) with the distribution function Phi of the standard normal distribution.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_erf(D d, V x) {
  const V z = max_keep_nan(d, hn::Set(d, kFarNegative), x);
  const V one = hn::Set(d, 1.0f);
  const V tail = normal_tail(d, hn::Abs(z)).integral;
  const auto negative = hn::Lt(z, hn::Zero(d));
  const V unscale = hn::Set(d, kExpUnscale);
  const V phi = select(d, negative, tail, hn::NegMulAdd(tail, unscale, one));
  return hn::Mul(hn::Mul(z, phi), select(d, negative, unscale, one));
}

// Phi(x) + x e^(-x^2/2) / sqrt(2 pi).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_erf_derivative(D d, V x) {
  const V limit = hn::Set(d, -kFarNegative);
  const V z = max_keep_nan(d, hn::Neg(limit), min_keep_nan(d, limit, x));
  const NormalTail<V> normal = normal_tail(d, hn::Abs(z));
  const V tail = hn::Mul(normal.integral, hn::Set(d, kExpUnscale));
  const V phi = select(d, hn::Lt(z, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0f), tail));
  const V slope = hn::Mul(normal.density, hn::Set(d, 0.398942280f * kExpUnscale));
  return hn::MulAdd(z, slope, phi);
}

// x (1 + tanh u) / 2 = x sigmoid(2 u), u = sqrt(2/pi) (x + 0.044715 x^3): 2 u by this.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_argument(D d, V x) {
  const V cubic = hn::MulAdd(hn::Mul(x, x), hn::Set(d, 0.0713548163f), hn::Set(d, 1.59576912f));
  return hn::Mul(x, cubic);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_tanh(D d, V x) {
  const V z = max_keep_nan(d, hn::Set(d, kFarNegative), x);
  const V e = exp_negative_scaled(d, hn::Abs(gelu_argument(d, z)));
  const auto negative = hn::Lt(z, hn::Zero(d));
  const V divisor = hn::MulAdd(e, hn::Set(d, kExpUnscale), hn::Set(d, 1.0f));
  const V y = quotient(d, select(d, negative, hn::Mul(z, e), z), divisor);
  return hn::Mul(y, select(d, negative, hn::Set(d, kExpUnscale), hn::Set(d, 1.0f)));
}

// With s = sigmoid(2u): s + x s (1 - s) (2u)'.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_tanh_derivative(D d, V x) {
  const V limit = hn::Set(d, -kFarNegative);
  const V z = max_keep_nan(d, hn::Neg(limit), min_keep_nan(d, limit, x));
  const V one = hn::Set(d, 1.0f);
  const V e = exp_negative(d, hn::Abs(gelu_argument(d, z)));
  const auto negative = hn::Lt(z, hn::Zero(d));
  const V q = reciprocal(d, hn::Add(one, e));
  const V s = hn::Mul(q, select(d, negative, e, one));
  const V r = hn::Mul(q, select(d, negative, one, e));
  const V slope = hn::MulAdd(hn::Mul(z, z), hn::Set(d, 3 * 0.0713548163f), hn::Set(d, 1.59576912f));
  return hn::MulAdd(hn::Mul(hn::Mul(z, slope), r), s, s);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
