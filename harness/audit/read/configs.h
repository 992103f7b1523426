// The configurations of layers that a page lists: shapes of input, output and kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/audit/read/document.h"

namespace nsop::audit {

using Shape = std::vector<int64_t>;

// What stands under a heading or behind a line `Name:` as `Input: [...]`, `Output: [...]` and
// `Kernel: 3x3`.
struct Config {
  std::string name{};  // words
  int line = 0;        // of its input, or of what stands first
  int output_line = 0;
  Shape input{}, output{};       // batch, channels, then space; or batch, features
  std::vector<Shape> kernels{};  // of space; `3/5/7` are three
};

inline constexpr size_t kMostConfigs = 500;

// The first kMostConfigs of a page.
std::vector<Config> configs_of(const Document& document);

// Multiplications of a convolution with the i-th kernel, batch x channels out x space out x
// channels in x kernel, or of a dense layer, batch x in x out (Sze et al. 2017, Efficient
// Processing of Deep Neural Networks, II and III); 0 where its shapes don't say.
double multiplications(const Config& config, size_t kernel);

std::string shape_text(const Shape& shape);  // `8x64x32x32`

}  // namespace nsop::audit
