// Sine and cosine on vectors. Included once per target.
//
// x = n pi/2 + r with |r| <= pi/4, then a polynomial for sin r or cos r by the parity of n.
#if defined(NSOP_KERNELS_TRIG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_TRIG_INL_H_
#undef NSOP_KERNELS_TRIG_INL_H_
#else
#define NSOP_KERNELS_TRIG_INL_H_
#endif

#include <cmath>

#include "kernels/math/doubles-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// Up to here r is exact to a fraction of its last place, even next to zeros of the result. Beyond,
// each lane is handed to the C library, which reduces by as many digits of pi as it takes.
constexpr float kTrigLimit = 1e5f;

// x - n pi/2.
HWY_INLINE FloatVec reduce_half_pi(FloatTag d, FloatVec x, FloatVec n) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  // pi/2 in three floats, all positive to keep -0. With fused multiply-add the first difference is
  // exact and the second is rounded in proportion to what is left.
  FloatVec r = hn::NegMulAdd(n, hn::Set(d, 0x1.921fb4p+0f), x);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.4442dp-24f), r);
  return hn::NegMulAdd(n, hn::Set(d, 0x1.846988p-48f), r);
#else
  // In two doubles, the first of 33 bits for exact products.
  (void)d;
  return with_doubles(
      [](DoubleTag dd, DoubleVec wide_x, DoubleVec wide_n) HWY_ATTR {
        const DoubleVec r = hn::Sub(wide_x, hn::Mul(wide_n, hn::Set(dd, 0x1.921fb544p+0)));
        return hn::Sub(r, hn::Mul(wide_n, hn::Set(dd, 0x1.0b4611a626331p-34)));
      },
      x, n);
#endif
}

// sin r = r + r^3 s(r^2), cos r = 1 - r^2/2 + r^4 c(r^2) for |r| <= pi/4.
HWY_INLINE FloatVec sin_reduced(FloatTag d, FloatVec r, FloatVec square) {
  FloatVec s = hn::MulAdd(square, hn::Set(d, -1.95152516e-4f), hn::Set(d, 8.33216057e-3f));
  s = hn::MulAdd(s, square, hn::Set(d, -0.166666546f));
  return hn::MulAdd(hn::Mul(s, square), r, r);
}

HWY_INLINE FloatVec cos_reduced(FloatTag d, FloatVec square) {
  FloatVec c = hn::MulAdd(square, hn::Set(d, 2.44331267e-5f), hn::Set(d, -1.38873160e-3f));
  c = hn::MulAdd(c, square, hn::Set(d, 0.0416666457f));
  const FloatVec rest = hn::MulAdd(c, square, hn::Set(d, -0.5f));
  return hn::MulAdd(rest, square, hn::Set(d, 1.0f));
}

// The lanes of y where x is large, infinite or NaN, from the C library.
template <bool kCosine>
HWY_NOINLINE FloatVec trig_far(FloatTag d, FloatVec x, FloatVec y) {
  HWY_ALIGN float xs[kLanes];
  HWY_ALIGN float ys[kLanes];
  hn::Store(x, d, xs);
  hn::Store(y, d, ys);
  for (size_t i = 0; i < kLanes; ++i) {
    if (std::fabs(xs[i]) <= kTrigLimit) continue;
    const double wide = xs[i];
    ys[i] = static_cast<float>(kCosine ? std::cos(wide) : std::sin(wide));
  }
  return hn::Load(d, ys);
}

template <bool kCosine>
HWY_INLINE FloatVec sin_or_cos(FloatTag d, FloatVec x) {
  const hn::RebindToSigned<FloatTag> di;
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const FloatVec magic = hn::Set(d, 12582912.0f);
  const FloatVec shifted = hn::MulAdd(x, hn::Set(d, 0.636619747f), magic);
  const FloatVec r = reduce_half_pi(d, x, hn::Sub(shifted, magic));
  auto quadrant = hn::BitCast(di, shifted);
  if constexpr (kCosine) quadrant = hn::Add(quadrant, hn::Set(di, 1));
  const FloatVec square = hn::Mul(r, r);
  const auto odd = hn::BitCast(d, hn::ShiftLeft<31>(quadrant));
  // r + r^3 s would be +0 for -0.
  const FloatVec sine = select(d, hn::Eq(r, hn::Zero(d)), r, sin_reduced(d, r, square));
  const FloatVec cosine = cos_reduced(d, square);
  const auto take_cosine =
      hn::MaskFromVec(hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, odd))));
  const auto sign = hn::And(hn::ShiftLeft<30>(quadrant), hn::Set(di, INT32_MIN));
  const FloatVec y = hn::Xor(select(d, take_cosine, cosine, sine), hn::BitCast(d, sign));
  const auto near = hn::Le(hn::Abs(x), hn::Set(d, kTrigLimit));
  if (HWY_LIKELY(hn::AllTrue(d, near))) return y;
  return trig_far<kCosine>(d, x, y);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
