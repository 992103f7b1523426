// Activations of which the backward pass takes the input x. Elements are independent: any shape, as
// one span. How exact they are: docs/accuracy.md.
#pragma once

#include <span>

#include "kernels/elementwise/elementwise.h"

namespace nsop::kernels {

enum class Activation {
  kRelu6,      // min(max(x, 0), 6); slope 0 at both kinks
  kLeakyRelu,  // x where x > 0, else alpha x; slope alpha at 0
  kElu,        // x where x > 0, else alpha (e^x - 1); slope alpha at 0
  kGeluTanh,   // x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
  kGeluErf,    // x Phi(x), Phi the distribution function of the normal distribution
  kSilu,       // x / (1 + e^-x)
  kSoftplus,   // log(1 + e^x)
};

// y = activation(x). y has the size of x and may be x. alpha is for the activations that have one.
void activation_forward(Activation activation, float alpha, std::span<const float> x,
                        std::span<float> y, ThreadPool& thread_pool);

// dx = dy activation'(x). All of one size; dx may be x or dy.
void activation_backward(Activation activation, float alpha, std::span<const float> x,
                         std::span<const float> dy, std::span<float> dx, ThreadPool& thread_pool);

// Their loops on the target that is chosen now.
UnaryPart activation_part(Activation activation);
BinaryPart activation_gradient_part(Activation activation);

}  // namespace nsop::kernels
