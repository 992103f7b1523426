#include "kernels/activations/sigmoid.h"

#include "kernels/elementwise/unary_step.h"
#include "kernels/runtime/fresh_step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activations/sigmoid.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/elementwise-inl.h"
#include "kernels/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Sigmoid {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x) const { return sigmoid(d, x); }
};

struct SigmoidGradient {
  HWY_INLINE FloatVec operator()([[maybe_unused]] FloatTag d, FloatVec y, FloatVec dy) const {
#if HWY_NATIVE_FMA
    return hn::Mul(dy, hn::NegMulAdd(y, y, y));  // y - y * y, rounded once
#else
    return hn::Mul(hn::Mul(dy, y), hn::Sub(hn::Set(d, 1.0f), y));
#endif
  }
};

#if NSOP_HAVE_FLOAT_TABLES

// sigmoid() of -87 <= x <= 87 or NaN. Without its branch, neighbouring vectors overlap.
HWY_INLINE FloatVec sigmoid_inside(FloatTag d, FloatVec x) {
  const ExpReduced<FloatVec> e = exp_reduce<ExpRest::kBoth>(d, hn::Neg(x));
  const FloatVec power = times_power(hn::MulAdd(e.power, e.rest, e.power), e.n);
  return reciprocal(d, hn::Add(power, hn::Set(d, 1.0f)));
}

// The number of larger magnitude; of a number and NaN, the number.
HWY_INLINE FloatVec farther(FloatVec a, FloatVec b) {
  return FloatVec{_mm512_range_ps(a.raw, b.raw, 0x0b)};
}

// Four vectors, each kApart floats after the one before: one test of the range for all.
template <bool kNontemporal, size_t kApart>
HWY_INLINE void sigmoid_four(const float* x, float* y) {
  const FloatTag d;
  const FloatVec x0 = hn::LoadU(d, x);
  const FloatVec x1 = hn::LoadU(d, x + kApart);
  const FloatVec x2 = hn::LoadU(d, x + 2 * kApart);
  const FloatVec x3 = hn::LoadU(d, x + 3 * kApart);
  const FloatVec farthest = hn::Abs(farther(farther(x0, x1), farther(x2, x3)));
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(farthest, hn::Set(d, 87.0f))))) {
    for (size_t j = 0; j < 4 * kApart; j += kApart) {
      put<kNontemporal>(sigmoid(d, hn::LoadU(d, x + j)), d, y + j);
    }
    return;
  }
  put<kNontemporal>(sigmoid_inside(d, x0), d, y);
  put<kNontemporal>(sigmoid_inside(d, x1), d, y + kApart);
  put<kNontemporal>(sigmoid_inside(d, x2), d, y + 2 * kApart);
  put<kNontemporal>(sigmoid_inside(d, x3), d, y + 3 * kApart);
}

// Returns the number of elements done.
HWY_NOINLINE size_t sigmoid_nontemporal(const float* x, float* y, size_t n) {
  size_t i = 0;
  if (goes_by_pages()) {
    i = n / kPageGroup * kPageGroup;
    for_each_place(i, [=](size_t j) HWY_ATTR { sigmoid_four<true, kPageFloats>(x + j, y + j); });
  }
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) sigmoid_four<true, kLanes>(x + i, y + i);
  hwy::FlushStream();
  return i;
}

// The same, with plain stores to lines that are asked for ahead.
HWY_NOINLINE size_t sigmoid_asking(const float* x, float* y, size_t n) {
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    ask_ahead(y + i);
    sigmoid_four<false, kLanes>(x + i, y + i);
  }
  return i;
}

void sigmoid_groups(const float* x, float* y, size_t n, const ElementwiseArgs& args) {
  size_t i = 0;
  if (HWY_UNLIKELY(args.nontemporal)) {
    i = sigmoid_nontemporal(x, y, n);
  } else if (HWY_UNLIKELY(asks_ahead(n))) {
    i = sigmoid_asking(x, y, n);
  }
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) sigmoid_four<false, kLanes>(x + i, y + i);
  map_rest(Sigmoid(), y, i, n, Moving{x});
}

// 8 bytes per element.
UnaryPart sigmoid_part() { return sigmoid_groups; }

#else

UnaryPart sigmoid_part() { return map_unary<Sigmoid>; }

#endif  // NSOP_HAVE_FLOAT_TABLES

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

void sigmoid_forward(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) {
  run_unary(HWY_DYNAMIC_DISPATCH(sigmoid_part)(), x, y, thread_pool, kFunctionElements);
}

void sigmoid_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                      ThreadPool& thread_pool) {
  run_binary(HWY_DYNAMIC_DISPATCH(sigmoid_gradient_part)(), y, dy, dx, thread_pool,
             kArithmeticElements);
}

namespace {
const Variant hwy = unary_variant("sigmoid", sigmoid_forward, sigmoid_backward);
const VariantRow row{hwy};
const VariantRow fresh_row{fresh_variant(hwy)};
}  // namespace

}  // namespace nsop::kernels
#endif  // HWY_ONCE
