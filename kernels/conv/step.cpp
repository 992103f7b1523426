// The convolutions' variants: conv1d, conv2d and conv3d, and the transposed ones by the same
// kernels with the roles of their tensors exchanged.
#include "kernels/runtime/step.h"

#include <algorithm>

#include "kernels/conv/case_shape.h"
#include "kernels/conv/plan.h"
#include "kernels/conv/ways/bias.h"
#include "kernels/conv/winograd/winograd.h"
#include "kernels/half/half_step.h"
#include "kernels/runtime/fresh_step.h"

namespace nsop::kernels {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

Out output_or_none(StepBuffers& b, size_t i) { return b.out.size() > i ? b.out[i] : Out(); }
In bias_or_none(const StepBuffers& b) { return b.in.size() > 2 ? b.in[2] : In(); }

std::unique_ptr<Step> prepare(const StepRequest& request, ConvChoice choice) {
  const ConvPlan plan(conv_shape(request.op_case), choice);
  const std::string& pass = request.op_case.str("pass");
  const int threads = request.threads;
  if (pass == "forward") {
    return make_step(request, plan.workspace_floats(ConvPass::kForward, threads),
                     plan.algorithm(ConvPass::kForward), [plan](StepBuffers& b) {
                       plan.forward(b.in[0], b.in[1], bias_or_none(b), b.out[0], b.workspace.data(),
                                    *b.thread_pool);
                     });
  }
  const size_t data_floats = plan.workspace_floats(ConvPass::kData, threads);
  const size_t weights_floats = plan.workspace_floats(ConvPass::kWeights, threads);
  const std::string data = plan.algorithm(ConvPass::kData);
  const std::string weights = plan.algorithm(ConvPass::kWeights);
  if (pass == "backward_data") {
    return make_step(request, data_floats, data, [plan](StepBuffers& b) {
      plan.backward_data(b.in[0], b.in[1], b.out[0], b.workspace.data(), *b.thread_pool);
    });
  }
  if (pass == "backward_weights") {
    return make_step(request, weights_floats, weights, [plan](StepBuffers& b) {
      plan.backward_weights(b.in[0], b.in[1], b.out[0], output_or_none(b, 1), b.workspace.data(),
                            *b.thread_pool);
    });
  }
  return make_step(request, std::max(data_floats, weights_floats),
                   "dx: " + data + "; dw: " + weights, [plan](StepBuffers& b) {
                     plan.backward_data(b.in[1], b.in[2], b.out[0], b.workspace.data(),
                                        *b.thread_pool);
                     plan.backward_weights(b.in[0], b.in[2], b.out[1], output_or_none(b, 2),
                                           b.workspace.data(), *b.thread_pool);
                   });
}

// The passes of the transposed convolution: its dy is the convolution's input, its x the gradient
// of the convolution's output.
std::unique_ptr<Step> prepare_transpose(const StepRequest& request) {
  const ConvPlan plan(adjoint_conv_shape(request.op_case), ConvChoice::kRule);
  const std::string& pass = request.op_case.str("pass");
  const int threads = request.threads;
  if (pass == "forward") {
    return make_step(request, plan.workspace_floats(ConvPass::kData, threads),
                     plan.algorithm(ConvPass::kData), [plan](StepBuffers& b) {
                       plan.backward_data(b.in[1], b.in[0], b.out[0], b.workspace.data(),
                                          *b.thread_pool);
                       const In bias = bias_or_none(b);
                       if (bias.empty()) return;
                       add_channel_bias(bias, plan.shape().in_pixels(), b.out[0], *b.thread_pool);
                     });
  }
  const size_t data_floats = plan.workspace_floats(ConvPass::kForward, threads);
  const size_t weights_floats = plan.workspace_floats(ConvPass::kWeights, threads);
  const std::string data = plan.algorithm(ConvPass::kForward);
  const std::string weights = plan.algorithm(ConvPass::kWeights);
  const auto run_weights = [plan](In x, In dy, Out dw, Out dbias, StepBuffers& b) {
    plan.backward_weights(dy, x, dw, {}, b.workspace.data(), *b.thread_pool);
    if (!dbias.empty()) sum_channels(dy, plan.shape().in_pixels(), dbias, *b.thread_pool);
  };
  if (pass == "backward_data") {
    return make_step(request, data_floats, data, [plan](StepBuffers& b) {
      plan.forward(b.in[1], b.in[0], {}, b.out[0], b.workspace.data(), *b.thread_pool);
    });
  }
  if (pass == "backward_weights") {
    return make_step(request, weights_floats, weights, [run_weights](StepBuffers& b) {
      run_weights(b.in[0], b.in[1], b.out[0], output_or_none(b, 1), b);
    });
  }
  return make_step(request, std::max(data_floats, weights_floats),
                   "dx: " + data + "; dw: " + weights, [plan, run_weights](StepBuffers& b) {
                     plan.forward(b.in[2], b.in[1], {}, b.out[0], b.workspace.data(),
                                  *b.thread_pool);
                     run_weights(b.in[0], b.in[2], b.out[1], output_or_none(b, 2), b);
                   });
}

std::string winograd_cannot(const Case& c, int) {
  const ConvShape s = conv_shape(c);
  const std::string& pass = c.str("pass");
  std::string reason;
  if (pass == "forward") return winograd_unsupported(s, ConvPass::kForward);
  if (pass != "backward_weights") reason = winograd_unsupported(s, ConvPass::kData);
  if (reason.empty() && pass != "backward_data") {
    reason = winograd_unsupported(s, ConvPass::kWeights);
  }
  return reason;
}

Variant variant(std::string op, std::string name, std::string summary, ConvChoice choice) {
  Variant v = hwy_variant(std::move(op), std::move(summary), [choice](const StepRequest& request) {
    return prepare(request, choice);
  });
  v.name = std::move(name);
  if (choice != ConvChoice::kRule) v.role = Role::kProbe;
  if (choice == ConvChoice::kWinograd) v.unsupported = winograd_cannot;
  return v;
}

Variant hwy(std::string op) {
  return variant(std::move(op), "hwy", "Winograd where its rule of shape says so, else direct",
                 ConvChoice::kRule);
}
Variant direct(std::string op) {
  return variant(std::move(op), "direct",
                 "the textbook's products: by padded lines, or patches packed on the fly",
                 ConvChoice::kDirect);
}
Variant im2col(std::string op) {
  return variant(std::move(op), "im2col", "the patches written out as a matrix, then one product",
                 ConvChoice::kIm2col);
}
Variant winograd(std::string op, const std::string& form) {
  return variant(std::move(op), "winograd", form + ": fewer products, a larger error",
                 ConvChoice::kWinograd);
}

Variant transpose(const std::string& op) {
  return hwy_variant(op + "_transpose",
                     "the kernels of " + op + ", forward as the gradient of the data",
                     prepare_transpose);
}

const ForkingRow conv1d_hwy{hwy("conv1d")};
const ForkingRow conv2d_hwy{with_widened_halves(hwy("conv2d"))};
const ForkingRow conv3d_hwy{hwy("conv3d")};
const VariantRow conv1d_fresh{fresh_variant(hwy("conv1d"))};
const VariantRow conv2d_fresh{fresh_variant(hwy("conv2d"))};
const VariantRow conv1d_direct{direct("conv1d")};
const VariantRow conv2d_direct{direct("conv2d")};
const VariantRow conv3d_direct{direct("conv3d")};
const VariantRow conv1d_im2col{im2col("conv1d")};
const VariantRow conv2d_im2col{im2col("conv2d")};
const VariantRow conv3d_im2col{im2col("conv3d")};
const VariantRow conv1d_winograd{winograd("conv1d", "F(4,3)")};
const VariantRow conv2d_winograd{winograd("conv2d", "F(4x4,3x3)")};
const VariantRow conv3d_winograd{winograd("conv3d", "F(4x4,3x3) for each slice of the kernel")};
const VariantRow conv1d_transpose{transpose("conv1d")};
const VariantRow conv2d_transpose{transpose("conv2d")};
const VariantRow conv3d_transpose{transpose("conv3d")};

}  // namespace
}  // namespace nsop::kernels
