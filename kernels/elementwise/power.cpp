// Variants of pow with a constant exponent: 8 bytes per element. Declared in unary.h.
#include <cmath>

#include "kernels/elementwise/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/power.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/power-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Pow : Power {
  HWY_INLINE explicit Pow(const ElementwiseArgs& args)
      : Power{args.p0, std::floor(args.p0) == args.p0, std::fmod(args.p0, 2.0f) != 0.0f} {
    is_odd = is_odd && is_integer;
  }
};

UnaryPart power_part_of(Unary op) {
  switch (op) {
    case Unary::kPow:
      return map_unary<Pow>;
    default:
      return nullptr;
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {
HWY_EXPORT(power_part_of);
}  // namespace

UnaryPart power_part(Unary op) { return HWY_DYNAMIC_DISPATCH(power_part_of)(op); }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
