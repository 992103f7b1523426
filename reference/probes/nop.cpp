// nop: copies one float. What it costs is the floor of every other row: one virtual call, one load,
// one store.
#include "harness/core/registry.h"

namespace nsop::reference {
namespace {

class CopyStep final : public Step {
 public:
  explicit CopyStep(const StepRequest& request)
      : from_(request.inputs[0].data()), to_(request.outputs[0].data()) {}
  void run() override { to_[0] = from_[0]; }
  std::span<const float> output(size_t) const override { return to_; }

 private:
  std::span<const float> from_;
  std::span<float> to_;
};

const OpRow op_row{Op{
    .spec = {.name = "nop", .summary = "Copies one float: the cost of a call.", .params = {}},
    .validate = {},
    .inputs = [](const Case&) { return std::vector<InputSpec>{{.name = "x", .shape = {1}}}; },
    .outputs = [](const Case&) { return std::vector<OutputSpec>{{.name = "y", .shape = {1}}}; },
    .shape_inputs = {},
    .oracle = [](const Case&, std::span<const Tensor> in,
                 std::span<TensorF64> out) { out[0].data[0] = in[0].data()[0]; },
    .tolerance = [](const Case&) { return Tolerance{}; },
    .work = [](const Case&) { return Work{.flops = 0, .macs = 0, .bytes = 8}; },
}};

const VariantRow call_row{Variant{
    .op = "nop",
    .name = "call",
    .role = Role::kOurs,
    .summary = "An empty operation behind the interface that every variant is called through.",
    .targets = [] { return std::vector<std::string>{kBaselineTarget}; },
    .unsupported = [](const Case&, int threads) -> std::string {
      return threads == 1 ? "" : "nop runs on one thread only";
    },
    .prepare = [](const StepRequest& request) -> std::unique_ptr<Step> {
      return std::make_unique<CopyStep>(request);
    },
}};

}  // namespace
}  // namespace nsop::reference
