// Pooling over windows of planes, NCHW.
#pragma once

#include <string>

#include "kernels/pool2d/adaptive_pool2d.h"
#include "kernels/pool2d/pool2d.h"
#include "layers/core/layer.h"

namespace nsop::layers {

struct Pool2DOptions {
  size_t kernel = 2;
  size_t stride = 0;  // 0: as the kernel
  size_t pad = 0;     // below kernel
};

// x [batch, channels, height, width] -> y [batch, channels, out height, out width], an extent of n
// becoming (n + 2 pad - kernel) / stride + 1.
class Pool2D : public Layer {
 public:
  std::string name() const override;

 protected:
  // A kernel of at least 1, it and the stride at most kLargestSize, pad below kernel (Error).
  Pool2D(std::string kind, Pool2DOptions options);
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  const kernels::Pool2dPlan& ways() const { return ways_; }
  Floats workspace() const { return workspace_; }

 private:
  kernels::Pool2dShape shape_for(const Shape& in) const;

  std::string kind_;
  Pool2DOptions options_;
  kernels::Pool2dPlan ways_;
  Floats workspace_;
};

// The largest value of each window. Of equal ones the first gets the gradient; padding never wins.
class MaxPool2D : public Pool2D {
 public:
  explicit MaxPool2D(Pool2DOptions options = {}) : Pool2D("MaxPool2D", options) {}
  // Of the latest forward(): the place h * width + w of each maximum in its plane, as a float.
  ConstFloats indices() const { return index_; }

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  Floats index_;
};

// The mean of each window, padding counted as zeros.
class AvgPool2D : public Pool2D {
 public:
  explicit AvgPool2D(Pool2DOptions options = {}) : Pool2D("AvgPool2D", options) {}

 protected:
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;
};

// Out height x out width windows that together cover the plane: kernels/pool2d/adaptive_pool2d.h.
class AdaptivePool2D : public Layer {
 public:
  std::string name() const override;

 protected:
  // Sizes of at least 1 (Error).
  AdaptivePool2D(std::string kind, size_t out_height, size_t out_width);
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  const kernels::AdaptivePool2dShape& shape() const { return shape_; }

 private:
  std::string kind_;
  kernels::AdaptivePool2dShape shape_;
};

// The mean of each window.
class AdaptiveAvgPool2D : public AdaptivePool2D {
 public:
  AdaptiveAvgPool2D(size_t out_height, size_t out_width)
      : AdaptivePool2D("AdaptiveAvgPool2D", out_height, out_width) {}

 protected:
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  kernels::AdaptiveAveragePlan ways_;
  Floats workspace_;
};

// The largest value of each window. Of equal ones the first gets the gradient.
class AdaptiveMaxPool2D : public AdaptivePool2D {
 public:
  AdaptiveMaxPool2D(size_t out_height, size_t out_width)
      : AdaptivePool2D("AdaptiveMaxPool2D", out_height, out_width) {}
  // Of the latest forward(): the place h * width + w of each maximum in its plane, as a float.
  ConstFloats indices() const { return index_; }

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  Floats index_;
  Floats workspace_;
};

// The mean of each plane: [batch, channels].
class GlobalAvgPool2D : public AdaptiveAvgPool2D {
 public:
  GlobalAvgPool2D() : AdaptiveAvgPool2D(1, 1) {}
  std::string name() const override { return "GlobalAvgPool2D"; }

 protected:
  Shape infer(const Shape& in) const override;
};

}  // namespace nsop::layers
