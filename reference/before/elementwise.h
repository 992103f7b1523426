// What the variants of this folder share: one thread, one target, fresh results on every call.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/registry.h"

namespace nsop::reference::before {

using Floats = std::vector<float>;
using Inputs = std::vector<const float*>;
// Does the operation and returns its outputs in fresh vectors, in the op's order.
using Function = std::function<void(const Inputs& inputs, std::vector<Floats>& outputs)>;

// A pass that works with what another one saved.
struct Passes {
  Function run;
  // Not timed: does whatever `run` expects to be done, again when inputs have changed. It returns
  // no outputs.
  std::function<void(const Inputs& inputs)> save;
};

// The row of op `op`. `bind` is set-up and not timed: it turns a case into its function, which must
// assign a fresh vector to every output.
Variant elementwise(const std::string& op, const std::string& summary,
                    std::function<Function(const Case&)> bind);
Variant elementwise(const std::string& op, const std::string& summary,
                    std::function<Passes(const Case&)> bind);

// The same under the name `tensor_ops`: built of whole-tensor operations, each with a fresh result.
Variant tensor_ops(const std::string& op, const std::string& summary,
                   std::function<Function(const Case&)> bind);

}  // namespace nsop::reference::before
