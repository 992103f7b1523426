#include "kernels/layout/pad.h"

#include <cassert>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layout/pad.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

HWY_INLINE void fill_floats(float value, float* y, size_t count) {
  const FloatTag d;
  const FloatVec v = hn::Set(d, value);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(v, d, y + i);
  if (i < count) store_n(v, d, y + i, count - i);
}

// Which row of x is behind row `index` of y; false when that is in a border.
HWY_INLINE bool source_row(const Pad& plan, size_t index, size_t& source) {
  size_t stride = 1;
  source = 0;
  for (size_t d = plan.axes().size() - 1; d-- > 0;) {
    const Pad::Axis& axis = plan.axes()[d];
    const size_t at = index % axis.padded() - axis.border.before;  // wraps below 0: too large
    if (at >= axis.extent) return false;
    source += at * stride;
    stride *= axis.extent;
    index /= axis.padded();
  }
  return true;
}

void pad_rows(const Pad& plan, const float* x, float* y, size_t begin, size_t end) {
  const Pad::Axis last = plan.axes().back();
  const size_t width = last.padded();
  for (size_t row = begin; row < end; ++row) {
    float* to = y + row * width;
    size_t source = 0;
    if (source_row(plan, row, source)) {
      fill_floats(plan.value(), to, last.border.before);
      copy_floats(x + source * last.extent, to + last.border.before, last.extent);
      fill_floats(plan.value(), to + last.border.before + last.extent, last.border.after);
    } else {
      fill_floats(plan.value(), to, width);
    }
  }
}

Pad::Code pad_code() { return pad_rows; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(pad_code);

}  // namespace

Pad::Pad(const std::vector<int64_t>& shape, const std::vector<Border>& borders, float value)
    : value_(value), code_(HWY_DYNAMIC_DISPATCH(pad_code)()) {
  assert(shape.size() == borders.size() && !shape.empty());
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto extent = static_cast<size_t>(shape[d]);
    const Border& border = borders[d];
    if (d > 0 && border.before == 0 && border.after == 0) {
      Axis& axis = axes_.back();
      axis.extent *= extent;
      axis.border.before *= extent;
      axis.border.after *= extent;
    } else {
      axes_.push_back({extent, border});
    }
  }
  for (size_t d = 0; d + 1 < axes_.size(); ++d) rows_ *= axes_[d].padded();
}

void Pad::run(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) const {
  assert(y.size() == rows_ * axes_.back().padded());
  parallel_lines(thread_pool, {rows_, axes_.back().padded(), 1}, kArithmeticElements,
                 [&](size_t begin, size_t end) { code_(*this, x.data(), y.data(), begin, end); });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  const std::vector<int64_t> shape = c.shape("n");
  const std::string& axis = c.str("axis");
  const Border border = {static_cast<size_t>(c.integer("before")),
                         static_cast<size_t>(c.integer("after"))};
  std::vector<Border> borders(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool padded =
        axis == "all" || (axis == "image" ? d + 2 >= shape.size() : d == std::stoul(axis));
    if (padded) borders[d] = border;
  }
  const Pad pad(shape, borders, static_cast<float>(c.number("value")));
  return make_step(request, 0, "rows",
                   [pad](StepBuffers& b) { pad.run(b.in[0], b.out[0], *b.thread_pool); });
}

const VariantRow row{hwy_variant("pad", "rows with their borders, split over threads", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
