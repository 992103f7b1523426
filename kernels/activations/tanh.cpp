#include "kernels/activations/tanh.h"

#include "kernels/elementwise/unary_step.h"
#include "kernels/half/half_step.h"
#include "kernels/runtime/fresh_step.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/tanh.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/half/half-inl.h"
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

// 4 and 6 bytes per element.
HalfUnaryPart tanh_halves(HalfType type) {
  return type == HalfType::kBf16 ? map_halves_unary<Bf16, Tanh> : map_halves_unary<F16, Tanh>;
}
HalfBinaryPart tanh_gradient_halves(HalfType type) {
  return type == HalfType::kBf16 ? map_halves_binary<Bf16, TanhGradient>
                                 : map_halves_binary<F16, TanhGradient>;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(tanh_part);
HWY_EXPORT(tanh_gradient_part);
HWY_EXPORT(tanh_halves);
HWY_EXPORT(tanh_gradient_halves);

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
const Variant hwy = with_halves(
    unary_variant("tanh", tanh_forward, tanh_backward),
    half_unary({[](HalfType type) { return HWY_DYNAMIC_DISPATCH(tanh_halves)(type); },
                [](HalfType type) { return HWY_DYNAMIC_DISPATCH(tanh_gradient_halves)(type); }}));
const ForkingRow row{hwy};
const VariantRow fresh_row{fresh_variant(hwy)};
}  // namespace

}  // namespace nsop::kernels
#endif  // HWY_ONCE
