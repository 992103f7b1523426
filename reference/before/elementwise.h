// What all `elementwise` variants share: one thread, one target, fresh results on every call.
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

// The row of op `op`. `bind` is set-up and not timed: it turns a case into its function, which must
// assign a fresh vector to every output.
Variant elementwise(const std::string& op, const std::string& summary,
                    std::function<Function(const Case&)> bind);

}  // namespace nsop::reference::before
