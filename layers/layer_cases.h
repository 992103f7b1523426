// The configurations that the tests run every layer in.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "layers/layer.h"

namespace nsop::layers {

struct LayerCase {
  std::string name;  // of the test
  std::function<std::unique_ptr<Layer>()> make;
  Shape in;
  // The forward case of the op that says, in double precision, what the layer computes. Its inputs
  // are the layer's input, parameters and buffers by the names of oracle_name().
  std::string op_case;
  bool training = true;
  // Shapes that it must refuse.
  std::vector<Shape> refused = {};
  // Inputs are integers in [0, indices) instead of numbers; there is no gradient of them.
  int64_t indices = 0;
};

const std::vector<LayerCase>& layer_cases();

// What an op calls a parameter or buffer: `w` for `weight` of Dense; `gamma` of a norm.
std::string oracle_name(const std::string& op, const std::string& layer_name);

inline void PrintTo(const LayerCase& c, std::ostream* out) { *out << c.name; }

inline std::string layer_case_name(const testing::TestParamInfo<LayerCase>& info) {
  return info.param.name;
}

}  // namespace nsop::layers
