// From layers to the variant `layer` of their ops: what a report calls "current". The layer keeps
// its parameters and what its forward pass saves in its own memory, as it does in a network; they
// are brought there outside the step, when inputs change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/registry.h"
#include "layers/core/layer.h"

namespace nsop::layers {

// How a layer and an op go together. Names are the op's names of its inputs and outputs; `x`, `y`,
// `dx` and `dy` are the layer's own. Where the op's backward pass has no x or y, the layer is given
// what it can't look at: zeros, or what its forward pass made of x.
struct LayerRow {
  std::string op;
  // The layer for a case, and the shape of its input.
  std::function<std::unique_ptr<Layer>(const Case&)> make;
  std::function<Shape(const Case&)> input;
  std::string x = "x";  // what the op calls the layer's input
  // Parameter or buffer by the name of the op's input; the gradient d<name> is the parameter's.
  std::map<std::string, std::string> parameters = {};
  // Other outputs, by name: where the layer keeps them.
  std::map<std::string, std::function<ConstFloats(const Layer&)>> saved = {};
  // Inputs that the layer keeps as its state or would save in its forward pass, by name: puts them
  // where it keeps them, before and after that pass.
  std::map<std::string, std::function<void(Layer&, ConstFloats)>> restore = {};
  std::function<bool(const Case&)> training = [](const Case&) { return true; };
  std::function<std::string(const Case&)> unsupported = [](const Case&) { return std::string(); };
};

// The variant `layer` of the row's op, and the row from now on among layer_rows().
Variant layer_variant(LayerRow row);

// Every layer that has a row, in no order: what tests go through.
const std::vector<std::shared_ptr<const LayerRow>>& layer_rows();

// For `unsupported` where the op has passes of its own for the gradients of data and of weights.
std::string whole_backward(const Case& op_case);

}  // namespace nsop::layers
