// How weights start.
#pragma once

#include <cstddef>
#include <span>

#include "layers/core/random.h"

namespace nsop::layers {

enum class Initializer {
  kUniform,  // uniform in +-1 / sqrt(fan_in): what common frameworks start with
  kHe,       // normal, variance 2 / fan_in: for ReLU (He et al. 2015, arXiv:1502.01852)
  kXavier,   // uniform in +-sqrt(6 / (fan_in + fan_out)): for tanh (Glorot & Bengio 2010)
  kZero,
};

// How many values an output sums over, and how many outputs an input goes to.
struct Fan {
  size_t in = 1;
  size_t out = 1;
};

// Fills `weights`. Draws in the order of the elements.
void initialize(Initializer how, Fan fan, std::span<float> weights, Random& random);

// Fills a bias: uniform in +-1 / sqrt(fan_in) with kUniform, else zero.
void initialize_bias(Initializer how, Fan fan, std::span<float> bias, Random& random);

}  // namespace nsop::layers
