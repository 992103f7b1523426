#include "kernels/half/half.h"

#include <cassert>

#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/half/half.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/half/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

template <class Half>
void widen_part(const uint16_t* x, float* y, size_t n) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(Half::widen(hn::LoadU(HalfTag(), x + i)), d, y + i);
  }
  if (i < n) store_n(Half::widen(load_halves(x + i, n - i)), d, y + i, n - i);
}

template <class Half>
void narrow_part(const float* x, uint16_t* y, size_t n) {
  const FloatTag d;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    hn::StoreU(Half::narrow(hn::LoadU(d, x + i)), HalfTag(), y + i);
  }
  if (i < n) store_halves(Half::narrow(load_n(d, x + i, n - i)), y + i, n - i);
}

void widen_bf16(const uint16_t* x, float* y, size_t n) { widen_part<Bf16>(x, y, n); }
void widen_f16(const uint16_t* x, float* y, size_t n) { widen_part<F16>(x, y, n); }
void narrow_bf16(const float* x, uint16_t* y, size_t n) { narrow_part<Bf16>(x, y, n); }
void narrow_f16(const float* x, uint16_t* y, size_t n) { narrow_part<F16>(x, y, n); }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(widen_bf16);
HWY_EXPORT(widen_f16);
HWY_EXPORT(narrow_bf16);
HWY_EXPORT(narrow_f16);

}  // namespace

HalfType half_type_named(const std::string& name) {
  assert(name == "bf16" || name == "f16");
  return name == "bf16" ? HalfType::kBf16 : HalfType::kF16;
}

// 6 bytes per element.
void widen(HalfType type, std::span<const uint16_t> x, std::span<float> y,
           ThreadPool& thread_pool) {
  assert(x.size() == y.size());
  const auto part =
      type == HalfType::kBf16 ? HWY_DYNAMIC_DISPATCH(widen_bf16) : HWY_DYNAMIC_DISPATCH(widen_f16);
  parallel_chunks(thread_pool, x.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    part(x.data() + begin, y.data() + begin, end - begin);
  });
}

void narrow(HalfType type, std::span<const float> x, std::span<uint16_t> y,
            ThreadPool& thread_pool) {
  assert(x.size() == y.size());
  const auto part = type == HalfType::kBf16 ? HWY_DYNAMIC_DISPATCH(narrow_bf16)
                                            : HWY_DYNAMIC_DISPATCH(narrow_f16);
  parallel_chunks(thread_pool, x.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    part(x.data() + begin, y.data() + begin, end - begin);
  });
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
