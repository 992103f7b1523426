// relu, tanh and sigmoid as the reports' "before": one loop per tensor operation, a fresh tensor
// for every result. The backward passes keep the intermediate tensors that the reports name: zeros
// and mask (relu), ones, squared and term (tanh), ones, term1 and term2 (sigmoid).
#include <cmath>

#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

Floats relu(const float* x, int64_t n) {
  Floats y(n);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0.0F;
  return y;
}

Floats tanh(const float* x, int64_t n) {
  Floats y(n);
  for (int64_t i = 0; i < n; ++i) y[i] = std::tanh(x[i]);
  return y;
}

Floats sigmoid(const float* x, int64_t n) {
  Floats y(n);
  for (int64_t i = 0; i < n; ++i) y[i] = 1.0F / (1.0F + std::exp(-x[i]));
  return y;
}

Floats relu_backward(const float* x, const float* dy, int64_t n) {
  const Floats zeros(n);
  Floats mask(n);
  for (int64_t i = 0; i < n; ++i) mask[i] = x[i] > zeros[i] ? 1.0F : 0.0F;
  Floats dx(n);
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * mask[i];
  return dx;
}

Floats tanh_backward(const float* y, const float* dy, int64_t n) {
  const Floats ones(n, 1.0F);
  Floats squared(n);
  for (int64_t i = 0; i < n; ++i) squared[i] = y[i] * y[i];
  Floats term(n);
  for (int64_t i = 0; i < n; ++i) term[i] = ones[i] - squared[i];
  Floats dx(n);
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * term[i];
  return dx;
}

Floats sigmoid_backward(const float* y, const float* dy, int64_t n) {
  const Floats ones(n, 1.0F);
  Floats term1(n);
  for (int64_t i = 0; i < n; ++i) term1[i] = ones[i] - y[i];
  Floats term2(n);
  for (int64_t i = 0; i < n; ++i) term2[i] = y[i] * term1[i];
  Floats dx(n);
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * term2[i];
  return dx;
}

Variant row(const std::string& op, Floats (*forward)(const float*, int64_t),
            Floats (*backward)(const float*, const float*, int64_t)) {
  const auto bind = [=](const Case& c) -> Function {
    const int64_t n = element_count(c.shape("n"));
    if (c.str("pass") == "forward") {
      return [=](const Inputs& in, std::vector<Floats>& out) { out[0] = forward(in[0], n); };
    }
    return [=](const Inputs& in, std::vector<Floats>& out) { out[0] = backward(in[0], in[1], n); };
  };
  return elementwise(op, "One plain loop per tensor operation, a fresh tensor for every result.",
                     bind);
}

const VariantRow relu_row{row("relu", relu, relu_backward)};
const VariantRow tanh_row{row("tanh", tanh, tanh_backward)};
const VariantRow sigmoid_row{row("sigmoid", sigmoid, sigmoid_backward)};

}  // namespace
}  // namespace nsop::reference::before
