// Element-wise activations: any shape, no parameters. Formulas and values at kinks:
// kernels/activations/relu.h, kernels/activations/activation.h, kernels/activations/tanh.h,
// kernels/activations/sigmoid.h.
#pragma once

#include <string>

#include "kernels/activations/activation.h"
#include "layers/core/layer.h"

namespace nsop::layers {

class Activation : public Layer {
 protected:
  Shape infer(const Shape& in) const override { return in; }
  void plan(Arena&) override {}
};

// y = max(x, 0); slope 0 at 0.
class ReLU : public Activation {
 public:
  std::string name() const override { return "ReLU"; }

 protected:
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;
};

// y = tanh(x).
class Tanh : public Activation {
 public:
  std::string name() const override { return "Tanh"; }

 protected:
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;
};

// y = 1 / (1 + e^-x).
class Sigmoid : public Activation {
 public:
  std::string name() const override { return "Sigmoid"; }

 protected:
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;
};

// Those whose slope is a function of x: kernels/activations/activation.h.
class InputActivation : public Activation {
 public:
  std::string name() const override { return name_; }

 protected:
  InputActivation(kernels::Activation activation, std::string name, float alpha = 0)
      : activation_(activation), name_(std::move(name)), alpha_(alpha) {}
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  kernels::Activation activation_;
  std::string name_;
  float alpha_;
};

// x where x > 0, else alpha x; slope alpha at 0.
class LeakyReLU : public InputActivation {
 public:
  explicit LeakyReLU(float alpha = 0.01f);
};

// x where x > 0, else alpha (e^x - 1); slope alpha at 0 (Clevert, Unterthiner & Hochreiter 2016,
// arXiv:1511.07289).
class ELU : public InputActivation {
 public:
  explicit ELU(float alpha = 1);
};

// x Phi(x), Phi the distribution function of the normal distribution: exactly (with the error
// function), or by tanh: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 (Hendrycks & Gimpel 2016,
// arXiv:1606.08415).
enum class GeluForm { kErf, kTanh };
class GELU : public InputActivation {
 public:
  explicit GELU(GeluForm form = GeluForm::kErf);
};

// x / (1 + e^-x) (Elfwing, Uchibe & Doya 2018, arXiv:1702.03118).
class SiLU : public InputActivation {
 public:
  SiLU();
};

// min(max(x, 0), 6); slope 0 at both kinks.
class ReLU6 : public InputActivation {
 public:
  ReLU6();
};

// log(1 + e^x).
class Softplus : public InputActivation {
 public:
  Softplus();
};

}  // namespace nsop::layers
