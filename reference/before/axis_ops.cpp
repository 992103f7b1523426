// softmax, log_softmax and mean as the reports' "before": a plain loop per tensor operation, a
// fresh tensor for every result.
#include <cmath>

#include "reference/before/elementwise.h"
#include "reference/spec/axis.h"

namespace nsop::reference::before {
namespace {

// x [outer, length, inner] -> [outer, inner]
Floats max_along(const float* x, const AxisShape& s) {
  Floats largest(s.outer * s.inner);
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      float value = x[o * s.length * s.inner + i];
      for (int64_t l = 1; l < s.length; ++l) {
        value = std::max(value, x[(o * s.length + l) * s.inner + i]);
      }
      largest[o * s.inner + i] = value;
    }
  }
  return largest;
}

Floats sum_along(const float* x, const AxisShape& s) {
  Floats sums(s.outer * s.inner);
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      float sum = 0;
      for (int64_t l = 0; l < s.length; ++l) sum += x[(o * s.length + l) * s.inner + i];
      sums[o * s.inner + i] = sum;
    }
  }
  return sums;
}

// f(a, b) with a [outer, length, inner] and b [outer, inner], broadcast along the axis.
template <class F>
Floats along(const float* a, const Floats& b, const AxisShape& s, F f) {
  Floats result(s.outer * s.length * s.inner);
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t l = 0; l < s.length; ++l) {
      for (int64_t i = 0; i < s.inner; ++i) {
        const int64_t at = (o * s.length + l) * s.inner + i;
        result[at] = f(a[at], b[o * s.inner + i]);
      }
    }
  }
  return result;
}

template <class F>
Floats each(const float* a, int64_t n, F f) {
  Floats result(n);
  for (int64_t i = 0; i < n; ++i) result[i] = f(a[i]);
  return result;
}

float subtract(float a, float b) { return a - b; }
float multiply(float a, float b) { return a * b; }
float divide(float a, float b) { return a / b; }

Floats softmax(const float* x, const AxisShape& s) {
  const Floats shifted = along(x, max_along(x, s), s, subtract);
  const Floats e =
      each(shifted.data(), s.outer * s.length * s.inner, [](float v) { return std::exp(v); });
  return along(e.data(), sum_along(e.data(), s), s, divide);
}

Floats softmax_backward(const float* y, const float* dy, const AxisShape& s) {
  const int64_t n = s.outer * s.length * s.inner;
  Floats product(n);
  for (int64_t i = 0; i < n; ++i) product[i] = y[i] * dy[i];
  const Floats difference = along(dy, sum_along(product.data(), s), s, subtract);
  Floats dx(n);
  for (int64_t i = 0; i < n; ++i) dx[i] = y[i] * difference[i];
  return dx;
}

Floats log_softmax(const float* x, const AxisShape& s) {
  const Floats shifted = along(x, max_along(x, s), s, subtract);
  const Floats e =
      each(shifted.data(), s.outer * s.length * s.inner, [](float v) { return std::exp(v); });
  const Floats logs =
      each(sum_along(e.data(), s).data(), s.outer * s.inner, [](float v) { return std::log(v); });
  return along(shifted.data(), logs, s, subtract);
}

Floats log_softmax_backward(const float* y, const float* dy, const AxisShape& s) {
  const int64_t n = s.outer * s.length * s.inner;
  const Floats probability = each(y, n, [](float v) { return std::exp(v); });
  const Floats product = along(probability.data(), sum_along(dy, s), s, multiply);
  Floats dx(n);
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] - product[i];
  return dx;
}

Floats mean(const float* x, const AxisShape& s) {
  const Floats sums = sum_along(x, s);
  return each(sums.data(), s.outer * s.inner,
              [&](float v) { return v / static_cast<float>(s.length); });
}

Floats mean_backward(const float* dy, const AxisShape& s) {
  const Floats share =
      each(dy, s.outer * s.inner, [&](float v) { return v / static_cast<float>(s.length); });
  const Floats ones(s.outer * s.length * s.inner, 1.0F);
  return along(ones.data(), share, s, multiply);
}

using Forward = Floats (*)(const float*, const AxisShape&);
using Backward = Floats (*)(const float*, const float*, const AxisShape&);

Variant row(const std::string& op, Forward forward, Backward backward) {
  return elementwise(
      op, "One plain loop per tensor operation, a fresh tensor for every result.",
      [=](const Case& c) -> Function {
        const AxisShape s = axis_shape_of(c);
        if (c.str("pass") == "forward") {
          return [=](const Inputs& in, std::vector<Floats>& out) { out[0] = forward(in[0], s); };
        }
        return
            [=](const Inputs& in, std::vector<Floats>& out) { out[0] = backward(in[0], in[1], s); };
      });
}

const VariantRow softmax_row{row("softmax", softmax, softmax_backward)};
const VariantRow log_softmax_row{row("log_softmax", log_softmax, log_softmax_backward)};
const VariantRow mean_row{elementwise(
    "mean", "One plain loop per tensor operation, a fresh tensor for every result.",
    [](const Case& c) -> Function {
      const auto function = c.str("pass") == "forward" ? mean : mean_backward;
      const AxisShape s = axis_shape_of(c);
      return [=](const Inputs& in, std::vector<Floats>& out) { out[0] = function(in[0], s); };
    })};

}  // namespace
}  // namespace nsop::reference::before
