// Dropout as the reports' "before": a random number per element, fresh mask and result.
#include <memory>
#include <random>

#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

Function bind(const Case& c) {
  const int64_t n = element_count(c.shape("n"));
  if (c.str("pass") == "backward") {
    return [n](const Inputs& in, std::vector<Floats>& out) {
      Floats dx(n);
      for (int64_t i = 0; i < n; ++i) dx[i] = in[0][i] * in[1][i];
      out[0] = std::move(dx);
    };
  }
  const auto rate = static_cast<float>(c.number("rate"));
  const auto generator = std::make_shared<std::mt19937>(1);
  return [n, rate, generator](const Inputs& in, std::vector<Floats>& out) {
    std::uniform_real_distribution<float> uniform(0.0F, 1.0F);
    Floats mask(n);
    for (int64_t i = 0; i < n; ++i) {
      mask[i] = uniform(*generator) < rate ? 0.0F : 1.0F / (1.0F - rate);
    }
    Floats y(n);
    for (int64_t i = 0; i < n; ++i) y[i] = in[0][i] * mask[i];
    out[0] = std::move(y);
    out[1] = std::move(mask);
  };
}

const VariantRow row{elementwise(
    "dropout", "A Mersenne twister number per element, a fresh mask and result.", bind)};

}  // namespace
}  // namespace nsop::reference::before
