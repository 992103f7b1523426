// Rows of a table, picked by index.
#pragma once

#include <string>

#include "kernels/layout/embedding.h"
#include "layers/core/layer.h"

namespace nsop::layers {

// x [...], integers in [0, vocab) as floats -> y [..., dim]: row x of `weight` [vocab, dim], normal
// with variance 1 at the start. forward() throws Error (usage) naming the first index that isn't
// one. There is no gradient of x: a dx that is wanted is zero.
class Embedding : public Layer {
 public:
  // Sizes of at least 1, vocab at most 2^24, the integers that float32 tells apart (Error).
  Embedding(size_t vocab, size_t dim);
  std::string name() const override;
  void init_parameters(Random& random) override;

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  kernels::Embedding table_;
};

}  // namespace nsop::layers
