// mish: 8 bytes per element, backward 12.
#include "kernels/elementwise/mish.h"

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/unary_step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/mish.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// tanh(log(1 + e^x)) = n / (n + rest). With t = e^-|x|, which is at most 1, nothing overflows or
// cancels: for x < 0, n = t (t + 2) and rest = 2; else, both times t^2, n = 1 + 2 t and rest = 2
// t^2.
struct MishParts {
  FloatVec x, t, n, rest;
  hn::Mask<FloatTag> negative;
  // Below -1000 the function has long been 0: keeps infinity out of products with it.
  HWY_INLINE MishParts(FloatTag d, FloatVec any) {
    const FloatVec two = hn::Set(d, 2.0f);
    x = max_keep_nan(d, hn::Set(d, -1000.0f), any);
    t = exp_negative(d, hn::Abs(x));
    negative = hn::Lt(x, hn::Zero(d));
    n = select(d, negative, hn::Mul(t, hn::Add(t, two)), hn::MulAdd(two, t, hn::Set(d, 1.0f)));
    rest = select(d, negative, two, hn::Mul(two, hn::Mul(t, t)));
  }
};

struct MishValue {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const {
    const MishParts p(d, x);
    return hn::Mul(p.x, quotient(d, p.n, hn::Add(p.n, p.rest)));
  }
};

struct MishGradient {
  // tanh + x sigmoid (1 - tanh^2), and 1 - tanh^2 = rest (2 n + rest) / (n + rest)^2.
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, FloatVec dy) const {
    const FloatVec one = hn::Set(d, 1.0f);
    const MishParts p(d, min_keep_nan(d, hn::Set(d, 1000.0f), x));
    const FloatVec q = reciprocal(d, hn::Add(p.n, p.rest));
    const FloatVec sigmoid = quotient(d, select(d, p.negative, p.t, one), hn::Add(one, p.t));
    const FloatVec twice = hn::Add(hn::Add(p.n, p.n), p.rest);
    const FloatVec bend = hn::Mul(hn::Mul(p.rest, q), hn::Mul(twice, q));
    return hn::Mul(dy, hn::MulAdd(hn::Mul(p.x, sigmoid), bend, hn::Mul(p.n, q)));
  }
};

UnaryPart mish_part() { return map_unary<MishValue>; }
BinaryPart mish_gradient_part() { return map_binary<MishGradient>; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(mish_part);
HWY_EXPORT(mish_gradient_part);

}  // namespace

void mish_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) {
  run_unary(HWY_DYNAMIC_DISPATCH(mish_part)(), x, y, thread_pool, kFunctionElements);
}

void mish_backward(std::span<const float> x, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool) {
  run_binary(HWY_DYNAMIC_DISPATCH(mish_gradient_part)(), x, dy, dx, thread_pool, kFunctionElements);
}

namespace {

const VariantRow mish_row{unary_variant("mish", mish_forward, mish_backward)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
