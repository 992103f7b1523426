// abs neg square sqrt recip sign clip scale: 8 bytes and one or two flops per element.
#include "kernels/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/arithmetic.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise-inl.h"
#include "kernels/math-inl.h"

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

struct Sqrt {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec x) const { return hn::Sqrt(x); }
};

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
