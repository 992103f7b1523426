// Convolutions over one, two or three axes, NCL, NCHW and NCDHW.
#pragma once

#include <string>

#include "kernels/conv/plan.h"
#include "layers/core/initializers.h"
#include "layers/core/layer.h"

namespace nsop::layers {

// The same for all axes.
struct ConvOptions {
  size_t kernel = 3;
  size_t stride = 1;
  size_t pad = 0;       // zeros on both sides
  size_t dilation = 1;  // between the taps of the kernel
  size_t groups = 1;    // divides both channel counts
  bool bias = true;
  bool mean = false;  // the output is averaged over its pixels: [batch, out]
  Initializer initializer = Initializer::kUniform;
};

// x [batch, in, axes...] -> y [batch, out, axes...], an axis of n becoming
// (n + 2 pad - dilation (kernel - 1) - 1) / stride + 1: y[n,o,p] = bias[o] + the sum over the input
// channels i of o's group and the taps t of weight[o,i,t] x[n,i,p stride + t dilation - pad], zero
// outside (cross-correlation). Parameters `weight` [out, in / groups,
// kernel...], and `bias` [out].
class Conv : public Layer {
 public:
  std::string name() const override;
  void init_parameters(Random& random) override;

  // The ways of the three passes on the target of init(), in words.
  std::string algorithms() const;

 protected:
  // Sizes of at least 1 and at most kLargestSize, groups that divide the channels (Error).
  Conv(size_t rank, size_t in, size_t out, const ConvOptions& options);
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  std::string expected_shape() const;
  kernels::ConvShape shape_for(const Shape& in) const;

  size_t rank_;
  size_t in_;
  size_t out_;
  ConvOptions options_;
  kernels::ConvPlan plan_;
  Floats workspace_;
};

class Conv1D : public Conv {
 public:
  Conv1D(size_t in, size_t out, const ConvOptions& options = {}) : Conv(1, in, out, options) {}
};
class Conv2D : public Conv {
 public:
  Conv2D(size_t in, size_t out, const ConvOptions& options = {}) : Conv(2, in, out, options) {}
};
class Conv3D : public Conv {
 public:
  Conv3D(size_t in, size_t out, const ConvOptions& options = {}) : Conv(3, in, out, options) {}
};

}  // namespace nsop::layers
