// Fully connected layer: y = x W^T + b over the last dimension.
#pragma once

#include <string>

#include "kernels/gemm/dense.h"
#include "layers/core/initializers.h"
#include "layers/core/layer.h"

namespace nsop::layers {

struct DenseOptions {
  bool bias = true;
  bool out_by_in = true;  // layout of the weight: [out, in], or [in, out]
  Initializer initializer = Initializer::kUniform;
};

// x [..., in] -> y [..., out]. Parameters `weight`, and `bias` [out].
class Dense : public Layer {
 public:
  Dense(size_t in, size_t out, DenseOptions options = {});  // sizes of at least 1 (Error)
  std::string name() const override;
  void init_parameters(Random& random) override;

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  DenseOptions options_;
  kernels::DenseShape shape_;
  Floats workspace_;
};

}  // namespace nsop::layers
