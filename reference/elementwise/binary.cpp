// add sub mul div maximum minimum: c = f(a, b), b broadcast to the shape of a.
#include <algorithm>
#include <cmath>

#include "reference/elementwise/broadcast.h"
#include "reference/elementwise/unary.h"
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

struct Binary {
  std::string name;
  std::string summary;
  double (*function)(double a, double b);
  Tolerance tolerance;
  bool divides = false;  // b stays away from 0
};

std::vector<InputSpec> inputs_of(const Binary& op, const Case& c) {
  const auto [lo, hi] = c.range("range");
  // Quotients by values near 0 would say more about the range of floats than about the division.
  return {{"a", c.shape("n"), lo, hi},
          {"b", operand_shape(c, "b"), op.divides ? 0.5 : lo, op.divides ? 1.5 : hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) { return {{"c", c.shape("n")}}; }

void oracle(const Binary& op, const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Shape n = c.shape("n");
  const Shape b = operand_shape(c, "b");
  for (size_t i = 0; i < in[0].size(); ++i) {
    out[0].data[i] = op.function(in[0].data()[i], in[1].data()[index_in_operand(i, n, b)]);
  }
}

Op binary_op(const Binary& op) {
  return {
      .spec = {.name = op.name,
               .summary = op.summary,
               .params = {{.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                          operand_param("b"),
                          range_param()}},
      .validate = [](const Case& c) { validate_broadcast(c, {"b"}); },
      .inputs = [op](const Case& c) { return inputs_of(op, c); },
      .outputs = outputs_of,
      .shape_inputs = {},
      .oracle = [op](const Case& c, std::span<const Tensor> in,
                     std::span<TensorF64> out) { oracle(op, c, in, out); },
      .tolerance = [op](const Case&) { return op.tolerance; },
      .work =
          [op](const Case& c) {
            return Work{.flops = static_cast<double>(element_count(c.shape("n"))),
                        .macs = 0,
                        .bytes = compulsory_bytes(inputs_of(op, c), outputs_of(c))};
          },
  };
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

const OpRow add_row{
    binary_op({"add", "a + b, b broadcast.", [](double a, double b) { return a + b; }, kRounded})};
const OpRow sub_row{
    binary_op({"sub", "a - b, b broadcast.", [](double a, double b) { return a - b; }, kRounded})};
const OpRow mul_row{
    binary_op({"mul", "a * b, b broadcast.", [](double a, double b) { return a * b; }, kRounded})};
const OpRow div_row{binary_op({"div", "a / b, b broadcast and in [0.5, 1.5].",
                               [](double a, double b) { return a / b; }, kFourUlp, true})};
const OpRow maximum_row{
    binary_op({"maximum", "The larger of a and b, NaN if one is; b broadcast.", larger, {}})};
const OpRow minimum_row{
    binary_op({"minimum", "The smaller of a and b, NaN if one is; b broadcast.", smaller, {}})};

}  // namespace
}  // namespace nsop::reference
