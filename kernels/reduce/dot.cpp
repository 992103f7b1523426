#include "kernels/reduce/dot.h"

#include <cassert>

#include "kernels/runtime/pages.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/dot.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

HWY_INLINE FloatVec add_product(const float* a, const float* b, FloatVec sum) {
  const FloatTag d;
  return hn::MulAdd(hn::LoadU(d, a), hn::LoadU(d, b), sum);
}

// 8 bytes and 2 flops per element. Four sums: two loads per product leave no use for more.
float dot_part(const float* a, const float* b, size_t n) {
  const FloatTag d;
  FloatVec sum0 = hn::Zero(d);
  FloatVec sum1 = hn::Zero(d);
  FloatVec sum2 = hn::Zero(d);
  FloatVec sum3 = hn::Zero(d);
  size_t i = 0;
  for (const size_t paged = paged_floats(n); i < paged; i += kPageGroup) {
    for (size_t j = i; j < i + kPageFloats; j += kLanes) {
      sum0 = add_product(a + j, b + j, sum0);
      sum1 = add_product(a + j + kPageFloats, b + j + kPageFloats, sum1);
      sum2 = add_product(a + j + 2 * kPageFloats, b + j + 2 * kPageFloats, sum2);
      sum3 = add_product(a + j + 3 * kPageFloats, b + j + 3 * kPageFloats, sum3);
    }
  }
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    sum0 = add_product(a + i, b + i, sum0);
    sum1 = add_product(a + i + kLanes, b + i + kLanes, sum1);
    sum2 = add_product(a + i + 2 * kLanes, b + i + 2 * kLanes, sum2);
    sum3 = add_product(a + i + 3 * kLanes, b + i + 3 * kLanes, sum3);
  }
  if (i + 2 * kLanes <= n) {
    sum0 = add_product(a + i, b + i, sum0);
    sum1 = add_product(a + i + kLanes, b + i + kLanes, sum1);
    i += 2 * kLanes;
  }
  if (i + kLanes <= n) {
    sum2 = add_product(a + i, b + i, sum2);
    i += kLanes;
  }
  if (i < n) sum3 = hn::MulAdd(load_n(d, a + i, n - i), load_n(d, b + i, n - i), sum3);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

Dot::Code dot_code() { return dot_part; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(dot_code);

}  // namespace

Dot::Dot(size_t count) : count_(count), code_(HWY_DYNAMIC_DISPATCH(dot_code)()) {}

size_t Dot::workspace_floats(int threads) const {
  return threads == 1 ? 0 : static_cast<size_t>(threads);
}

float Dot::run(std::span<const float> a, std::span<const float> b, std::span<float> workspace,
               ThreadPool& thread_pool) const {
  assert(a.size() == count_ && b.size() == count_);
  const size_t count = worthwhile_parts(thread_pool, count_, kReducedElements);
  if (count == 1) return code_(a.data(), b.data(), count_);
  assert(workspace.size() >= count);
  thread_pool.parallel(static_cast<int>(count), [&](int part, int) {
    const Range range = split_range(count_, 64, count, static_cast<size_t>(part));
    workspace[part] = code_(a.data() + range.begin, b.data() + range.begin, range.size());
  });
  float sum = workspace[0];
  for (size_t p = 1; p < count; ++p) sum += workspace[p];
  return sum;
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Dot dot(static_cast<size_t>(request.op_case.integer("n")));
  return make_step(request, dot.workspace_floats(request.threads), "4 sums per lane",
                   [dot](StepBuffers& b) {
                     b.out[0][0] = dot.run(b.in[0], b.in[1], b.workspace.data(), *b.thread_pool);
                   });
}

const ForkingRow row{hwy_variant("dot", "several sums per lane, parts on threads", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
