// Variants of abs neg square sqrt recip sign clip scale: 8 bytes and one or two flops per element.
// Declared in unary.h.
#include "kernels/elementwise/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/arithmetic.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Abs {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec x) const { return hn::Abs(x); }
};

struct Neg {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec x) const { return hn::Neg(x); }
};

struct Square {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec x) const { return hn::Mul(x, x); }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// The instruction takes 12 to 18 cycles per vector, this a half of that. From an estimate of 14
// bits of 1 / sqrt(x): one Newton step, then the residual x - s s, which a multiply-add gives
// exactly, corrects s to the nearest float: for every x of two neighbouring binades (tested), and
// so for all whose residual is a normal number. Other x take the instruction.
// Source: P. Markstein, IA-64 and Elementary Functions (2000), chapter 9. One vector of four takes
// the instruction, too: it keeps the divider busy and the ports of multiply-adds free.
struct Sqrt {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    const hn::RebindToUnsigned<FloatTag> du;
    const auto above = hn::Sub(hn::BitCast(du, x), hn::Set(du, 0x0f800000U));  // 2^-96
    const auto range = hn::Set(du, 0x7f800000U - 0x0f800000U);                 // to infinity
    if (HWY_UNLIKELY(!hn::AllTrue(du, hn::Lt(above, range)))) return hn::Sqrt(x);
    const FloatVec half = hn::Set(d, 0.5f);
    const FloatVec estimate = hn::ApproximateReciprocalSqrt(x);
    const FloatVec s = hn::Mul(x, estimate);
    const FloatVec h = hn::Mul(half, estimate);
    const FloatVec r = hn::NegMulAdd(s, h, half);
    const FloatVec s1 = hn::MulAdd(s, r, s);
    const FloatVec h1 = hn::MulAdd(h, r, h);
    return hn::MulAdd(hn::NegMulAdd(s1, s1, x), h1, s1);
  }
  HWY_INLINE FloatVec beside(FloatTag /*d*/, FloatVec x) const { return hn::Sqrt(x); }
};
#else
struct Sqrt {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec x) const { return hn::Sqrt(x); }
};
#endif

struct Recip {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    return hn::Div(hn::Set(d, 1.0f), x);
  }
};

struct Sign {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    const FloatVec one = hn::CopySign(hn::Set(d, 1.0f), x);
    // Ordered and not zero, so that zeros and NaN stay.
    return select(d, hn::Gt(hn::Abs(x), hn::Zero(d)), one, x);
  }
};

struct Clip {
  FloatVec lo;
  FloatVec hi;
  HWY_INLINE explicit Clip(const ElementwiseArgs& args)
      : lo(hn::Set(FloatTag(), args.p0)), hi(hn::Set(FloatTag(), args.p1)) {}
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    return min_keep_nan(d, hi, max_keep_nan(d, lo, x));
  }
};

struct Scale {
  FloatVec alpha;
  HWY_INLINE explicit Scale(const ElementwiseArgs& args) : alpha(hn::Set(FloatTag(), args.p0)) {}
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec x) const { return hn::Mul(alpha, x); }
};

UnaryPart arithmetic_part_of(Unary op) {
  switch (op) {
    case Unary::kAbs:
      return map_unary<Abs>;
    case Unary::kNeg:
      return map_unary<Neg>;
    case Unary::kSquare:
      return map_unary<Square>;
    case Unary::kSqrt:
      return map_unary<Sqrt>;
    case Unary::kRecip:
      return map_unary<Recip>;
    case Unary::kSign:
      return map_unary<Sign>;
    case Unary::kClip:
      return map_unary<Clip>;
    case Unary::kScale:
      return map_unary<Scale>;
    default:
      return nullptr;
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(arithmetic_part_of);
}  // namespace

UnaryPart arithmetic_part(Unary op) { return HWY_DYNAMIC_DISPATCH(arithmetic_part_of)(op); }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
