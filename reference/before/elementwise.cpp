#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// Keeps the latest results, as the caller of an allocating function would until its next call.
class AllocatingStep final : public Step {
 public:
  AllocatingStep(const StepRequest& request, Passes passes)
      : passes_(std::move(passes)), outputs_(request.outputs.size()) {
    for (const Tensor& input : request.inputs) inputs_.push_back(input.data().data());
    inputs_changed();
  }
  void run() override { passes_.run(inputs_, outputs_); }
  void inputs_changed() override {
    if (passes_.save) passes_.save(inputs_);
  }
  std::span<const float> output(size_t i) const override { return outputs_[i]; }

 private:
  Passes passes_;
  Inputs inputs_;
  std::vector<Floats> outputs_;
};

Variant variant(const std::string& op, const std::string& name, const std::string& summary,
                std::function<Passes(const Case&)> bind) {
  return {
      .op = op,
      .name = name,
      .role = Role::kBefore,
      .summary = summary,
      .targets = [] { return std::vector<std::string>{"x86-64"}; },
      .unsupported = [name](const Case&, int threads) -> std::string {
        return threads == 1 ? "" : name + " runs on one thread only";
      },
      .prepare = [bind = std::move(bind)](const StepRequest& request) -> std::unique_ptr<Step> {
        return std::make_unique<AllocatingStep>(request, bind(request.op_case));
      },
  };
}

std::function<Passes(const Case&)> alone(std::function<Function(const Case&)> bind) {
  return [bind = std::move(bind)](const Case& c) { return Passes{bind(c), {}}; };
}

}  // namespace

Variant elementwise(const std::string& op, const std::string& summary,
                    std::function<Function(const Case&)> bind) {
  return variant(op, "elementwise", summary, alone(std::move(bind)));
}

Variant elementwise(const std::string& op, const std::string& summary,
                    std::function<Passes(const Case&)> bind) {
  return variant(op, "elementwise", summary, std::move(bind));
}

Variant tensor_ops(const std::string& op, const std::string& summary,
                   std::function<Function(const Case&)> bind) {
  return variant(op, "tensor_ops", summary, alone(std::move(bind)));
}

}  // namespace nsop::reference::before
