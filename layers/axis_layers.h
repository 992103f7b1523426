// Layers along one axis of a tensor of any rank. An axis below 0 counts from the end.
#pragma once

#include <optional>
#include <string>

#include "kernels/norm/softmax.h"
#include "kernels/reduce/reduce.h"
#include "layers/core/layer.h"

namespace nsop::layers {

class AxisLayer : public Layer {
 public:
  std::string name() const override;

 protected:
  AxisLayer(std::string kind, int axis) : kind_(std::move(kind)), axis_(axis) {}
  Shape infer(const Shape& in) const override;  // the shape of the input
  size_t axis_of(const Shape& in) const;        // throws Error (usage) where there is none
  kernels::AxisShape lines() const;             // of input_shape()

 private:
  std::string kind_;
  int axis_;
};

// y = exp(x - m) / sum, m the largest of the line.
class Softmax : public AxisLayer {
 public:
  explicit Softmax(int axis = -1) : Softmax("Softmax", kernels::SoftmaxKind::kPlain, axis) {}

 protected:
  Softmax(std::string kind, kernels::SoftmaxKind form, int axis)
      : AxisLayer(std::move(kind), axis), form_(form) {}
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  kernels::SoftmaxKind form_;
  std::optional<kernels::Softmax> kernel_;
};

// y = x - m - log(sum of exp(x - m)).
class LogSoftmax : public Softmax {
 public:
  explicit LogSoftmax(int axis = -1) : Softmax("LogSoftmax", kernels::SoftmaxKind::kLog, axis) {}
};

// The mean over an axis, which is removed; [1] where there is no other.
class Mean : public AxisLayer {
 public:
  explicit Mean(int axis = -1) : AxisLayer("Mean", axis) {}

 protected:
  Shape infer(const Shape& in) const override;
  void plan(Arena& arena) override;
  void do_forward(ConstFloats x, Floats y) override;
  void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) override;

 private:
  std::optional<kernels::Reducer> kernel_;
  Floats workspace_;
};

}  // namespace nsop::layers
