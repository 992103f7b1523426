#include "kernels/layout/concat.h"

#include <cassert>

#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layout/concat.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The elements [begin, end) of y.
void concat_part(const ConcatShape& s, const float* a, const float* b, float* y, size_t begin,
                 size_t end) {
  const size_t width = s.a_width + s.b_width;
  size_t row = begin / width;
  size_t column = begin % width;
  while (begin < end) {
    const bool first = column < s.a_width;
    const size_t left = (first ? s.a_width : width) - column;
    const size_t count = HWY_MIN(left, end - begin);
    copy_floats(first ? a + row * s.a_width + column : b + row * s.b_width + column - s.a_width,
                y + begin, count);
    begin += count;
    column += count;
    if (column == width) {
      column = 0;
      ++row;
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(concat_part);

}  // namespace

void concat(const ConcatShape& shape, std::span<const float> a, std::span<const float> b,
            std::span<float> y, ThreadPool& thread_pool) {
  assert(a.size() == shape.outer * shape.a_width && b.size() == shape.outer * shape.b_width);
  assert(y.size() == a.size() + b.size());
  const auto part = HWY_DYNAMIC_DISPATCH(concat_part);
  parallel_chunks(thread_pool, y.size(), kArithmeticElements, [&](size_t begin, size_t end) {
    part(shape, a.data(), b.data(), y.data(), begin, end);
  });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  const std::vector<int64_t> a = c.shape("a");
  const std::vector<int64_t> b = c.shape("b");
  const size_t axis = std::stoul(c.str("axis"));
  ConcatShape shape = {1, 1, 1};
  for (size_t d = 0; d < a.size(); ++d) {
    if (d < axis) {
      shape.outer *= static_cast<size_t>(a[d]);
    } else {
      shape.a_width *= static_cast<size_t>(a[d]);
      shape.b_width *= static_cast<size_t>(b[d]);
    }
  }
  return make_step(request, 0, "rows", [shape](StepBuffers& s) {
    concat(shape, s.in[0], s.in[1], s.out[0], *s.thread_pool);
  });
}

const VariantRow row{hwy_variant("concat", "copies of rows, split over threads", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
