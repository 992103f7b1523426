// Loads and stores of a part of a vector, safe at the end of a buffer on every target. Included
// once per target.
#if defined(NSOP_KERNELS_VEC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_VEC_INL_H_
#undef NSOP_KERNELS_VEC_INL_H_
#else
#define NSOP_KERNELS_VEC_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;
constexpr size_t kLanes = hn::MaxLanes(FloatTag());

// Masked loads and stores touch nothing outside the mask here. Highway's MaskedLoad on SSE is an
// aligned load of the whole vector: it faults and reads past the end.
#undef NSOP_HAVE_MASKED_ACCESS
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define NSOP_HAVE_MASKED_ACCESS 1
#else
#define NSOP_HAVE_MASKED_ACCESS 0
#endif

// The first `count` <= lanes floats at `p`, zeros in the other lanes.
template <class D>
HWY_INLINE hn::Vec<D> load_n(D d, const float* p, size_t count) {
#if NSOP_HAVE_MASKED_ACCESS
  return hn::MaskedLoad(hn::FirstN(d, count), d, p);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(D())] = {};
  for (size_t i = 0; i < count; ++i) lanes[i] = p[i];
  return hn::Load(d, lanes);
#endif
}

// Writes the first `count` <= lanes lanes to `p` and nothing else.
template <class D>
HWY_INLINE void store_n(hn::Vec<D> v, D d, float* p, size_t count) {
#if NSOP_HAVE_MASKED_ACCESS
  hn::BlendedStore(v, hn::FirstN(d, count), d, p);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < count; ++i) p[i] = lanes[i];
#endif
}

// dst[i] = src[i] for i < count. Short runs are common: no call, no loop over bytes.
HWY_INLINE void copy_floats(const float* src, float* dst, size_t count) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::LoadU(d, src + i), d, dst + i);
#if NSOP_HAVE_MASKED_ACCESS
  if (i < count) store_n(load_n(d, src + i, count - i), d, dst + i, count - i);
#else
  for (; i < count; ++i) dst[i] = src[i];
#endif
}

// The sum of `count` floats.
inline float sum_of(const float* p, size_t count) {
  const FloatTag d;
  FloatVec sum0 = hn::Zero(d);
  FloatVec sum1 = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    sum0 = hn::Add(sum0, hn::LoadU(d, p + i));
    sum1 = hn::Add(sum1, hn::LoadU(d, p + i + kLanes));
  }
  for (; i < count; i += kLanes) {
    const size_t left = count - i;
    sum0 = hn::Add(sum0, left < kLanes ? load_n(d, p + i, left) : hn::LoadU(d, p + i));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
