#include "kernels/probes/fork_join.h"

#include <algorithm>
#include <cassert>

#include "kernels/runtime/step.h"

namespace nsop::kernels {

void fork_join(std::span<const float> x, std::span<float> y, ThreadPool& thread_pool) {
  assert(x.size() % kForkJoinFloats == 0 && y.size() == x.size());
  const size_t parts = x.size() / kForkJoinFloats;
  thread_pool.parallel(static_cast<int>(parts), [&](int part, int) {
    const size_t at = static_cast<size_t>(part) * kForkJoinFloats;
    std::copy_n(x.data() + at, kForkJoinFloats, y.data() + at);
  });
}

namespace {

std::unique_ptr<Step> prepare(const StepRequest& request) {
  return make_step(request, 0, "persistent helpers, spinning, then asleep",
                   [](StepBuffers& b) { fork_join(b.in[0], b.out[0], *b.thread_pool); });
}

const VariantRow row{Variant{
    .op = "fork_join",
    .name = "pool",
    .role = Role::kOurs,
    .summary = "the pool's fork and join",
    .targets = [] { return std::vector<std::string>{kBaselineTarget}; },
    .unsupported = [](const Case&, int) { return std::string(); },
    .prepare = prepare,
}};

}  // namespace
}  // namespace nsop::kernels
