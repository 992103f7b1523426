// Upsample2D: planes enlarged by whole factors, each value s x s times: [batch, channels, height,
// width] -> [batch, channels, s height, s width]. The gradient sums what a value went to.
#pragma once

#include <string>

#include "layers/core/layer.h"

namespace nsop::layers {

class Upsample2D : public Layer {
 public:
  // Throws Error (usage) unless the scale is from 1 to 16.
  explicit Upsample2D(size_t scale = 2);
  std::string name() const override;

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  size_t scale_;
  size_t rows_ = 0;   // of the input, in all planes
  size_t width_ = 0;  // of the input
};

}  // namespace nsop::layers
