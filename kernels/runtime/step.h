// From kernels to registered variants: a Step that owns its workspace.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/registry.h"
#include "kernels/runtime/target.h"
#include "kernels/runtime/thread_pool.h"

namespace nsop::kernels {

// What a kernel works on while its step runs. Tensors belong to the caller of the step, the
// workspace (aligned, uninitialised) to the step.
struct StepBuffers {
  std::vector<std::span<const float>> in;
  std::vector<std::span<float>> out;
  Tensor workspace;
  ThreadPool* thread_pool = nullptr;
};

// All of a kernel's step but the call of the kernel.
class BufferedStep : public Step {
 public:
  BufferedStep(const StepRequest& request, size_t workspace_floats, std::string chose)
      : chose_(std::move(chose)) {
    for (const Tensor& tensor : request.inputs) buffers_.in.push_back(tensor.data());
    for (Tensor& tensor : request.outputs) buffers_.out.push_back(tensor.data());
    buffers_.workspace = Tensor({static_cast<int64_t>(workspace_floats)});
    buffers_.thread_pool = &shared_threads(request.threads);
  }

  std::span<const float> output(size_t i) const override { return buffers_.out[i]; }
  std::string chose() const override { return chose_; }
  size_t workspace_bytes() const override { return buffers_.workspace.size() * sizeof(float); }

  // From now on the i-th output is written there: as many floats, in memory of the caller.
  void put_output(size_t i, float* destination) {
    buffers_.out[i] = {destination, buffers_.out[i].size()};
  }

 protected:
  StepBuffers& buffers() { return buffers_; }

 private:
  StepBuffers buffers_;
  std::string chose_;
};

template <class Run>
class KernelStep final : public BufferedStep {
 public:
  KernelStep(const StepRequest& request, size_t workspace_floats, std::string chose, Run run)
      : BufferedStep(request, workspace_floats, std::move(chose)), run_(std::move(run)) {}

  void run() override { run_(buffers()); }

 private:
  Run run_;
};

// A step that calls run(StepBuffers&). `request` needs to live only during this call; the data of
// its tensors as long as the step.
template <class Run>
std::unique_ptr<Step> make_step(const StepRequest& request, size_t workspace_floats,
                                std::string chose, Run run) {
  return std::make_unique<KernelStep<Run>>(request, workspace_floats, std::move(chose),
                                           std::move(run));
}

// The variant `hwy` of an op. The target is pinned, process-wide, before `prepare` is called: of
// several prepared steps only the latest is sure to run on the target it asked for.
inline Variant hwy_variant(std::string op, std::string summary,
                           std::function<std::unique_ptr<Step>(const StepRequest&)> prepare) {
  Variant variant;
  variant.op = std::move(op);
  variant.name = "hwy";
  variant.role = Role::kOurs;
  variant.summary = std::move(summary);
  variant.targets = targets;
  variant.unsupported = [](const Case&, int) { return std::string(); };
  variant.prepare = [prepare = std::move(prepare)](const StepRequest& request) {
    pin_target(request.target);
    return prepare(request);
  };
  return variant;
}

// The same on a pool that forks for any work: what thresholds are measured with.
inline Variant forked_variant(Variant variant) {
  variant.name = "forked";
  variant.role = Role::kProbe;
  variant.types = {"f32"};
  variant.summary = "the same, on all threads however little there is to do";
  variant.unsupported = [](const Case&, int threads) {
    return std::string(threads == 1 ? "one thread has nobody to share the work with" : "");
  };
  variant.prepare = [prepare = variant.prepare](const StepRequest& request) {
    const EagerThreadPools eager;
    return prepare(request);
  };
  return variant;
}

// Registers a variant and its forked twin: for ops that the suite of thresholds measures.
struct ForkingRow {
  explicit ForkingRow(const Variant& variant, const char* file = __builtin_FILE())
      : row(variant, file), forked(forked_variant(variant), file) {}
  VariantRow row, forked;
};

}  // namespace nsop::kernels
