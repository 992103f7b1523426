#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// Keeps the latest results, as the caller of an allocating function would until its next call.
class AllocatingStep final : public Step {
 public:
  AllocatingStep(const StepRequest& request, Function function)
      : function_(std::move(function)), outputs_(request.outputs.size()) {
    for (const Tensor& input : request.inputs) inputs_.push_back(input.data().data());
  }
  void run() override { function_(inputs_, outputs_); }
  std::span<const float> output(size_t i) const override { return outputs_[i]; }

 private:
  Function function_;
  Inputs inputs_;
  std::vector<Floats> outputs_;
};

}  // namespace

Variant elementwise(const std::string& op, const std::string& summary,
                    std::function<Function(const Case&)> bind) {
  return {
      .op = op,
      .name = "elementwise",
      .role = Role::kBefore,
      .summary = summary,
      .targets = [] { return std::vector<std::string>{"x86-64"}; },
      .unsupported = [](const Case&, int threads) -> std::string {
        return threads == 1 ? "" : "elementwise runs on one thread only";
      },
      .prepare = [bind = std::move(bind)](const StepRequest& request) -> std::unique_ptr<Step> {
        return std::make_unique<AllocatingStep>(request, bind(request.op_case));
      },
  };
}

}  // namespace nsop::reference::before
