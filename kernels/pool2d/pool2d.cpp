#include "kernels/pool2d/pool2d.h"

#include <algorithm>
#include <cassert>

#include "kernels/pool2d/way.h"
#include "kernels/pool2d/window_rows.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {
namespace {

constexpr std::array kWaysOfPasses = {&kMaxForwardWays, &kMaxBackwardWays, &kAverageForwardWays,
                                      &kAverageBackwardWays};  // by PoolPass

// What a thread does with its share of the units of a pass.
auto share_of(const Pool2dPlan& plan, PoolPass pass, const PoolTensors& tensors) {
  return [&plan, tensors, kernel = plan.way(pass).kernel()](size_t begin, size_t end, float* own) {
    kernel(plan.shape(), tensors, own, begin, end);
  };
}

void pool_forward(const Pool2dPlan& plan, PoolPass pass, const PoolTensors& tensors,
                  std::span<float> workspace, ThreadPool& thread_pool) {
  const Pool2dShape& s = plan.shape();
  parallel_rows(thread_pool, plan.way(pass).units(s), s.down.kernel * s.width, kPooledElements,
                workspace, share_of(plan, pass, tensors));
}

void pool_backward(const Pool2dPlan& plan, PoolPass pass, const PoolTensors& tensors,
                   std::span<float> workspace, ThreadPool& thread_pool) {
  const Pool2dShape& s = plan.shape();
  const size_t units = plan.way(pass).units(s);
  parallel_rows(thread_pool, units, s.x_size() / units, kPoolGradientElements, workspace,
                share_of(plan, pass, tensors));
}

}  // namespace

PoolWays pool_ways(PoolPass pass) { return *kWaysOfPasses[static_cast<size_t>(pass)]; }

Pool2dPlan::Pool2dPlan(const Pool2dShape& shape) : shape_(shape) {
  for (const PoolPass pass : kPoolPasses) {
    ways_[static_cast<size_t>(pass)] = &first_that_pays(pool_ways(pass), shape);
  }
}

const char* Pool2dPlan::algorithm(PoolPass pass) const { return way(pass).name; }

size_t pool2d_workspace_floats(const Pool2dPlan& plan, int threads) {
  size_t floats = 0;
  for (const PoolPass pass : kPoolPasses) {
    floats = std::max(floats, plan.way(pass).floats(plan.shape()));
  }
  return floats * static_cast<size_t>(threads);
}

void maxpool2d_forward(const Pool2dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> index, std::span<float> workspace,
                       ThreadPool& thread_pool) {
  assert(x.size() == plan.shape().x_size() && y.size() == plan.shape().y_size());
  assert(index.size() == y.size());
  assert(workspace.size() >= pool2d_workspace_floats(plan, thread_pool.threads()));
  pool_forward(plan, PoolPass::kMaxForward,
               {.x = x.data(), .y = y.data(), .new_index = index.data()}, workspace, thread_pool);
}

void maxpool2d_backward(const Pool2dPlan& plan, std::span<const float> index,
                        std::span<const float> dy, std::span<float> dx, std::span<float> workspace,
                        ThreadPool& thread_pool) {
  assert(dx.size() == plan.shape().x_size() && dy.size() == plan.shape().y_size());
  assert(index.size() == dy.size());
  assert(workspace.size() >= pool2d_workspace_floats(plan, thread_pool.threads()));
  pool_backward(plan, PoolPass::kMaxBackward,
                {.index = index.data(), .dy = dy.data(), .dx = dx.data()}, workspace, thread_pool);
}

void avgpool2d_forward(const Pool2dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> workspace, ThreadPool& thread_pool) {
  assert(x.size() == plan.shape().x_size() && y.size() == plan.shape().y_size());
  pool_forward(plan, PoolPass::kAverageForward, {.x = x.data(), .y = y.data()}, workspace,
               thread_pool);
}

void avgpool2d_backward(const Pool2dPlan& plan, std::span<const float> dy, std::span<float> dx,
                        std::span<float> workspace, ThreadPool& thread_pool) {
  assert(dx.size() == plan.shape().x_size() && dy.size() == plan.shape().y_size());
  pool_backward(plan, PoolPass::kAverageBackward, {.dy = dy.data(), .dx = dx.data()}, workspace,
                thread_pool);
}

}  // namespace nsop::kernels
