#include "layers/training/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "kernels/elementwise/unary.h"
#include "layers/core/threads.h"

namespace nsop::layers {
namespace {

using kernels::Unary;

void require_positive(const char* what, double value) {
  if (value > 0) return;
  throw usage_error(
      fmt::format("gradient clipping: {} is {}, expected a number above 0", what, value));
}

}  // namespace

GradientClipper::GradientClipper(const std::vector<Parameter>& parameters, int threads)
    : thread_pool_(&checked_threads(threads, "gradient clipping")) {
  size_t workspace = 0;
  for (const Parameter& p : parameters) {
    if (p.gradient.empty()) continue;
    const kernels::AxisShape line{1, p.gradient.size(), 1};
    parts_.push_back({p.gradient, kernels::Reducer(kernels::Reduction::kNormL2, line)});
    workspace = std::max(workspace, parts_.back().norm.workspace_floats(threads));
  }
  Arena measuring;
  measuring.take(workspace);
  arena_ = Arena(measuring.plan());
  workspace_ = arena_.take(workspace);
}

void GradientClipper::clip_value(double limit) {
  require_positive("limit", limit);
  const auto bound = static_cast<float>(limit);
  for (const Part& part : parts_) {
    kernels::unary(Unary::kClip, {-bound, bound}, part.gradient, part.gradient, *thread_pool_);
  }
}

double GradientClipper::clip_norm(double max_norm) {
  require_positive("max_norm", max_norm);
  double squares = 0;
  for (const Part& part : parts_) {
    float norm = 0;
    part.norm.run(part.gradient, {&norm, 1}, workspace_, *thread_pool_);
    squares += static_cast<double>(norm) * norm;
  }
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm) || norm <= max_norm) return norm;
  const auto factor = static_cast<float>(max_norm / norm);
  for (const Part& part : parts_) {
    kernels::unary(Unary::kScale, {factor}, part.gradient, part.gradient, *thread_pool_);
  }
  return norm;
}

}  // namespace nsop::layers
