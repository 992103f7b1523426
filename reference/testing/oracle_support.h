// For the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/registry.h"

namespace nsop::reference {

// The oracle's outputs for these input tensors.
inline std::vector<TensorF64> run_oracle(const Op& op, const Case& c,
                                         std::span<const Tensor> inputs) {
  std::vector<TensorF64> outputs;
  for (const OutputSpec& spec : op.outputs(c)) {
    outputs.push_back({spec.shape, std::vector<double>(element_count(spec.shape))});
  }
  op.oracle(c, inputs, outputs);
  return outputs;
}

// The oracle's outputs for these input values, one list per input.
inline std::vector<TensorF64> evaluate(const std::string& line,
                                       const std::vector<std::vector<float>>& values) {
  const Case c = parse_case(line);
  const Op& op = *find_op(c.op());
  std::vector<Tensor> inputs;
  for (const InputSpec& spec : op.inputs(c)) {
    const std::vector<float>& given = values.at(inputs.size());
    Tensor& tensor = inputs.emplace_back(spec.shape);
    if (given.size() != tensor.size()) throw std::invalid_argument(line + ": input " + spec.name);
    std::ranges::copy(given, tensor.data().begin());
  }
  return run_oracle(op, c, inputs);
}

// The message of the Error (usage) that a case is refused with; "accepted" if it isn't.
inline std::string refusal_of(const std::string& line) {
  try {
    parse_case(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "accepted";
}

}  // namespace nsop::reference
