#include "kernels/activations/tanh.h"

#include "kernels/elementwise/unary_step.h"
#include "kernels/runtime/fresh_step.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/tanh.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/tanh_table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Tanh {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return tanh_by_table(d, x); }
};

struct TanhGradient {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec y, FloatVec dy) const {
    return hn::Mul(dy, hn::NegMulAdd(y, y, hn::Set(d, 1.0f)));
  }
};

// 8 bytes per element.
UnaryPart tanh_part() { return map_unary<Tanh>; }

// 12 bytes per element.
BinaryPart tanh_gradient_part() { return map_binary<TanhGradient>; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(tanh_part);
HWY_EXPORT(tanh_gradient_part);

}  // namespace

void tanh_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) {
  run_unary(HWY_DYNAMIC_DISPATCH(tanh_part)(), x, y, thread_pool, kFunctionElements);
}

void tanh_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool) {
  run_binary(HWY_DYNAMIC_DISPATCH(tanh_gradient_part)(), y, dy, dx, thread_pool,
             kArithmeticElements);
}

namespace {
const Variant hwy = unary_variant("tanh", tanh_forward, tanh_backward);
const ForkingRow row{hwy};
const VariantRow fresh_row{fresh_variant(hwy)};
}  // namespace

}  // namespace nsop::kernels
#endif  // HWY_ONCE
