#include "reference/elementwise/unary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

bool is_forward(const Case& c) { return c.str("pass") == "forward"; }

std::vector<InputSpec> inputs_of(const Unary& a, const Case& c) {
  const Shape shape = c.shape("n");
  const auto [lo, hi] = c.range("range");
  const bool saved_output = !is_forward(c) && a.backward_takes_output;
  std::vector<InputSpec> inputs = {{saved_output ? "y" : "x", shape, lo, hi}};
  if (!is_forward(c)) inputs.push_back({"dy", shape, -1, 1});
  return inputs;
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  return {{is_forward(c) ? "y" : "dx", c.shape("n")}};
}

// A backward pass that takes the saved output must be given one that the op can produce.
void save_output(const Unary& a, const Case& c, std::span<Tensor> inputs) {
  if (is_forward(c) || !a.backward_takes_output) return;
  const Scalar forward = a.forward(c);
  for (float& value : inputs[0].data()) value = static_cast<float>(forward(value));
}

// What no float holds is infinite; halfway to the next power of two is where rounding turns.
double as_float_range(double v) {
  constexpr double kOverflow = 0x1.ffffffp127;
  return std::fabs(v) >= kOverflow ? std::copysign(std::numeric_limits<double>::infinity(), v) : v;
}

void oracle(const Unary& a, const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const std::span<const float> values = in[0].data();
  std::vector<double>& result = out[0].data;
  if (is_forward(c)) {
    const Scalar forward = a.forward(c);
    for (size_t i = 0; i < values.size(); ++i) result[i] = as_float_range(forward(values[i]));
    return;
  }
  const Scalar derivative = a.derivative(c);
  const std::span<const float> dy = in[1].data();
  for (size_t i = 0; i < values.size(); ++i) {
    result[i] = as_float_range(dy[i] * derivative(values[i]));
  }
}

Work work_of(const Unary& a, const Case& c) {
  const auto elements = static_cast<double>(element_count(c.shape("n")));
  return {.flops = elements * (is_forward(c) ? a.forward_flops : a.backward_flops),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(a, c), outputs_of(c))};
}

OpSpec spec_of(const Unary& a) {
  OpSpec spec{.name = a.name, .summary = a.summary, .params = {}};
  spec.params.push_back(a.derivative ? pass_param({"forward", "backward"})
                                     : pass_param({"forward"}));
  spec.params.push_back({.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}});
  spec.params.insert(spec.params.end(), a.params.begin(), a.params.end());
  spec.params.push_back({.name = "range", .kind = ParamKind::kRange, .choices = {}, .absent = {}});
  return spec;
}

}  // namespace

BindScalar plain(double (*function)(double)) {
  return [function](const Case&) -> Scalar { return function; };
}

std::function<Tolerance(const Case&)> always(Tolerance tolerance) {
  return [tolerance](const Case&) { return tolerance; };
}

double largest_input(const Case& op_case) {
  const auto [lo, hi] = op_case.range("range");
  return std::max(std::fabs(lo), std::fabs(hi));
}

Op unary_op(const Unary& a) {
  return {
      .spec = spec_of(a),
      .validate = [name = a.name](const Case& c) { require_size(name, "n", c.shape("n")); },
      .inputs = [a](const Case& c) { return inputs_of(a, c); },
      .outputs = outputs_of,
      .shape_inputs = [a](const Case& c, std::span<Tensor> in) { save_output(a, c, in); },
      .oracle = [a](const Case& c, std::span<const Tensor> in,
                    std::span<TensorF64> out) { oracle(a, c, in, out); },
      .tolerance =
          [a](const Case& c) {
            return is_forward(c) ? a.forward_tolerance(c) : a.backward_tolerance(c);
          },
      .work = [a](const Case& c) { return work_of(a, c); },
  };
}

}  // namespace nsop::reference
