// The variants of lstm, gru and rnn. What a forward pass saves is made outside the step, as it is
// when a network trains: the step of a backward pass is the backward pass.
#include "kernels/runtime/step.h"

#include <cstring>

#include "kernels/recurrent/recurrent.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

RecurrentShape shape_of(const Case& c, CellKind cell) {
  const std::vector<int64_t> in = c.shape("in");
  return {cell, static_cast<size_t>(in[0]), static_cast<size_t>(in[1]), static_cast<size_t>(in[2]),
          static_cast<size_t>(c.integer("hidden"))};
}

class RecurrentStep : public Step {
 public:
  RecurrentStep(const StepRequest& request, CellKind cell)
      : s_(shape_of(request.op_case, cell)),
        forward_(request.op_case.str("pass") == "forward"),
        saved_({static_cast<int64_t>(recurrent_saved_floats(s_))}),
        workspace_({static_cast<int64_t>(recurrent_workspace_floats(s_, request.threads))}),
        pool_(shared_pool(request.threads)),
        chose_(recurrent_algorithm(s_)) {
    for (const Tensor& tensor : request.inputs) inputs_.push_back(tensor.data());
    for (Tensor& tensor : request.outputs) outputs_.push_back(tensor.data());
    bind_inputs();
    if (forward_) {
      y_ = outputs_[0];
      return;
    }
    own_y_ = Tensor({static_cast<int64_t>(s_.rows() * s_.hidden)});
    y_ = own_y_.data();
    bind_outputs();
    run_forward();
  }

  void run() override {
    if (forward_) {
      run_forward();
      // Cell states are among what forward saves; the last of them is an output.
      if (outputs_.size() > 1) {
        std::memcpy(outputs_[1].data(), last_cell().data(), last_cell().size_bytes());
      }
      return;
    }
    recurrent_backward(s_, weights_, backward_, gradients_, workspace_.data(), pool_);
  }
  std::span<const float> output(size_t i) const override { return outputs_[i]; }
  void inputs_changed() override {
    if (!forward_) run_forward();
  }
  std::string chose() const override { return chose_; }
  size_t workspace_bytes() const override {
    return (saved_.size() + workspace_.size() + own_y_.size()) * sizeof(float);
  }

 private:
  void bind_inputs() {
    size_t next = 0;
    const auto take = [&] { return inputs_[next++]; };
    x_ = take();
    weights_.w = take();
    weights_.u = take();
    weights_.b = take();
    if (s_.cell == CellKind::kGru) weights_.bu = take();
    before_.h = take();
    if (s_.cell == CellKind::kLstm) before_.c = take();
    if (forward_) return;
    backward_.dy = take();
    if (s_.cell == CellKind::kLstm) backward_.dc = take();
  }

  void bind_outputs() {
    size_t next = 0;
    const auto take = [&] { return outputs_[next++]; };
    backward_.x = x_;
    backward_.before = before_;
    backward_.y = y_;
    backward_.saved = saved_.data();
    backward_.dx = take();
    gradients_.w = take();
    gradients_.u = take();
    gradients_.b = take();
    if (s_.cell == CellKind::kGru) gradients_.bu = take();
    backward_.dbefore.h = take();
    if (s_.cell == CellKind::kLstm) backward_.dbefore.c = take();
  }

  void run_forward() {
    recurrent_forward(s_, weights_, x_, before_, y_, saved_.data(), workspace_.data(), pool_);
  }

  In last_cell() const { return recurrent_last_cell(s_, saved_.data()); }

  RecurrentShape s_;
  bool forward_;
  Tensor saved_, workspace_, own_y_;
  ThreadPool& pool_;
  std::string chose_;
  std::vector<In> inputs_;
  std::vector<Out> outputs_;
  In x_;
  RecurrentWeights weights_;
  RecurrentState before_;
  Out y_;
  RecurrentBackward backward_;
  RecurrentGradients gradients_;
};

Variant row(const char* op, CellKind cell) {
  return hwy_variant(op, "products of whole sequences where they can be, a pass for the cells",
                     [cell](const StepRequest& request) -> std::unique_ptr<Step> {
                       return std::make_unique<RecurrentStep>(request, cell);
                     });
}

const VariantRow lstm_row{row("lstm", CellKind::kLstm)};
const VariantRow gru_row{row("gru", CellKind::kGru)};
const VariantRow rnn_row{row("rnn", CellKind::kRnn)};

}  // namespace
}  // namespace nsop::kernels
