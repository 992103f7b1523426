// The variants of lstm, gru and rnn. What a forward pass saves is made outside the step, as it is
// when a network trains: the step of a backward pass is the backward pass.
#include "kernels/runtime/step.h"

#include <cstring>

#include "kernels/recurrent/recurrent.h"
#include "kernels/runtime/fresh_step.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

RecurrentShape shape_of(const Case& c, CellKind cell) {
  const std::vector<int64_t> in = c.shape("in");
  return {cell, static_cast<size_t>(in[0]), static_cast<size_t>(in[1]), static_cast<size_t>(in[2]),
          static_cast<size_t>(c.integer("hidden"))};
}

class RecurrentStep final : public BufferedStep {
 public:
  RecurrentStep(const StepRequest& request, const RecurrentShape& shape)
      : BufferedStep(request, recurrent_workspace_floats(shape, request.threads),
                     recurrent_algorithm(shape)),
        s_(shape),
        forward_(request.op_case.str("pass") == "forward"),
        saved_({static_cast<int64_t>(recurrent_saved_floats(s_))}) {
    bind_inputs();
    if (forward_) return;
    own_y_ = Tensor({static_cast<int64_t>(s_.rows() * s_.hidden)});
    backward_.y = own_y_.data();
    run_forward(own_y_.data());
  }

  void run() override {
    StepBuffers& b = buffers();
    if (!forward_) {
      bind_outputs();
      recurrent_backward(s_, weights_, backward_, gradients_, b.workspace.data(), *b.thread_pool);
      return;
    }
    run_forward(b.out[0]);
    // Cell states are among what forward saves; the last of them is an output.
    if (b.out.size() > 1) {
      const In last = recurrent_last_cell(s_, saved_.data());
      std::memcpy(b.out[1].data(), last.data(), last.size_bytes());
    }
  }
  void inputs_changed() override {
    if (!forward_) run_forward(own_y_.data());
  }
  size_t workspace_bytes() const override {
    return BufferedStep::workspace_bytes() + (saved_.size() + own_y_.size()) * sizeof(float);
  }

 private:
  void bind_inputs() {
    size_t next = 0;
    const auto take = [&] { return buffers().in[next++]; };
    x_ = take();
    weights_.w = take();
    weights_.u = take();
    weights_.b = take();
    if (s_.cell == CellKind::kGru) weights_.bu = take();
    before_.h = take();
    if (s_.cell == CellKind::kLstm) before_.c = take();
    if (forward_) return;
    backward_.x = x_;
    backward_.before = before_;
    backward_.saved = saved_.data();
    backward_.dy = take();
    if (s_.cell == CellKind::kLstm) backward_.dc = take();
  }

  // Before each call: the outputs may have been put elsewhere since the last one.
  void bind_outputs() {
    size_t next = 0;
    const auto take = [&] { return buffers().out[next++]; };
    backward_.dx = take();
    gradients_.w = take();
    gradients_.u = take();
    gradients_.b = take();
    if (s_.cell == CellKind::kGru) gradients_.bu = take();
    backward_.dbefore.h = take();
    if (s_.cell == CellKind::kLstm) backward_.dbefore.c = take();
  }

  void run_forward(Out y) {
    StepBuffers& b = buffers();
    recurrent_forward(s_, weights_, x_, before_, y, saved_.data(), b.workspace.data(),
                      *b.thread_pool);
  }

  RecurrentShape s_;
  bool forward_;
  Tensor saved_, own_y_;
  In x_;
  RecurrentWeights weights_;
  RecurrentState before_;
  RecurrentBackward backward_;
  RecurrentGradients gradients_;
};

Variant row(const char* op, CellKind cell) {
  return hwy_variant(op, "products of whole sequences where they can be, a pass for the cells",
                     [cell](const StepRequest& request) -> std::unique_ptr<Step> {
                       return std::make_unique<RecurrentStep>(request,
                                                              shape_of(request.op_case, cell));
                     });
}

const VariantRow lstm_row{row("lstm", CellKind::kLstm)};
const VariantRow lstm_fresh_row{fresh_variant(row("lstm", CellKind::kLstm))};
const VariantRow gru_row{row("gru", CellKind::kGru)};
const VariantRow rnn_row{row("rnn", CellKind::kRnn)};

}  // namespace
}  // namespace nsop::kernels
