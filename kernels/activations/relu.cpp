#include "kernels/activations/relu.h"

#include <cassert>

#include "kernels/elementwise/unary_step.h"
#include "kernels/half/half_step.h"
#include "kernels/runtime/fresh_step.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/relu.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/half/half-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Relu {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    return max_keep_nan(d, hn::Zero(d), x);
  }
};

struct ReluGradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
#if HWY_TARGET == HWY_SCALAR
    // Selecting would branch, and mispredict half of the time.
    return hn::And(hn::VecFromMask(d, hn::Gt(x, hn::Zero(d))), dy);
#else
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), dy);
#endif
  }
};

// 8 bytes per element.
void relu_of(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) {
  if (done_at_once(thread_pool, x.size(), kArithmeticElements)) {
    return map_rest(Relu(), y.data(), 0, x.size(), Moving{x.data()});
  }
  run_unary_in_chunks(map_unary<Relu>, x, y, thread_pool, kArithmeticElements, {});
}

// 12 bytes per element.
BinaryPart relu_gradient_part() { return map_binary<ReluGradient>; }

// 4 and 6 bytes per element.
HalfUnaryPart relu_halves(HalfType type) {
  return type == HalfType::kBf16 ? map_halves_unary<Bf16, Relu> : map_halves_unary<F16, Relu>;
}
HalfBinaryPart relu_gradient_halves(HalfType type) {
  return type == HalfType::kBf16 ? map_halves_binary<Bf16, ReluGradient>
                                 : map_halves_binary<F16, ReluGradient>;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(relu_of);
HWY_EXPORT(relu_gradient_part);
HWY_EXPORT(relu_halves);
HWY_EXPORT(relu_gradient_halves);

}  // namespace

void relu_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) {
  assert(y.size() == x.size());
  HWY_DYNAMIC_DISPATCH(relu_of)(x, y, thread_pool);
}

void relu_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool) {
  run_binary(HWY_DYNAMIC_DISPATCH(relu_gradient_part)(), x, dy, dx, thread_pool,
             kArithmeticElements);
}

namespace {
const Variant hwy = with_halves(
    unary_variant("relu", relu_forward, relu_backward),
    half_unary({[](HalfType type) { return HWY_DYNAMIC_DISPATCH(relu_halves)(type); },
                [](HalfType type) { return HWY_DYNAMIC_DISPATCH(relu_gradient_halves)(type); }}));
const ForkingRow row{hwy};
const VariantRow fresh_row{fresh_variant(hwy)};
}  // namespace

}  // namespace nsop::kernels
#endif  // HWY_ONCE
