#include "kernels/relu.h"

#include <cassert>

#include "kernels/activation_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/relu.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise-inl.h"
#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Relu {
  static HWY_INLINE FloatVec apply(FloatTag d, FloatVec x) {
    return max_keep_nan(d, hn::Zero(d), x);
  }
};

struct ReluGradient {
  static HWY_INLINE FloatVec apply(FloatTag d, FloatVec x, FloatVec dy) {
#if HWY_TARGET == HWY_SCALAR
    // Selecting would branch, and mispredict half of the time.
    return hn::And(hn::VecFromMask(d, hn::Gt(x, hn::Zero(d))), dy);
#else
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), dy);
#endif
  }
};

// 8 bytes and 1 flop per element.
void relu_part(const float* x, float* y, size_t n) { map_unary<Relu>(x, y, n); }

// 12 bytes and 1 flop per element.
void relu_gradient_part(const float* x, const float* dy, float* dx, size_t n) {
  map_binary<ReluGradient>(x, dy, dx, n);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(relu_part);
HWY_EXPORT(relu_gradient_part);

constexpr size_t kLeastPerThread = 32768;  // below that a fork costs more than it brings

}  // namespace

void relu_forward(std::span<const float> x, std::span<float> y, Pool& pool) {
  assert(y.size() == x.size());
  const auto part = HWY_DYNAMIC_DISPATCH(relu_part);
  parallel_chunks(pool, x.size(), kLeastPerThread, [&](size_t begin, size_t end) {
    part(x.data() + begin, y.data() + begin, end - begin);
  });
}

void relu_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                   Pool& pool) {
  assert(dy.size() == x.size() && dx.size() == x.size());
  const auto part = HWY_DYNAMIC_DISPATCH(relu_gradient_part);
  parallel_chunks(pool, x.size(), kLeastPerThread, [&](size_t begin, size_t end) {
    part(x.data() + begin, dy.data() + begin, dx.data() + begin, end - begin);
  });
}

namespace {
const VariantRow row{activation_variant("relu", relu_forward, relu_backward)};
}  // namespace

}  // namespace nsop::kernels
#endif  // HWY_ONCE
