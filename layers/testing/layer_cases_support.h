// The configurations that the tests run every layer in.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/core/case.h"
#include "layers/core/layer.h"

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
  // Made of a layer's row, not written by hand.
  bool registered = false;
  // In place of op_case where there is no such op: the output, given the layer after its latest
  // forward pass.
  std::function<std::vector<double>(const Layer&, ConstFloats x)> formula = nullptr;
};

// All cases of one kind of layer: one test.
struct LayerKind {
  std::string name;  // of its cases, up to the first `_`
  std::vector<LayerCase> cases;
};

// Written by hand, for what a row and lines of check_cases.txt can't say: shapes that a layer must
// refuse, configurations that no op has, which gradients a NaN reaches.
const std::vector<LayerKind>& layer_kinds();

// One kind of each registered layer (layer_rows() of layers/core/variant.h), named after its op.
const std::vector<LayerKind>& registered_kinds();

// What the op of a case calls a parameter or buffer, as its row says: `gamma` for `weight` of a
// norm.
std::string oracle_name(const Case& op_case, const std::string& layer_name);

inline void PrintTo(const LayerKind& kind, std::ostream* out) { *out << kind.name; }

inline std::string layer_kind_name(const testing::TestParamInfo<LayerKind>& info) {
  return info.param.name;
}

// A test of one kind, which goes through its cases.
class EveryLayer : public testing::TestWithParam<LayerKind> {
 protected:
  template <class Check>
  void for_each_case(const Check& check) {
    for (const LayerCase& c : GetParam().cases) {
      const testing::ScopedTrace trace(__FILE__, __LINE__, c.name);
      check(c);
    }
  }
};

}  // namespace nsop::layers
