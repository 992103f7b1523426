#include "kernels/half/half_step.h"

#include <cassert>

#include "kernels/runtime/target.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {
namespace {

// The step of a float32 kernel on tensors of its own, between two conversions.
class WidenedStep final : public Step {
 public:
  WidenedStep(const StepRequest& request, const PrepareStep& prepare) : tensors_(request) {
    for (const Tensor& tensor : request.inputs) in_.emplace_back(tensor.shape());
    for (const Tensor& tensor : request.outputs) out_.emplace_back(tensor.shape());
    widen_inputs();
    step_ = prepare({request.op_case, in_, out_, request.threads, request.target});
  }

  void run() override {
    widen_inputs();
    step_->run();
    for (size_t i = 0; i < out_.size(); ++i) {
      narrow(tensors_.type(), step_->output(i), tensors_.out(i), tensors_.thread_pool());
    }
  }
  std::span<const float> output(size_t i) const override { return tensors_.widened_output(i); }
  void inputs_changed() override {
    tensors_.inputs_changed();
    widen_inputs();
    step_->inputs_changed();
  }
  std::string chose() const override { return step_->chose() + ", in float32"; }
  size_t workspace_bytes() const override {
    size_t floats = 0;
    for (const Tensor& tensor : in_) floats += tensor.size();
    for (const Tensor& tensor : out_) floats += tensor.size();
    return step_->workspace_bytes() + floats * sizeof(float);
  }

 private:
  void widen_inputs() {
    for (size_t i = 0; i < in_.size(); ++i) {
      widen(tensors_.type(), tensors_.in(i), in_[i].data(), tensors_.thread_pool());
    }
  }

  HalfTensors tensors_;
  std::vector<Tensor> in_, out_;
  std::unique_ptr<Step> step_;
};

}  // namespace

HalfTensors::Array::Array(size_t n) : data(hwy::AllocateAligned<uint16_t>(n)), size(n) {}

HalfTensors::HalfTensors(const StepRequest& request)
    : type_(half_type_named(request.op_case.str("type"))),
      thread_pool_(&shared_threads(request.threads)) {
  for (const Tensor& tensor : request.inputs) {
    wide_in_.push_back(tensor.data());
    in_.emplace_back(tensor.size());
  }
  for (Tensor& tensor : request.outputs) {
    wide_out_.push_back(tensor.data());
    out_.emplace_back(tensor.size());
  }
  inputs_changed();
}

void HalfTensors::inputs_changed() {
  for (size_t i = 0; i < in_.size(); ++i) {
    narrow(type_, wide_in_[i], {in_[i].data.get(), in_[i].size}, *thread_pool_);
  }
}

std::span<const float> HalfTensors::widened_output(size_t i) const {
  widen(type_, {out_[i].data.get(), out_[i].size}, wide_out_[i], *thread_pool_);
  return wide_out_[i];
}

Variant with_halves(Variant variant, PrepareStep prepare_half) {
  variant.types = {"f32", "bf16", "f16"};
  variant.prepare = [prepare = std::move(variant.prepare),
                     prepare_half = std::move(prepare_half)](const StepRequest& request) {
    const Case& c = request.op_case;
    if (!c.has("type") || c.str("type") == "f32") return prepare(request);
    pin_target(request.target);
    return prepare_half(request);
  };
  return variant;
}

Variant with_widened_halves(Variant variant) {
  const PrepareStep prepare = variant.prepare;
  return with_halves(std::move(variant),
                     [prepare](const StepRequest& request) -> std::unique_ptr<Step> {
                       return std::make_unique<WidenedStep>(request, prepare);
                     });
}

PrepareStep half_unary(HalfParts parts) {
  return [parts](const StepRequest& request) -> std::unique_ptr<Step> {
    const HalfType type = half_type_named(request.op_case.str("type"));
    if (request.op_case.str("pass") == "forward") {
      return make_half_step(
          request, "single pass over 16 bits", [part = parts.forward(type)](HalfTensors& t) {
            const auto run = [&](size_t begin, size_t end) {
              part(t.in(0).data() + begin, t.out(0).data() + begin, end - begin);
            };
            parallel_chunks(t.thread_pool(), t.out(0).size(), kArithmeticElements, run);
          });
    }
    return make_half_step(
        request, "single pass over 16 bits", [part = parts.backward(type)](HalfTensors& t) {
          const auto run = [&](size_t begin, size_t end) {
            part(t.in(0).data() + begin, t.in(1).data() + begin, t.out(0).data() + begin,
                 end - begin);
          };
          parallel_chunks(t.thread_pool(), t.out(0).size(), kArithmeticElements, run);
        });
  };
}

}  // namespace nsop::kernels
