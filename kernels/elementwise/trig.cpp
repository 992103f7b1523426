// Variants of sin cos: 8 bytes per element. Declared in unary.h.
#include "kernels/elementwise/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/trig.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/trig-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Sin {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return sin_or_cos<false>(d, x); }
};

struct Cos {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return sin_or_cos<true>(d, x); }
};

UnaryPart trig_part_of(Unary op) {
  switch (op) {
    case Unary::kSin:
      return map_unary<Sin>;
    case Unary::kCos:
      return map_unary<Cos>;
    default:
      return nullptr;
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(trig_part_of);
}  // namespace

UnaryPart trig_part(Unary op) { return HWY_DYNAMIC_DISPATCH(trig_part_of)(op); }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
