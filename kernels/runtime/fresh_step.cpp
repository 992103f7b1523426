#include "kernels/runtime/fresh_step.h"

#include <cassert>
#include <memory>
#include <new>
#include <vector>

#include "kernels/runtime/step.h"

namespace nsop::kernels {
namespace {

// Aligned as every tensor is: on other memory a kernel takes another way.
struct FreeFresh {
  void operator()(float* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
};
using Fresh = std::unique_ptr<float, FreeFresh>;

Fresh fresh_floats(size_t n) {
  return Fresh(
      static_cast<float*>(::operator new (n * sizeof(float), std::align_val_t{kAlignment})));
}

class FreshStep final : public Step {
 public:
  FreshStep(std::unique_ptr<BufferedStep> step, size_t outputs)
      : step_(std::move(step)), latest_(outputs), next_(outputs) {}

  void run() override {
    for (size_t i = 0; i < next_.size(); ++i) {
      next_[i] = fresh_floats(step_->output(i).size());
      step_->put_output(i, next_[i].get());
    }
    step_->run();
    for (size_t i = 0; i < next_.size(); ++i) latest_[i] = std::move(next_[i]);
  }
  std::span<const float> output(size_t i) const override { return step_->output(i); }
  void inputs_changed() override { step_->inputs_changed(); }
  std::string chose() const override { return step_->chose(); }
  size_t workspace_bytes() const override { return step_->workspace_bytes(); }

 private:
  std::unique_ptr<BufferedStep> step_;
  std::vector<Fresh> latest_, next_;
};

std::unique_ptr<Step> fresh_step(std::unique_ptr<Step> step, size_t outputs) {
  auto* buffered = dynamic_cast<BufferedStep*>(step.get());
  assert(buffered != nullptr);
  static_cast<void>(step.release());
  return std::make_unique<FreshStep>(std::unique_ptr<BufferedStep>(buffered), outputs);
}

}  // namespace

Variant fresh_variant(Variant variant) {
  variant.name += "_fresh";
  variant.role = Role::kProbe;
  variant.types = {"f32"};
  variant.summary = "the same kernel, with new memory for its results on every call";
  variant.prepare = [prepare = std::move(variant.prepare)](const StepRequest& request) {
    return fresh_step(prepare(request), request.outputs.size());
  };
  return variant;
}

}  // namespace nsop::kernels
