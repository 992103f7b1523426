// fma where: 16 bytes per element; axpy: 12.
#include "kernels/ternary.h"

#include <cassert>

#include "kernels/step.h"
#include "kernels/streaming.h"
#include "kernels/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ternary.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise-inl.h"
#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

struct Fma {
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec a, FloatVec b, FloatVec c) const {
    return hn::MulAdd(a, b, c);
  }
};

struct Where {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec cond, FloatVec a, FloatVec b) const {
    return select(d, hn::Gt(cond, hn::Zero(d)), a, b);
  }
};

struct Axpy {
  FloatVec alpha;
  HWY_INLINE explicit Axpy(const ElementwiseArgs& args) : alpha(hn::Set(FloatTag(), args.p0)) {}
  HWY_INLINE FloatVec operator()(FloatTag /*d*/, FloatVec x, FloatVec y) const {
    return hn::MulAdd(alpha, x, y);
  }
};

void fma_part(const float* a, const float* b, const float* c, float* y, size_t n, bool stream) {
  map(Fma(), stream, y, n, Moving{a}, Moving{b}, Moving{c});
}

void where_part(const float* cond, const float* a, const float* b, float* y, size_t n,
                bool stream) {
  map(Where(), stream, y, n, Moving{cond}, Moving{a}, Moving{b});
}

BinaryPart axpy_part() { return map_binary<Axpy>; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(fma_part);
HWY_EXPORT(where_part);
HWY_EXPORT(axpy_part);

using TernaryPart = void (*)(const float* a, const float* b, const float* c, float* y, size_t n,
                             bool stream);

void run_ternary(TernaryPart part, std::span<const float> a, std::span<const float> b,
                 std::span<const float> c, std::span<float> y, Pool& pool) {
  assert(b.size() == a.size() && c.size() == a.size() && y.size() == a.size());
  const bool stream = use_streaming(4, a.size(), y.data());
  parallel_chunks(pool, a.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    part(a.data() + begin, b.data() + begin, c.data() + begin, y.data() + begin, end - begin,
         stream);
  });
}

}  // namespace

void fused_multiply_add(std::span<const float> a, std::span<const float> b,
                        std::span<const float> c, std::span<float> y, Pool& pool) {
  run_ternary(HWY_DYNAMIC_DISPATCH(fma_part), a, b, c, y, pool);
}

void where(std::span<const float> cond, std::span<const float> a, std::span<const float> b,
           std::span<float> y, Pool& pool) {
  run_ternary(HWY_DYNAMIC_DISPATCH(where_part), cond, a, b, y, pool);
}

void axpy(float alpha, std::span<const float> x, std::span<const float> y, std::span<float> z,
          Pool& pool) {
  run_binary(HWY_DYNAMIC_DISPATCH(axpy_part)(), x, y, z, pool, kArithmeticElements, {alpha});
}

namespace {

constexpr const char* kSummary = "one pass over vectors, split over threads";

const VariantRow fma_row{hwy_variant("fma", kSummary, [](const StepRequest& request) {
  return make_step(request, 0, single_pass(request), [](StepBuffers& b) {
    fused_multiply_add(b.in[0], b.in[1], b.in[2], b.out[0], *b.pool);
  });
})};

const VariantRow where_row{hwy_variant("where", kSummary, [](const StepRequest& request) {
  return make_step(request, 0, single_pass(request),
                   [](StepBuffers& b) { where(b.in[0], b.in[1], b.in[2], b.out[0], *b.pool); });
})};

const VariantRow axpy_row{hwy_variant("axpy", kSummary, [](const StepRequest& request) {
  const auto alpha = static_cast<float>(request.op_case.number("alpha"));
  return make_step(request, 0, single_pass(request),
                   [alpha](StepBuffers& b) { axpy(alpha, b.in[0], b.in[1], b.out[0], *b.pool); });
})};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
