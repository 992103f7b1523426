// x^e on vectors. Included once per target.
//
// 2^(e log2 x) in double precision: an error of log2 x is magnified by up to 150.
#if defined(NSOP_KERNELS_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_POWER_INL_H_
#undef NSOP_KERNELS_POWER_INL_H_
#else
#define NSOP_KERNELS_POWER_INL_H_
#endif

#include <limits>

#include "kernels/math/doubles-inl.h"
#include "kernels/math/log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// log2(1 + r) for r in [-1/4, 1/2], within 2^-35.
HWY_INLINE DoubleVec log2_of_one_plus(DoubleTag d, DoubleVec r) {
  constexpr double kCoefficients[] = {
      -0.10204122061661679, 0.13879328469261343, -0.1492080972379428,  0.16050304162721446,
      -0.18000364482068956, 0.20605685955308856, -0.24045841783238872, 0.28854042798801394,
      -0.36067365346129,    0.48089833264156234, -0.7213475208315885,  1.4426950409106447};
  DoubleVec p = hn::Set(d, 0.03798998242723273);
  for (const double c : kCoefficients) p = hn::MulAdd(p, r, hn::Set(d, c));
  return hn::Mul(p, r);
}

// 2^t for t in [-200, 200], within 2^-29.
HWY_INLINE DoubleVec exp2_double(DoubleTag d, DoubleVec t) {
  constexpr double kCoefficients[] = {0.0013399931361907976, 0.00961848895829059,
                                      0.05550328776613487,   0.24022646890611582,
                                      0.6931472057374294,    1.0000000005541705};
  const hn::RebindToSigned<DoubleTag> di;
  // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
  const DoubleVec magic = hn::Set(d, 6755399441055744.0);
  const DoubleVec shifted = hn::Add(t, magic);
  const DoubleVec f = hn::Sub(t, hn::Sub(shifted, magic));
  DoubleVec p = hn::Set(d, 0.00015345812018734955);
  for (const double c : kCoefficients) p = hn::MulAdd(p, f, hn::Set(d, c));
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}

// x^e for x >= 0 and e other than 0.
HWY_INLINE FloatVec power_of_positive(FloatTag d, FloatVec x, double e) {
  const LogParts<FloatVec> parts = log_parts(d, x);
  return with_doubles(
      [e](DoubleTag dd, DoubleVec exponent, DoubleVec r) HWY_ATTR {
        const DoubleVec log2 = hn::Add(exponent, log2_of_one_plus(dd, r));
        // Beyond these, floats are 0 or infinite.
        const DoubleVec t = min_keep_nan(dd, hn::Set(dd, 130.0), hn::Mul(hn::Set(dd, e), log2));
        return exp2_double(dd, max_keep_nan(dd, hn::Set(dd, -160.0), t));
      },
      parts.exponent, parts.r);
}

// x^e in the sense of C's pow, for finite e other than 0.
struct Power {
  double e;
  bool is_integer;
  bool is_odd;

  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    FloatVec y = power_of_positive(d, hn::Abs(x), e);
    if (is_odd) return hn::CopySign(y, x);
    if (is_integer) return y;
    // Negative and finite: not a real number.
    constexpr float kLargest = std::numeric_limits<float>::max();
    const auto undefined = hn::And(hn::Lt(x, hn::Zero(d)), hn::Ge(x, hn::Set(d, -kLargest)));
    return select(d, undefined, hn::Set(d, std::numeric_limits<float>::quiet_NaN()), y);
  }
};

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
