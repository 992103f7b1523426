#include "layers/core/initializers.h"

#include <cmath>

#include "layers/core/copy.h"

namespace nsop::layers {
namespace {

void fill_uniform(double bound, std::span<float> weights, Random& random) {
  for (float& w : weights) w = static_cast<float>(random.uniform(-bound, bound));
}

}  // namespace

void initialize(Initializer how, Fan fan, std::span<float> weights, Random& random) {
  const auto in = static_cast<double>(fan.in);
  switch (how) {
    case Initializer::kUniform:
      return fill_uniform(1 / std::sqrt(in), weights, random);
    case Initializer::kXavier:
      return fill_uniform(std::sqrt(6 / (in + static_cast<double>(fan.out))), weights, random);
    case Initializer::kHe:
      for (float& w : weights) w = static_cast<float>(std::sqrt(2 / in) * random.normal());
      return;
    case Initializer::kZero:
      clear_floats(weights);
  }
}

void initialize_bias(Initializer how, Fan fan, std::span<float> bias, Random& random) {
  initialize(how == Initializer::kUniform ? how : Initializer::kZero, fan, bias, random);
}

}  // namespace nsop::layers
