// fma axpy scale compare where: element-wise. The operands of fma and the x of axpy are broadcast.
#include <algorithm>
#include <cmath>

#include "reference/elementwise/broadcast.h"
#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

using Operands = std::span<const double>;
using Function = std::function<double(Operands)>;

struct Elementwise {
  std::string name;
  std::string summary;
  std::vector<ParamSpec> params;    // before `n`
  std::vector<std::string> inputs;  // names
  std::string output;
  std::function<Function(const Case&)> bind;
  double flops = 1;  // per element
  std::function<Tolerance(const Case&)> tolerance;
  std::vector<std::string> broadcast = {};  // inputs with a shape of their own, a parameter
};

bool is_broadcast(const Elementwise& op, const std::string& input) {
  return std::ranges::find(op.broadcast, input) != op.broadcast.end();
}

std::vector<InputSpec> inputs_of(const Elementwise& op, const Case& c) {
  const auto [lo, hi] = c.range("range");
  std::vector<InputSpec> inputs;
  for (const std::string& name : op.inputs) {
    inputs.push_back(
        {name, is_broadcast(op, name) ? operand_shape(c, name) : c.shape("n"), lo, hi});
  }
  return inputs;
}

void oracle(const Elementwise& op, const Case& c, std::span<const Tensor> in,
            std::span<TensorF64> out) {
  const Function function = op.bind(c);
  const Shape n = c.shape("n");
  std::vector<double> operands(in.size());
  for (size_t i = 0; i < out[0].data.size(); ++i) {
    for (size_t j = 0; j < in.size(); ++j) {
      operands[j] = in[j].data()[index_in_operand(i, n, in[j].shape())];
    }
    out[0].data[i] = function(operands);
  }
}

Op elementwise_op(const Elementwise& op) {
  OpSpec spec{.name = op.name, .summary = op.summary, .params = op.params};
  spec.params.push_back({.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}});
  for (const std::string& name : op.broadcast) spec.params.push_back(operand_param(name));
  spec.params.push_back(range_param());
  const auto outputs = [op](const Case& c) -> std::vector<OutputSpec> {
    return {{op.output, c.shape("n")}};
  };
  return {
      .spec = spec,
      .validate =
          [op](const Case& c) {
            if (op.broadcast.empty()) return require_size(op.name, "n", c.shape("n"));
            validate_broadcast(c, op.broadcast);
          },
      .inputs = [op](const Case& c) { return inputs_of(op, c); },
      .outputs = outputs,
      .shape_inputs = {},
      .oracle = [op](const Case& c, std::span<const Tensor> in,
                     std::span<TensorF64> out) { oracle(op, c, in, out); },
      .tolerance = op.tolerance,
      .work =
          [op, outputs](const Case& c) {
            const auto elements = static_cast<double>(element_count(c.shape("n")));
            return Work{.flops = op.flops * elements,
                        .macs = 0,
                        .bytes = compulsory_bytes(inputs_of(op, c), outputs(c))};
          },
  };
}

ParamSpec alpha_param() {
  return {.name = "alpha", .kind = ParamKind::kNumber, .choices = {}, .absent = {}};
}
double alpha_of(const Case& c) { return static_cast<float>(c.number("alpha")); }

// The product is rounded unless it is fused, by up to u times the largest one; then the sum.
Tolerance sum_of_product(double product) {
  return {.absolute = kUnitRoundoff * product, .relative = 2 * kUnitRoundoff};
}

const OpRow fma_row{elementwise_op({
    .name = "fma",
    .summary = "a * b + c, all of them broadcast.",
    .params = {},
    .inputs = {"a", "b", "c"},
    .output = "y",
    .bind = [](const Case&) -> Function { return [](Operands v) { return v[0] * v[1] + v[2]; }; },
    .flops = 2,
    .tolerance = [](const Case& c) { return sum_of_product(largest_input(c) * largest_input(c)); },
    .broadcast = {"a", "b", "c"},
})};

const OpRow axpy_row{elementwise_op({
    .name = "axpy",
    .summary = "alpha * x + y, x broadcast.",
    .params = {alpha_param()},
    .inputs = {"x", "y"},
    .output = "z",
    .bind = [](const Case& c) -> Function {
      return [alpha = alpha_of(c)](Operands v) { return alpha * v[0] + v[1]; };
    },
    .flops = 2,
    .tolerance =
        [](const Case& c) { return sum_of_product(std::fabs(alpha_of(c)) * largest_input(c)); },
    .broadcast = {"x"},
})};

const OpRow scale_row{elementwise_op({
    .name = "scale",
    .summary = "alpha * x.",
    .params = {alpha_param()},
    .inputs = {"x"},
    .output = "y",
    .bind = [](const Case& c) -> Function {
      return [alpha = alpha_of(c)](Operands v) { return alpha * v[0]; };
    },
    .tolerance = always(kRounded),
})};

const OpRow where_row{elementwise_op({
    .name = "where",
    .summary = "a where cond > 0, else b.",
    .params = {},
    .inputs = {"cond", "a", "b"},
    .output = "y",
    .bind = [](const Case&) -> Function {
      return [](Operands v) { return v[0] > 0 ? v[1] : v[2]; };
    },
    .tolerance = always({}),
})};

Function bind_compare(const Case& c) {
  const std::string& cmp = c.str("cmp");
  if (cmp == "eq") return [](Operands v) { return v[0] == v[1] ? 1.0 : 0.0; };
  if (cmp == "ne") return [](Operands v) { return v[0] != v[1] ? 1.0 : 0.0; };
  if (cmp == "lt") return [](Operands v) { return v[0] < v[1] ? 1.0 : 0.0; };
  if (cmp == "le") return [](Operands v) { return v[0] <= v[1] ? 1.0 : 0.0; };
  if (cmp == "gt") return [](Operands v) { return v[0] > v[1] ? 1.0 : 0.0; };
  return [](Operands v) { return v[0] >= v[1] ? 1.0 : 0.0; };
}

// Random floats are never equal: inputs are rounded to the middles of 16 steps of the range.
void quantise(const Case& c, std::span<Tensor> inputs) {
  const auto [lo, hi] = c.range("range");
  const double step = (hi - lo) / 16;
  for (Tensor& input : inputs) {
    for (float& v : input.data()) {
      v = static_cast<float>(lo + step * (std::floor((v - lo) / step) + 0.5));
    }
  }
}

Op compare_op() {
  Op op = elementwise_op({
      .name = "compare",
      .summary = "1 where `a cmp b` holds, else 0; some elements are equal.",
      .params = {{.name = "cmp",
                  .kind = ParamKind::kChoice,
                  .choices = {"eq", "ne", "lt", "le", "gt", "ge"},
                  .absent = {}}},
      .inputs = {"a", "b"},
      .output = "c",
      .bind = bind_compare,
      .tolerance = always({}),
  });
  op.shape_inputs = quantise;
  return op;
}

const OpRow compare_row{compare_op()};

}  // namespace
}  // namespace nsop::reference
