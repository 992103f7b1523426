// Other shapes for the same values.
#pragma once

#include <string>

#include "layers/core/layer.h"

namespace nsop::layers {

// x [batch, ...] -> y [batch, to...].
class Reshape : public Layer {
 public:
  explicit Reshape(Shape to) : to_(std::move(to)) {}
  std::string name() const override;
  bool is_view() const override { return true; }

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena&) override {}
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  Shape to_;
};

// x [batch, ...] -> y [batch, product of the rest].
class Flatten : public Reshape {
 public:
  Flatten() : Reshape({}) {}
  std::string name() const override { return "Flatten"; }

 protected:
  Shape infer(const Shape& in) const override;
};

}  // namespace nsop::layers
