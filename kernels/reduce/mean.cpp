#include "kernels/reduce/mean.h"

#include <cassert>

#include "kernels/reduce/reduce.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/mean.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

void fill(float value, float* y, size_t n) {
  const FloatTag d;
  const FloatVec v = hn::Set(d, value);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(v, d, y + i);
  if (i < n) store_n(v, d, y + i, n - i);
}

// dx [length, columns] = dy [columns] / divisor; rows of dx are `stride` apart.
void spread_columns(const float* dy, const Columns& shape, float divisor, float* dx) {
  const FloatTag d;
  const FloatVec by = hn::Set(d, divisor);
  for (size_t j = 0; j < shape.columns; j += kLanes) {
    const size_t count = HWY_MIN(kLanes, shape.columns - j);
    const FloatVec v = hn::Div(load_n(d, dy + j, count), by);
    float* to = dx + j;
    if (count == kLanes) {
      for (size_t i = 0; i < shape.length; ++i) hn::StoreU(v, d, to + i * shape.stride);
    } else {
      for (size_t i = 0; i < shape.length; ++i) store_n(v, d, to + i * shape.stride, count);
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(fill);
HWY_EXPORT(spread_columns);

// One long row, or several, cut anywhere.
void spread_rows(const AxisShape& shape, const float* dy, float* dx, ThreadPool& thread_pool) {
  const auto code = HWY_DYNAMIC_DISPATCH(fill);
  const auto divisor = static_cast<float>(shape.length);
  parallel_chunks(thread_pool, shape.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    while (begin < end) {
      const size_t row = begin / shape.length;
      const size_t row_end = std::min(end, (row + 1) * shape.length);
      code(dy[row] / divisor, dx + begin, row_end - begin);
      begin = row_end;
    }
  });
}

}  // namespace

void mean_backward(const AxisShape& shape, std::span<const float> dy, std::span<float> dx,
                   ThreadPool& thread_pool) {
  assert(dy.size() == shape.lines() && dx.size() == shape.size());
  if (shape.inner == 1) return spread_rows(shape, dy.data(), dx.data(), thread_pool);
  const auto code = HWY_DYNAMIC_DISPATCH(spread_columns);
  parallel_columns(
      thread_pool, shape, kArithmeticElements, [&](size_t outer, size_t begin, size_t end) {
        code(dy.data() + outer * shape.inner + begin, {shape.length, shape.inner, end - begin},
             static_cast<float>(shape.length),
             dx.data() + outer * shape.length * shape.inner + begin);
      });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const AxisShape shape = axis_shape_of(request.op_case);
  if (request.op_case.str("pass") == "backward") {
    return make_step(request, 0, "one pass", [shape](StepBuffers& b) {
      mean_backward(shape, b.in[0], b.out[0], *b.thread_pool);
    });
  }
  const Reducer reducer(Reduction::kMean, shape);
  return make_step(request, reducer.workspace_floats(request.threads),
                   reducer.algorithm(shared_threads(request.threads)), [reducer](StepBuffers& b) {
                     reducer.run(b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
                   });
}

const VariantRow row{
    hwy_variant("mean", "several sums per lane, parts of long lines on threads", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
