// The variants of maxpool1d, maxpool2d, avgpool1d and avgpool2d.
#include "kernels/runtime/step.h"

#include "kernels/pool2d/pool2d.h"
#include "kernels/runtime/fresh_step.h"

namespace nsop::kernels {
namespace {

// Of planes [h,w], or of lines [l] as planes of one row.
Pool2dShape shape_of(const Case& c) {
  const auto size = [&c](const char* key) { return static_cast<size_t>(c.integer(key)); };
  const std::vector<int64_t> in = c.shape("in");
  Pool2dShape s;
  s.planes = static_cast<size_t>(in[0] * in[1]);
  s.width = static_cast<size_t>(in.back());
  s.across = {size("k"), size("s"), size("p")};
  s.height = in.size() == 4 ? static_cast<size_t>(in[2]) : 1;
  s.down = in.size() == 4 ? s.across : PoolAxis{1, 1, 0};
  return s;
}

std::unique_ptr<Step> prepare_max(const StepRequest& request) {
  const Pool2dPlan plan = shape_of(request.op_case);
  const size_t floats = pool2d_workspace_floats(plan, request.threads);
  if (request.op_case.str("pass") == "forward") {
    return make_step(
        request, floats, plan.algorithm(PoolPass::kMaxForward), [plan](StepBuffers& b) {
          maxpool2d_forward(plan, b.in[0], b.out[0], b.out[1], b.workspace.data(), *b.thread_pool);
        });
  }
  return make_step(request, floats, plan.algorithm(PoolPass::kMaxBackward), [plan](StepBuffers& b) {
    maxpool2d_backward(plan, b.in[1], b.in[2], b.out[0], b.workspace.data(), *b.thread_pool);
  });
}

std::unique_ptr<Step> prepare_average(const StepRequest& request) {
  const Pool2dPlan plan = shape_of(request.op_case);
  const size_t floats = pool2d_workspace_floats(plan, request.threads);
  if (request.op_case.str("pass") == "forward") {
    return make_step(
        request, floats, plan.algorithm(PoolPass::kAverageForward), [plan](StepBuffers& b) {
          avgpool2d_forward(plan, b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
        });
  }
  return make_step(
      request, floats, plan.algorithm(PoolPass::kAverageBackward), [plan](StepBuffers& b) {
        avgpool2d_backward(plan, b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
      });
}

constexpr const char* kSummary = "windows in lanes, split over rows of planes";
constexpr const char* kLines = "the kernel of planes on lines: planes of one row";
const Variant max_hwy = hwy_variant("maxpool2d", kSummary, prepare_max);
const Variant average_hwy = hwy_variant("avgpool2d", kSummary, prepare_average);
const ForkingRow max_row{max_hwy};
const ForkingRow average_row{average_hwy};
const VariantRow max_fresh_row{fresh_variant(max_hwy)};
const VariantRow max_lines_row{hwy_variant("maxpool1d", kLines, prepare_max)};
const VariantRow average_lines_row{hwy_variant("avgpool1d", kLines, prepare_average)};
const VariantRow average_fresh_row{fresh_variant(average_hwy)};

}  // namespace
}  // namespace nsop::kernels
