// mish as the reports' "before": plain loops, with a fresh tensor for every result.
#include <cmath>

#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// Of a large x, e^x is infinite: log(1 + e^x) is x there.
float tanh_of_softplus(float x) { return std::tanh(x > 20 ? x : std::log1p(std::exp(x))); }

Function bind(const Case& c) {
  const int64_t n = element_count(c.shape("n"));
  if (c.str("pass") == "forward") {
    return [n](const Inputs& in, std::vector<Floats>& out) {
      Floats y(n);
      for (int64_t i = 0; i < n; ++i) y[i] = in[0][i] * tanh_of_softplus(in[0][i]);
      out[0] = std::move(y);
    };
  }
  return [n](const Inputs& in, std::vector<Floats>& out) {  // in[0] is x, in[1] dy
    Floats dx(n);
    for (int64_t i = 0; i < n; ++i) {
      const float t = tanh_of_softplus(in[0][i]);
      const float sigmoid = 1.0F / (1.0F + std::exp(-in[0][i]));
      dx[i] = in[1][i] * (t + in[0][i] * (1.0F - t * t) * sigmoid);
    }
    out[0] = std::move(dx);
  };
}

const VariantRow mish_row{elementwise("mish", "One plain loop into a fresh tensor.", bind)};

}  // namespace
}  // namespace nsop::reference::before
