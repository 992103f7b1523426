// The variants `layer` of optimizer_update, loss and load_batch: optimizer, loss and data loader as
// a training loop calls them.
#include <optional>

#include "kernels/half/half_step.h"
#include "kernels/runtime/step.h"
#include "layers/core/copy.h"
#include "layers/training/dataset.h"
#include "layers/training/loss.h"
#include "layers/training/optimizer.h"

namespace nsop::layers {
namespace {

OptimizerRule rule_of(const std::string& rule) {
  if (rule == "sgd") return Sgd{};
  if (rule == "momentum") return Sgd{.momentum = 0.9};
  if (rule == "nesterov") return Sgd{.momentum = 0.9, .nesterov = true};
  if (rule == "adam") return Adam{};
  if (rule == "adamw") return AdamW{};
  if (rule == "rmsprop") return Rmsprop{};
  return Adagrad{};
}

// Weights, gradients and state lie in memory of the step, where an optimizer changes them in place.
// A result is a function of the inputs, so every run() begins with copying weights and state.
class OptimizerStep : public Step {
 public:
  explicit OptimizerStep(const StepRequest& request)
      : optimizer_(rule_of(request.op_case.str("rule"))),
        weight_(request.inputs[0].shape()),
        gradient_(request.inputs[0].shape()) {
    for (const Tensor& input : request.inputs) inputs_.push_back(input.data());
    optimizer_.init({{"weight", weight_.shape(), weight_.data(), gradient_.data()}},
                    request.threads);
    OptimizerStep::inputs_changed();
  }
  void run() override {
    restore();
    optimizer_.step(kRate);
  }
  std::span<const float> output(size_t i) const override {
    return i == 0 ? ConstFloats(weight_.data()) : optimizer_.state()[i].value;
  }
  void inputs_changed() override { copy_floats(inputs_[1], gradient_.data()); }
  std::string chose() const override { return optimizer_.name(); }
  size_t workspace_bytes() const override { return optimizer_.memory_bytes(); }

 protected:
  ConstFloats given_gradient() const { return inputs_[1]; }
  Floats gradient() { return gradient_.data(); }
  ConstFloats weight() const { return weight_.data(); }

 private:
  void restore() {
    copy_floats(inputs_[0], weight_.data());
    const std::vector<Buffer>& state = optimizer_.state();  // the first counts the steps
    state[0].value[0] = kSteps;
    for (size_t i = 1; i < state.size(); ++i) {
      copy_floats(inputs_[i + 1], state[i].value);
    }
  }

  static constexpr double kRate = 1e-3;
  static constexpr float kSteps = 9;  // done before
  Optimizer optimizer_;
  std::vector<ConstFloats> inputs_;
  Tensor weight_, gradient_;
};

// Gradients come in 16 bits, and a copy of the new weights goes to the next forward pass in them;
// weights and state are float32.
class MixedOptimizerStep final : public OptimizerStep {
 public:
  explicit MixedOptimizerStep(const StepRequest& request)
      : OptimizerStep(request),
        type_(kernels::half_type_named(request.op_case.str("type"))),
        threads_(&kernels::shared_threads(request.threads)),
        gradient16_(weight().size()),
        copy16_(weight().size()),
        copy_(request.outputs.back().data()),
        copy_at_(request.outputs.size() - 1) {
    MixedOptimizerStep::inputs_changed();
  }
  void run() override {
    kernels::widen(type_, gradient16_, gradient(), *threads_);
    OptimizerStep::run();
    kernels::narrow(type_, weight(), copy16_, *threads_);
  }
  ConstFloats output(size_t i) const override {
    if (i != copy_at_) return OptimizerStep::output(i);
    kernels::widen(type_, copy16_, copy_, *threads_);
    return copy_;
  }
  void inputs_changed() override {
    kernels::narrow(type_, given_gradient(), gradient16_, *threads_);
  }

 private:
  kernels::HalfType type_;
  kernels::ThreadPool* threads_;
  std::vector<uint16_t> gradient16_, copy16_;
  Floats copy_;
  size_t copy_at_;
};

LossOptions options_of(const std::string& kind) {
  if (kind == "mse") return {LossKind::kMse};
  if (kind == "huber") return {LossKind::kHuber};
  return {kind == "bce" ? LossKind::kBinaryCrossEntropy : LossKind::kCrossEntropy};
}

class LossStep final : public Step {
 public:
  explicit LossStep(const StepRequest& request)
      : loss_(options_of(request.op_case.str("kind"))),
        x_(request.inputs[0].data()),
        t_(request.inputs[1].data()),
        value_(request.outputs[0].data()),
        gradient_(request.outputs[1].data()) {
    loss_.init(request.inputs[0].shape(), request.threads);
  }
  void run() override { value_[0] = loss_.run(x_, t_, gradient_); }
  std::span<const float> output(size_t i) const override { return i == 0 ? value_ : gradient_; }
  std::string chose() const override { return loss_.name(); }

 private:
  Loss loss_;
  ConstFloats x_, t_;
  Floats value_, gradient_;
};

// A new epoch, with its shuffling, where one ends: part of what a batch costs.
class LoaderStep final : public Step {
 public:
  explicit LoaderStep(const StepRequest& request)
      : examples_(request.inputs[0].data()),
        targets_(request.inputs[1].data()),
        batch_size_(static_cast<size_t>(request.op_case.integer("batch"))) {
    data_.example_shape = request.inputs[0].shape();
    data_.example_shape.erase(data_.example_shape.begin());
    LoaderStep::inputs_changed();
    loader_.emplace(data_, LoaderOptions{.batch = batch_size_});
  }
  void run() override {
    if (loader_->next(batch_)) return;
    loader_->start_epoch();
    loader_->next(batch_);
  }
  std::span<const float> output(size_t i) const override {
    return i == 0 ? batch_.examples : batch_.targets;
  }
  void inputs_changed() override {
    data_.examples.assign(examples_.begin(), examples_.end());
    data_.targets.assign(targets_.begin(), targets_.end());
  }
  std::string chose() const override { return "examples copied by number"; }

 private:
  ConstFloats examples_, targets_;
  size_t batch_size_;
  Dataset data_;
  std::optional<DataLoader> loader_;
  Batch batch_;
};

template <class S>
Variant variant(const std::string& op, const std::string& summary) {
  Variant v =
      kernels::hwy_variant(op, summary, [](const StepRequest& request) -> std::unique_ptr<Step> {
        return std::make_unique<S>(request);
      });
  v.name = "layer";
  return v;
}

Variant loader() {
  Variant v = variant<LoaderStep>("load_batch", "the data loader: one copy of each example");
  v.targets = [] { return std::vector<std::string>{kBaselineTarget}; };
  v.unsupported = [](const Case&, int threads) {
    return std::string(threads == 1 ? "" : "the loader copies on one thread");
  };
  v.prepare = [](const StepRequest& request) -> std::unique_ptr<Step> {
    return std::make_unique<LoaderStep>(request);
  };
  return v;
}

const VariantRow optimizer_row{kernels::with_halves(
    variant<OptimizerStep>("optimizer_update", "the optimizer: one pass over weights and state"),
    [](const StepRequest& request) -> std::unique_ptr<Step> {
      return std::make_unique<MixedOptimizerStep>(request);
    })};
const VariantRow loss_row{variant<LossStep>("loss", "the loss: value and gradient in one call")};
const VariantRow loader_row{loader()};

}  // namespace
}  // namespace nsop::layers
