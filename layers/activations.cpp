#include "layers/activations.h"

#include <fmt/format.h>

#include "kernels/activations/relu.h"
#include "kernels/activations/sigmoid.h"
#include "kernels/activations/tanh.h"
#include "layers/core/variant.h"

namespace nsop::layers {

using Kind = kernels::Activation;

void ReLU::do_forward(ConstFloats x, Floats y) { kernels::relu_forward(x, y, thread_pool()); }
void ReLU::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::relu_backward(x, dy, dx, thread_pool());
}

void Tanh::do_forward(ConstFloats x, Floats y) { kernels::tanh_forward(x, y, thread_pool()); }
void Tanh::do_backward(ConstFloats, ConstFloats y, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::tanh_backward(y, dy, dx, thread_pool());
}

void Sigmoid::do_forward(ConstFloats x, Floats y) { kernels::sigmoid_forward(x, y, thread_pool()); }
void Sigmoid::do_backward(ConstFloats, ConstFloats y, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::sigmoid_backward(y, dy, dx, thread_pool());
}

void InputActivation::do_forward(ConstFloats x, Floats y) {
  kernels::activation_forward(activation_, alpha_, x, y, thread_pool());
}
void InputActivation::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::activation_backward(activation_, alpha_, x, dy, dx, thread_pool());
}

LeakyReLU::LeakyReLU(float alpha)
    : InputActivation(Kind::kLeakyRelu, fmt::format("LeakyReLU({})", alpha), alpha) {}
ELU::ELU(float alpha) : InputActivation(Kind::kElu, fmt::format("ELU({})", alpha), alpha) {}
GELU::GELU(GeluForm form)
    : InputActivation(form == GeluForm::kErf ? Kind::kGeluErf : Kind::kGeluTanh,
                      form == GeluForm::kErf ? "GELU" : "GELU(tanh)") {}
SiLU::SiLU() : InputActivation(Kind::kSilu, "SiLU") {}
ReLU6::ReLU6() : InputActivation(Kind::kRelu6, "ReLU6") {}
Softplus::Softplus() : InputActivation(Kind::kSoftplus, "Softplus") {}

namespace {

Variant activation(const char* op, std::function<std::unique_ptr<Layer>(const Case&)> make) {
  return layer_variant({
      .op = op,
      .make = std::move(make),
      .input = [](const Case& c) { return c.shape("n"); },
  });
}

template <class L>
Variant plain(const char* op) {
  return activation(op, [](const Case&) { return std::make_unique<L>(); });
}

template <class L>
Variant with_alpha(const char* op) {
  return activation(
      op, [](const Case& c) { return std::make_unique<L>(static_cast<float>(c.number("alpha"))); });
}

const VariantRow relu_row{plain<ReLU>("relu")};
const VariantRow tanh_row{plain<Tanh>("tanh")};
const VariantRow sigmoid_row{plain<Sigmoid>("sigmoid")};
const VariantRow relu6_row{plain<ReLU6>("relu6")};
const VariantRow silu_row{plain<SiLU>("silu")};
const VariantRow softplus_row{plain<Softplus>("softplus")};
const VariantRow leaky_relu_row{with_alpha<LeakyReLU>("leaky_relu")};
const VariantRow elu_row{with_alpha<ELU>("elu")};
const VariantRow gelu_row{activation("gelu", [](const Case& c) {
  return std::make_unique<GELU>(c.str("form") == "tanh" ? GeluForm::kTanh : GeluForm::kErf);
})};

}  // namespace
}  // namespace nsop::layers
