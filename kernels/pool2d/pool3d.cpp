#include "kernels/pool2d/pool3d.h"

#include <algorithm>
#include <cassert>

#include "kernels/pool2d/adaptive_pool2d.h"
#include "kernels/runtime/step.h"

namespace nsop::kernels {
namespace {

size_t whole_lines(size_t floats) { return (floats + 15) / 16 * 16; }

}  // namespace

SliceResults::SliceResults(const Pool3dShape& shape, std::span<float> workspace) {
  const size_t size = shape.slices().y_size();
  values = workspace.first(size);
  index = workspace.subspan(whole_lines(size), size);
  rest = workspace.subspan(2 * whole_lines(size));
}

size_t pool3d_workspace_floats(const Pool3dPlan& plan, int threads) {
  const size_t planes = std::max(pool2d_workspace_floats(plan.slices, threads),
                                 pool2d_workspace_floats(plan.depth, threads));
  return 2 * whole_lines(plan.slices.shape().y_size()) + planes;
}

void maxpool3d_backward(const Pool3dShape& shape, std::span<const float> index,
                        std::span<const float> dy, std::span<float> dx, ThreadPool& thread_pool) {
  // Adding dy at an index asks for no windows: a volume is a plane of depth * height rows.
  const Pool2dShape depth = shape.along_depth();
  adaptive_maxpool2d_backward({shape.volumes, shape.depth * shape.height, shape.width,
                               depth.out_height(), depth.out_width()},
                              index, dy, dx, thread_pool);
}

void avgpool3d_forward(const Pool3dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> workspace, ThreadPool& thread_pool) {
  assert(workspace.size() >= pool3d_workspace_floats(plan, thread_pool.threads()));
  const SliceResults slices(plan.shape, workspace);
  avgpool2d_forward(plan.slices, x, slices.values, slices.rest, thread_pool);
  avgpool2d_forward(plan.depth, slices.values, y, slices.rest, thread_pool);
}

void avgpool3d_backward(const Pool3dPlan& plan, std::span<const float> dy, std::span<float> dx,
                        std::span<float> workspace, ThreadPool& thread_pool) {
  assert(workspace.size() >= pool3d_workspace_floats(plan, thread_pool.threads()));
  const SliceResults slices(plan.shape, workspace);
  avgpool2d_backward(plan.depth, dy, slices.values, slices.rest, thread_pool);
  avgpool2d_backward(plan.slices, slices.values, dx, slices.rest, thread_pool);
}

namespace {

Pool3dShape volumes_of(const Case& c) {
  const auto size = [&c](const char* key) { return static_cast<size_t>(c.integer(key)); };
  const std::vector<int64_t> in = c.shape("in");
  return {static_cast<size_t>(in[0] * in[1]),
          static_cast<size_t>(in[2]),
          static_cast<size_t>(in[3]),
          static_cast<size_t>(in[4]),
          {size("k"), size("s"), size("p")}};
}

constexpr const char* kHow = "windows of slices, then of the depth";

std::unique_ptr<Step> prepare_max_volumes(const StepRequest& request) {
  const Pool3dPlan plan = volumes_of(request.op_case);
  if (request.op_case.str("pass") == "forward") {
    return make_step(
        request, pool3d_workspace_floats(plan, request.threads), kHow, [plan](StepBuffers& b) {
          maxpool3d_forward(plan, b.in[0], b.out[0], b.out[1], b.workspace.data(), *b.thread_pool);
        });
  }
  return make_step(request, 0, "dy added at the indices", [s = plan.shape](StepBuffers& b) {
    maxpool3d_backward(s, b.in[1], b.in[2], b.out[0], *b.thread_pool);
  });
}

std::unique_ptr<Step> prepare_average_volumes(const StepRequest& request) {
  const Pool3dPlan plan = volumes_of(request.op_case);
  const size_t floats = pool3d_workspace_floats(plan, request.threads);
  if (request.op_case.str("pass") == "forward") {
    return make_step(request, floats, kHow, [plan](StepBuffers& b) {
      avgpool3d_forward(plan, b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
    });
  }
  return make_step(request, floats, "windows of the depth, then of slices", [plan](StepBuffers& b) {
    avgpool3d_backward(plan, b.in[0], b.out[0], b.workspace.data(), *b.thread_pool);
  });
}

const VariantRow max_row{hwy_variant("maxpool3d",
                                     "the kernel of planes on slices, then winners along the depth",
                                     prepare_max_volumes)};
const VariantRow average_row{hwy_variant(
    "avgpool3d", "the kernel of planes on slices, then along the depth", prepare_average_volumes)};

}  // namespace
}  // namespace nsop::kernels
