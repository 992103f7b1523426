// Double precision for the lanes of a float vector. Included once per target.
#if defined(NSOP_KERNELS_DOUBLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_DOUBLES_INL_H_
#undef NSOP_KERNELS_DOUBLES_INL_H_
#else
#define NSOP_KERNELS_DOUBLES_INL_H_
#endif

#include "kernels/math/doubles_wasm-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

using DoubleTag = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<DoubleTag>;

// f(DoubleTag, DoubleVec...) of the lanes of float vectors, rounded once.
template <class Function, class... Vector>
HWY_INLINE FloatVec with_doubles(const Function& f, Vector... v) {
  const DoubleTag dd;
#if HWY_TARGET == HWY_SCALAR
  // DemoteTo gives the largest float where infinity is right.
  return FloatVec(static_cast<float>(f(dd, hn::PromoteTo(dd, v)...).raw));
#else
  const hn::Rebind<float, DoubleTag> half;
  const auto low = hn::DemoteTo(half, f(dd, hn::PromoteTo(dd, hn::LowerHalf(half, v))...));
  const auto high = hn::DemoteTo(half, f(dd, hn::PromoteTo(dd, hn::UpperHalf(half, v))...));
  return hn::Combine(FloatTag(), high, low);
#endif
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
