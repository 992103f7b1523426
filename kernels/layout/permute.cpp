#include "kernels/layout/permute.h"

#include <algorithm>
#include <cassert>

#include "kernels/runtime/axis.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/ways.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layout/permute.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/runtime/transpose_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

void copy_rows(const Permute& plan, const float* x, float* y, size_t begin, size_t end) {
  for (size_t row = begin; row < end; ++row) {
    const Permute::Place place = plan.place(row);
    copy_floats(x + place.from, y + place.to, plan.length());
  }
}

Permute::Code permute_code() { return {copy_rows, transpose_matrix}; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(permute_code);

// The axes of y: an axis of extent 1 is left out, neighbours in both tensors are one axis.
std::vector<Permute::Axis> merged_axes(const std::vector<int64_t>& shape,
                                       const std::vector<int>& perm) {
  std::vector<size_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * static_cast<size_t>(shape[d]);
  }
  std::vector<Permute::Axis> axes;
  size_t to = 1;
  for (size_t i = perm.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(perm[i]);
    const auto extent = static_cast<size_t>(shape[d]);
    if (!axes.empty() && strides[d] == axes.front().from * axes.front().extent) {
      axes.front().extent *= extent;
    } else if (extent > 1) {
      axes.insert(axes.begin(), {extent, strides[d], to});
    }
    to *= extent;
  }
  if (axes.empty()) axes.push_back({1, 1, 1});
  return axes;
}

}  // namespace

struct Permute::Way {
  Required<const char*> name;
  Required<bool (*)(const Axis& last)> pays;  // can it write lines of that last axis of y?
  Required<void (Permute::*)(const float* x, float* y, ThreadPool& thread_pool) const> run;
};

constinit const Permute::Way Permute::kWays[] = {
    {.name = "rows",  // the last axis stays last: copies of whole rows
     .pays = [](const Axis& last) { return last.from == 1; },
     .run = &Permute::run_rows},
    {.name = "square tiles in registers",  // another axis becomes last
     .pays = [](const Axis&) { return true; },
     .run = &Permute::run_tiles},
};

Permute::Permute(const std::vector<int64_t>& shape, const std::vector<int>& perm)
    : outer_(merged_axes(shape, perm)), code_(HWY_DYNAMIC_DISPATCH(permute_code)()) {
  assert(perm.size() == shape.size());
  last_ = outer_.back();
  outer_.pop_back();
  way_ = &first_that_pays(kWays, last_);
  const auto dense =
      std::find_if(outer_.begin(), outer_.end(), [](const Axis& axis) { return axis.from == 1; });
  assert((dense == outer_.end()) == (last_.from == 1));
  if (dense != outer_.end()) {
    first_ = *dense;
    outer_.erase(dense);
  }
  for (const Axis& axis : outer_) outer_count_ *= axis.extent;
}

Permute::Place Permute::place(size_t outer_index) const {
  Place place;
  for (size_t i = outer_.size(); i-- > 0;) {
    const Axis& axis = outer_[i];
    const size_t at = i == 0 ? outer_index : outer_index % axis.extent;
    outer_index /= axis.extent;
    place.from += at * axis.from;
    place.to += at * axis.to;
  }
  return place;
}

std::string Permute::algorithm() const { return way_->name.value; }

void Permute::run(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) const {
  assert(x.size() == y.size());
  (this->*way_->run.value)(x.data(), y.data(), thread_pool);
}

void Permute::run_rows(const float* x, float* y, ThreadPool& thread_pool) const {
  parallel_lines(thread_pool, {outer_count_, last_.extent, 1}, kArithmeticElements,
                 [&](size_t begin, size_t end) { code_.copy(*this, x, y, begin, end); });
}

void Permute::run_tiles(const float* x, float* y, ThreadPool& thread_pool) const {
  const AxisShape shape = {outer_count_, last_.extent, first_.extent};
  parallel_columns(thread_pool, shape, kArithmeticElements,
                   [&](size_t outer, size_t begin, size_t end) {
                     const Place at = place(outer);
                     code_.transpose(x + at.from + begin, last_.from, last_.extent, end - begin,
                                     y + at.to + begin * first_.to, first_.to);
                   });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  std::vector<int> perm = {1, 0};
  if (c.op() == "permute") {
    perm.clear();
    for (const char digit : c.str("perm")) perm.push_back(digit - '0');
  }
  const Permute permute(c.shape("n"), perm);
  return make_step(request, 0, permute.algorithm(),
                   [permute](StepBuffers& b) { permute.run(b.in[0], b.out[0], *b.thread_pool); });
}

const VariantRow transpose_row{hwy_variant("transpose", "square tiles in registers", prepare)};
const VariantRow permute_row{
    hwy_variant("permute", "whole rows, or square tiles in registers", prepare)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
