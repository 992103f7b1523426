// matmul as the reports' "before": the textbook triple loop, offsets computed where they are used,
// a fresh result, and another one each for the bias and the activation.
#include <cmath>

#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// Steps from one row and one column to the next: how a transposed matrix is read.
struct Strides {
  int64_t row, column;
};

// a [m,k] by its strides, b [k,n] by its strides -> [m,n]
Floats multiply(const float* a, Strides sa, const float* b, Strides sb, int64_t m, int64_t n,
                int64_t k) {
  Floats c(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += a[i * sa.row + p * sa.column] * b[p * sb.row + j * sb.column];
      }
      c[i * n + j] = sum;
    }
  }
  return c;
}

Floats add_bias(const Floats& c, const float* bias, int64_t n) {
  Floats y(c.size());
  for (size_t i = 0; i < c.size(); ++i) y[i] = c[i] + bias[i % static_cast<size_t>(n)];
  return y;
}

using Scalar = float (*)(float);

float gelu(float v) {
  return 0.5F * v * (1.0F + std::tanh(0.79788456F * (v + 0.044715F * v * v * v)));
}

Scalar activation_of(const std::string& name) {
  if (name == "relu") return [](float v) { return v > 0 ? v : 0.0F; };
  if (name == "tanh") return [](float v) { return std::tanh(v); };
  if (name == "sigmoid") return [](float v) { return 1.0F / (1.0F + std::exp(-v)); };
  return name == "gelu" ? gelu : nullptr;
}

Floats activate(const Floats& c, Scalar f) {
  Floats y(c.size());
  for (size_t i = 0; i < c.size(); ++i) y[i] = f(c[i]);
  return y;
}

Function bind(const Case& c) {
  const int64_t m = c.integer("m");
  const int64_t n = c.integer("n");
  const int64_t k = c.integer("k");
  const int64_t batch = c.integer("batch");
  const Strides sa = c.str("trans")[0] == 't' ? Strides{1, m} : Strides{k, 1};
  const Strides sb = c.str("trans")[1] == 't' ? Strides{1, k} : Strides{n, 1};
  const Scalar f = activation_of(c.str("act"));
  return [=](const Inputs& in, std::vector<Floats>& out) {
    Floats y = multiply(in[0], sa, in[1], sb, m, n, k);
    for (int64_t i = 1; i < batch; ++i) {
      const Floats next = multiply(in[0] + i * m * k, sa, in[1] + i * k * n, sb, m, n, k);
      y.insert(y.end(), next.begin(), next.end());
    }
    if (in.size() > 2) y = add_bias(y, in[2], n);
    if (f != nullptr) y = activate(y, f);
    out[0] = std::move(y);
  };
}

const VariantRow row{elementwise("matmul", "Textbook triple loop into a fresh matrix.", bind)};

}  // namespace
}  // namespace nsop::reference::before
