#include "layers/core/variant.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "harness/core/error.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/target.h"
#include "layers/core/copy.h"

namespace nsop::layers {
namespace {

class LayerStep : public Step {
 public:
  LayerStep(const LayerRow& row, const StepRequest& request)
      : row_(row), layer_(row.make(request.op_case)) {
    const Op& op = *find_op(request.op_case.op());
    init(row.input(request.op_case), kernels::shared_threads(request.threads));
    layer_->set_training(row.training(request.op_case));
    bind_inputs(op.inputs(request.op_case), request.inputs);
    bind_outputs(op.outputs(request.op_case), request.outputs);
    inputs_changed();
  }

  void run() override {
    if (backward_) {
      layer_->backward(x_, y_, dy_, dx_);
    } else {
      layer_->forward(x_, out_);
    }
  }
  std::span<const float> output(size_t i) const override { return outputs_[i]; }
  void inputs_changed() override {
    for (const auto& [from, to] : copies_) copy_floats(from, to);
    restore_state();
    if (!forward_first_) return;
    layer_->forward(x_, own_y_.data());
    restore_state();
  }
  std::string chose() const override { return layer_->name(); }
  size_t workspace_bytes() const override { return arena_.bytes(); }

 private:
  void init(const Shape& in, ThreadPool& thread_pool) {
    Arena measuring;
    layer_->init(in, measuring, thread_pool);
    arena_ = Arena(measuring.plan());
    layer_->init(in, arena_, thread_pool);
  }

  Floats value_of(const std::string& name) {
    for (Parameter& parameter : layer_->parameters()) {
      if (parameter.name == name) return parameter.value;
    }
    for (Buffer& buffer : layer_->buffers()) {
      if (buffer.name == name) return buffer.value;
    }
    throw environment_error(fmt::format("{} has no parameter {}", layer_->name(), name));
  }

  ConstFloats gradient_of(const std::string& name) const {
    for (const Parameter& parameter : layer_->parameters()) {
      if (parameter.name == name) return parameter.gradient;
    }
    throw environment_error(fmt::format("{} has no gradient of {}", layer_->name(), name));
  }

  void bind_inputs(const std::vector<InputSpec>& specs, std::span<const Tensor> tensors) {
    for (size_t i = 0; i < specs.size(); ++i) {
      const std::string& name = specs[i].name;
      const ConstFloats data = tensors[i].data();
      if (name == row_.x) {
        x_ = data;
      } else if (name == "y") {
        y_ = data;
      } else if (name == "dy") {
        dy_ = data;
      } else if (const auto restore = row_.restore.find(name); restore != row_.restore.end()) {
        restores_.emplace_back(restore->second, data);
      } else if (const auto parameter = row_.parameters.find(name);
                 parameter != row_.parameters.end()) {
        copies_.emplace_back(data, value_of(parameter->second));
      }  // else what the layer's own forward pass finds again
    }
    backward_ = !dy_.empty();
    if (!backward_) return;
    forward_first_ = y_.empty();
    if (x_.empty()) x_ = zeros(layer_->input_shape());
    if (!y_.empty()) return;
    own_y_ = Tensor(layer_->output_shape());
    y_ = own_y_.data();
  }

  void bind_outputs(const std::vector<OutputSpec>& specs, std::span<Tensor> tensors) {
    for (size_t i = 0; i < specs.size(); ++i) {
      const std::string& name = specs[i].name;
      if (name == "y") {
        outputs_.push_back(out_ = tensors[i].data());
      } else if (name == "dx") {
        outputs_.push_back(dx_ = tensors[i].data());
      } else if (const auto saved = row_.saved.find(name); saved != row_.saved.end()) {
        outputs_.push_back(saved->second(*layer_));
      } else {
        outputs_.push_back(gradient_of(row_.parameters.at(name.substr(1))));
      }
    }
  }

  void restore_state() {
    for (const auto& [restore, from] : restores_) restore(*layer_, from);
  }

  ConstFloats zeros(const Shape& shape) {
    own_x_ = Tensor(shape);
    clear_floats(own_x_.data());
    return own_x_.data();
  }

  const LayerRow& row_;
  std::unique_ptr<Layer> layer_;
  Arena arena_;
  bool backward_ = false;
  bool forward_first_ = false;
  Tensor own_x_, own_y_;
  ConstFloats x_, y_, dy_;
  Floats out_, dx_;
  std::vector<ConstFloats> outputs_;
  std::vector<std::pair<ConstFloats, Floats>> copies_;
  std::vector<std::pair<std::function<void(Layer&, ConstFloats)>, ConstFloats>> restores_;
};

// Rows are made before main(), by static objects of other files.
std::vector<std::shared_ptr<const LayerRow>>& mutable_layer_rows() {
  static std::vector<std::shared_ptr<const LayerRow>> rows;
  return rows;
}

}  // namespace

std::string whole_backward(const Case& op_case) {
  const std::string& pass = op_case.str("pass");
  return pass == "forward" || pass == "backward" ? "" : "a layer's backward pass is whole";
}

const std::vector<std::shared_ptr<const LayerRow>>& layer_rows() { return mutable_layer_rows(); }

Variant layer_variant(LayerRow given) {
  const auto row = std::make_shared<const LayerRow>(std::move(given));
  mutable_layer_rows().push_back(row);
  Variant variant = kernels::hwy_variant(
      row->op, "the layer: own parameters, saved state and workspace, nothing allocated",
      [row](const StepRequest& request) -> std::unique_ptr<Step> {
        return std::make_unique<LayerStep>(*row, request);
      });
  variant.name = "layer";
  variant.unsupported = [row](const Case& c, int) { return row->unsupported(c); };
  return variant;
}

}  // namespace nsop::layers
