// Sums of the lanes of several vectors at once. Included once per target.
#if defined(NSOP_KERNELS_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_SUMS_INL_H_
#undef NSOP_KERNELS_SUMS_INL_H_
#else
#define NSOP_KERNELS_SUMS_INL_H_
#endif

#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// Lane i of the result is the sum of v[i], for i < 4: 10 shuffles and 5 additions at most instead
// of as many for each of the four.
HWY_INLINE hn::Vec<hn::FixedTag<float, 4>> sums_of_4(const FloatVec (&v)[4]) {
  const FloatTag d;
  const hn::RepartitionToWide<FloatTag> d64;
  const auto pair = [&](FloatVec a, FloatVec b) HWY_ATTR {
    return hn::BitCast(d64, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  };
  const auto v01 = pair(v[0], v[1]);
  const auto v23 = pair(v[2], v[3]);
  // In each 128-bit block the sums of that block.
  const FloatVec blocks = hn::Add(hn::BitCast(d, hn::InterleaveLower(d64, v01, v23)),
                                  hn::BitCast(d, hn::InterleaveUpper(d64, v01, v23)));
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::Half<FloatTag> half;
  const auto folded = hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks));
#else
  const auto folded = blocks;
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX2
  const hn::FixedTag<float, 4> d4;
  return hn::Add(hn::LowerHalf(d4, folded), hn::UpperHalf(d4, folded));
#else
  return folded;
#endif
}
#endif

// out[i] = the sum of the lanes of v[i].
template <size_t kCount>
HWY_INLINE void store_sums(const FloatVec (&v)[kCount], float* out) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kCount == 4) {
    hn::StoreU(sums_of_4(v), hn::FixedTag<float, 4>(), out);
    return;
  }
#endif
  for (size_t i = 0; i < kCount; ++i) out[i] = hn::GetLane(hn::SumOfLanes(FloatTag(), v[i]));
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
