#include "layers/activations.h"

#include <fmt/format.h>

#include "kernels/activations/relu.h"
#include "kernels/activations/sigmoid.h"
#include "kernels/activations/tanh.h"

namespace nsop::layers {

using kernels::Activation;

void ReLU::do_forward(ConstFloats x, Floats y) { kernels::relu_forward(x, y, pool()); }
void ReLU::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::relu_backward(x, dy, dx, pool());
}

void Tanh::do_forward(ConstFloats x, Floats y) { kernels::tanh_forward(x, y, pool()); }
void Tanh::do_backward(ConstFloats, ConstFloats y, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::tanh_backward(y, dy, dx, pool());
}

void Sigmoid::do_forward(ConstFloats x, Floats y) { kernels::sigmoid_forward(x, y, pool()); }
void Sigmoid::do_backward(ConstFloats, ConstFloats y, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::sigmoid_backward(y, dy, dx, pool());
}

void InputActivation::do_forward(ConstFloats x, Floats y) {
  kernels::activation_forward(activation_, alpha_, x, y, pool());
}
void InputActivation::do_backward(ConstFloats x, ConstFloats, ConstFloats dy, Floats dx) {
  if (!dx.empty()) kernels::activation_backward(activation_, alpha_, x, dy, dx, pool());
}

LeakyReLU::LeakyReLU(float alpha)
    : InputActivation(Activation::kLeakyRelu, fmt::format("LeakyReLU({})", alpha), alpha) {}
ELU::ELU(float alpha) : InputActivation(Activation::kElu, fmt::format("ELU({})", alpha), alpha) {}
GELU::GELU(GeluForm form)
    : InputActivation(form == GeluForm::kErf ? Activation::kGeluErf : Activation::kGeluTanh,
                      form == GeluForm::kErf ? "GELU" : "GELU(tanh)") {}
SiLU::SiLU() : InputActivation(Activation::kSilu, "SiLU") {}
ReLU6::ReLU6() : InputActivation(Activation::kRelu6, "ReLU6") {}
Softplus::Softplus() : InputActivation(Activation::kSoftplus, "Softplus") {}

}  // namespace nsop::layers
