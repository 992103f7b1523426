// What the convolutions of this folder have in common beside their loops: the tensors between them.
#pragma once

#include "reference/before/elementwise.h"
#include "reference/conv/shape.h"

namespace nsop::reference::before {

// y [n,out,pixels] -> its mean over pixels [n,out]
Floats average(const ConvShape& s, const Floats& y);

// dy [n,out,pixels], or [n,out] of the mean, -> its transpose [out,n,pixels]
Floats transpose_gradient(const ConvShape& s, const float* dy);

// dy [n,out,pixels], or [n,out] of the mean, which has the bias in it once, -> db [out]
Floats bias_gradient(const ConvShape& s, const float* dy);

// The loops of one way of doing it, for cases of `Shape`, a ConvShape made from a Case.
template <class Shape>
struct ConvLoops {
  // x, w, b or nullptr -> y [n,out,pixels]
  Floats (*forward)(const Shape&, const float* x, const float* w, const float* b);
  // w, transposed gradient -> dx
  Floats (*input_gradient)(const Shape&, const float* w, const Floats& dyt);
  // x, transposed gradient -> dw
  Floats (*weight_gradient)(const Shape&, const float* x, const Floats& dyt);
};

template <class Shape>
Function conv_function(const Shape& s, const ConvLoops<Shape>& loops) {
  if (s.pass == "forward") {
    return [s, loops](const Inputs& in, std::vector<Floats>& out) {
      Floats y = loops.forward(s, in[0], in[1], s.bias ? in[2] : nullptr);
      out[0] = s.mean ? average(s, y) : std::move(y);
    };
  }
  return [s, loops](const Inputs& in, std::vector<Floats>& out) {
    const Floats dyt = transpose_gradient(s, in.back());
    size_t next = 0;
    if (s.wants_data()) out[next++] = loops.input_gradient(s, in[s.wants_weights() ? 1 : 0], dyt);
    if (s.wants_weights()) out[next++] = loops.weight_gradient(s, in[0], dyt);
    if (s.wants_weights() && s.bias) out[next] = bias_gradient(s, in.back());
  };
}

}  // namespace nsop::reference::before
