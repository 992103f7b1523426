// What ops of layers with weights and a bias have in common: which tensors each pass reads and
// writes, and in which order.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/spec/passes.h"
#include "reference/spec/spec.h"

namespace nsop::reference {

// A case of such an op: inputs x, w and, forward, b, or dy; outputs y, or dx, dw and db.
struct Weighted : Passes {
  Shape x, w, b, y;  // b also where there is no bias
  bool bias = false;
};

ParamSpec weighted_pass_param();
// A key; with `absent` it is left out of the canonical text when it has that value.
ParamSpec param(std::string name, ParamKind kind, std::optional<std::string> absent = {});

std::vector<InputSpec> weighted_inputs(const Weighted& s, const Case& op_case);
std::vector<OutputSpec> weighted_outputs(const Weighted& s);

// The oracle of each part. Outputs are zero at the start; b is empty where there is none.
struct WeightedOracle {
  using In = std::span<const float>;
  using Out = std::span<double>;
  std::function<void(In x, In w, In b, Out y)> forward;
  std::function<void(In w, In dy, Out dx)> data;
  std::function<void(In x, In dy, Out dw)> weights;
  std::function<void(In dy, Out db)> bias;
};
void run_oracle(const Weighted& s, const WeightedOracle& parts, std::span<const Tensor> in,
                std::span<TensorF64> out);

// One tolerance per output, in their order. `y` is for y without a bias, `from_bias` is what the
// bias adds to it.
struct WeightedTolerances {
  Tolerance y, from_bias, dx, dw, db;
};
std::vector<Tolerance> in_order(const Weighted& s, const WeightedTolerances& tolerances);

// Of `macs` multiply-adds per product; backward has two.
Work weighted_work(const Weighted& s, const Case& op_case, double macs);

}  // namespace nsop::reference
