#include "kernels/sigmoid.h"

#include <cassert>

#include "kernels/activation_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sigmoid.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise-inl.h"
#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Sigmoid {
  static HWY_INLINE FloatVec apply(FloatTag d, FloatVec x) { return sigmoid(d, x); }
};

struct SigmoidGradient {
  static HWY_INLINE FloatVec apply(FloatTag d, FloatVec y, FloatVec dy) {
    return hn::Mul(hn::Mul(dy, y), hn::Sub(hn::Set(d, 1.0f), y));
  }
};

// 8 bytes per element.
void sigmoid_part(const float* x, float* y, size_t n) { map_unary<Sigmoid>(x, y, n); }

// 12 bytes and 3 flops per element.
void sigmoid_gradient_part(const float* y, const float* dy, float* dx, size_t n) {
  map_binary<SigmoidGradient>(y, dy, dx, n);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(sigmoid_part);
HWY_EXPORT(sigmoid_gradient_part);

// Below that a fork costs more than it brings.
constexpr size_t kLeastForward = 4096;
constexpr size_t kLeastBackward = 16384;

}  // namespace

void sigmoid_forward(std::span<const float> x, std::span<float> y, Pool& pool) {
  assert(y.size() == x.size());
  const auto part = HWY_DYNAMIC_DISPATCH(sigmoid_part);
  parallel_chunks(pool, x.size(), kLeastForward, [&](size_t begin, size_t end) {
    part(x.data() + begin, y.data() + begin, end - begin);
  });
}

void sigmoid_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                      Pool& pool) {
  assert(dy.size() == y.size() && dx.size() == y.size());
  const auto part = HWY_DYNAMIC_DISPATCH(sigmoid_gradient_part);
  parallel_chunks(pool, y.size(), kLeastBackward, [&](size_t begin, size_t end) {
    part(y.data() + begin, dy.data() + begin, dx.data() + begin, end - begin);
  });
}

namespace {
const VariantRow row{activation_variant("sigmoid", sigmoid_forward, sigmoid_backward)};
}  // namespace

}  // namespace nsop::kernels
#endif  // HWY_ONCE
