#include "kernels/probes/peak_flops.h"

#include <cassert>

#include "kernels/runtime/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/probes/peak_flops.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// 12 chains hide the latency of every x86 core so far (two units of 4 cycles need 8; 5 cycles, 10)
// and leave room for a and b among 16 registers. 1024 flops and 8 bytes per element.
void peak_part(const float* x, float a, float b, float* y, size_t n) {
  constexpr size_t kChains = 12;
  const FloatTag d;
  const FloatVec va = hn::Set(d, a);
  const FloatVec vb = hn::Set(d, b);
  for (size_t i = 0; i < n; i += kChains * kLanes) {
    FloatVec z[kChains];
    for (size_t j = 0; j < kChains; ++j) z[j] = hn::LoadU(d, x + i + j * kLanes);
    for (int k = 0; k < kPeakIterations; ++k) {
      for (size_t j = 0; j < kChains; ++j) z[j] = hn::MulAdd(z[j], va, vb);
    }
    for (size_t j = 0; j < kChains; ++j) hn::StoreU(z[j], d, y + i + j * kLanes);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(peak_part);

constexpr size_t kGranule = 192;

}  // namespace

void peak_flops(std::span<const float> x, float a, float b, std::span<float> y,
                ThreadPool& thread_pool) {
  assert(x.size() % kGranule == 0 && y.size() == x.size());
  const auto part = HWY_DYNAMIC_DISPATCH(peak_part);
  const auto parts = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int i, int) {
    const Range range = split_range(x.size(), kGranule, parts, static_cast<size_t>(i));
    part(x.data() + range.begin, a, b, y.data() + range.begin, range.size());
  });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  return make_step(request, 0, "12 chains of multiply-adds", [](StepBuffers& b) {
    peak_flops(b.in[0], b.in[1][0], b.in[2][0], b.out[0], *b.thread_pool);
  });
}

const VariantRow row{
    hwy_variant("peak_flops", "independent chains of multiply-adds on registers", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
