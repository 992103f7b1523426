#include "kernels/sigmoid.h"

#include "kernels/activation_step.h"
#include "kernels/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sigmoid.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise-inl.h"
#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Sigmoid {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return sigmoid(d, x); }
};

struct SigmoidGradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec y, FloatVec dy) const {
    return hn::Mul(hn::Mul(dy, y), hn::Sub(hn::Set(d, 1.0f), y));
  }
};

// 8 bytes per element.
UnaryPart sigmoid_part() { return map_unary<Sigmoid>; }

// 12 bytes per element.
BinaryPart sigmoid_gradient_part() { return map_binary<SigmoidGradient>; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(sigmoid_part);
HWY_EXPORT(sigmoid_gradient_part);

}  // namespace

void sigmoid_forward(std::span<const float> x, std::span<float> y, Pool& pool) {
  run_unary(HWY_DYNAMIC_DISPATCH(sigmoid_part)(), x, y, pool, kFunctionElements);
}

void sigmoid_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                      Pool& pool) {
  run_binary(HWY_DYNAMIC_DISPATCH(sigmoid_gradient_part)(), y, dy, dx, pool, kArithmeticElements);
}

namespace {
const VariantRow row{activation_variant("sigmoid", sigmoid_forward, sigmoid_backward)};
}  // namespace

}  // namespace nsop::kernels
#endif  // HWY_ONCE
