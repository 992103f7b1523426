// The optimizers of the op optimizer_update: what each keeps per weight, and its numbers.
#pragma once

#include <string>
#include <vector>

#include "harness/core/case.h"

namespace nsop::reference {

// The constants of every rule: the defaults of PyTorch's optimizers, and the tenth step.
constexpr double kOptimizerRate = 1e-3, kOptimizerMomentum = 0.9, kOptimizerBeta1 = 0.9,
                 kOptimizerBeta2 = 0.999, kOptimizerEpsilon = 1e-8, kOptimizerDecay = 0.01,
                 kOptimizerAlpha = 0.99, kAdagradEpsilon = 1e-10;
constexpr int kOptimizerStep = 10;

enum class OptimizerRule { kSgd, kMomentum, kNesterov, kAdam, kAdamW, kRmsprop, kAdagrad };

// Of the key `rule`.
OptimizerRule optimizer_rule(const Case& op_case);

// The state beside a weight, in the order of the op's inputs and outputs: `m`, `v`.
std::vector<std::string> optimizer_state(OptimizerRule rule);

}  // namespace nsop::reference
