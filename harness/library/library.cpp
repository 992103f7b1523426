#include "harness/library/library.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace nsop {
namespace {

constexpr double kFloatBytes = 4;

ParamSpec param(std::string name, ParamKind kind) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.kind = kind;
  return spec;
}

// Rows are made before main, where nobody catches.
void must_have(bool there, const std::string& what, const char* part) {
  if (there) return;
  fmt::print(stderr, "nsop: {} has no {}: give one\n", what, part);
  std::abort();
}

// Each element of all tensors read or written once.
double compulsory_bytes(const std::vector<InputSpec>& inputs,
                        const std::vector<OutputSpec>& outputs) {
  double elements = 0;
  for (const InputSpec& one : inputs) elements += static_cast<double>(element_count(one.shape));
  for (const OutputSpec& one : outputs) elements += static_cast<double>(element_count(one.shape));
  return kFloatBytes * elements;
}

class FunctionStep : public Step {
 public:
  FunctionStep(std::function<void()> operation, std::span<Tensor> outputs)
      : operation_(std::move(operation)), outputs_(outputs) {}
  void run() override { operation_(); }
  std::span<const float> output(size_t i) const override { return outputs_[i].data(); }

 private:
  std::function<void()> operation_;
  std::span<Tensor> outputs_;
};

}  // namespace

namespace key {

ParamSpec count(std::string name) { return param(std::move(name), ParamKind::kCount); }
ParamSpec index(std::string name) { return param(std::move(name), ParamKind::kIndex); }
ParamSpec flag(std::string name) { return param(std::move(name), ParamKind::kFlag); }
ParamSpec number(std::string name) { return param(std::move(name), ParamKind::kNumber); }
ParamSpec range(std::string name) { return param(std::move(name), ParamKind::kRange); }

ParamSpec shape(std::string name, int rank) {
  ParamSpec spec = param(std::move(name), ParamKind::kShape);
  spec.rank = rank;
  return spec;
}

ParamSpec choice(std::string name, std::vector<std::string> choices) {
  ParamSpec spec = param(std::move(name), ParamKind::kChoice);
  spec.choices = std::move(choices);
  return spec;
}

}  // namespace key

Op define_op(OpDefinition definition) {
  must_have(!definition.name.empty(), "an op", "name");
  const std::string what = fmt::format("op '{}'", definition.name);
  must_have(definition.inputs.get() != nullptr, what, "inputs");
  must_have(definition.outputs.get() != nullptr, what, "outputs");
  must_have(definition.oracle.get() != nullptr, what, "oracle");
  must_have(definition.tolerance.get() != nullptr, what, "tolerance");
  Op op;
  op.spec = {std::move(definition.name), std::move(definition.summary),
             std::move(definition.params)};
  op.validate = std::move(definition.validate);
  op.inputs = definition.inputs.get();
  op.outputs = definition.outputs.get();
  op.oracle = definition.oracle.get();
  op.tolerance = definition.tolerance.get();
  op.work = std::move(definition.work);
  if (!op.work) {
    op.work = [inputs = op.inputs, outputs = op.outputs](const Case& c) {
      return Work{0, 0, compulsory_bytes(inputs(c), outputs(c))};
    };
  }
  return op;
}

Variant define_variant(VariantDefinition definition) {
  must_have(!definition.op.empty(), fmt::format("variant '{}'", definition.name), "op");
  must_have(!definition.name.empty(), fmt::format("a variant of op '{}'", definition.op), "name");
  const std::string what = fmt::format("variant '{}' of '{}'", definition.name, definition.op);
  must_have(definition.prepare.get() != nullptr, what, "prepare");
  Variant variant;
  variant.op = std::move(definition.op);
  variant.name = std::move(definition.name);
  variant.role = definition.role;
  variant.summary = std::move(definition.summary);
  variant.targets = [targets = std::move(definition.targets)] { return targets; };
  variant.unsupported = std::move(definition.unsupported);
  if (!variant.unsupported) {
    variant.unsupported = [](const Case&, int threads) {
      return threads > 1 ? std::string("it runs on one thread only") : std::string();
    };
  }
  variant.prepare = [prepare = definition.prepare.get()](const StepRequest& request) {
    return std::make_unique<FunctionStep>(prepare(request), request.outputs);
  };
  return variant;
}

}  // namespace nsop
