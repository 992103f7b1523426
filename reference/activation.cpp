#include "reference/activation.h"

#include "reference/spec.h"

namespace nsop::reference {
namespace {

bool is_forward(const Case& c) { return c.str("pass") == "forward"; }

std::vector<InputSpec> inputs_of(const Activation& a, const Case& c) {
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
void save_output(const Activation& a, const Case& c, std::span<Tensor> inputs) {
  if (is_forward(c) || !a.backward_takes_output) return;
  for (float& value : inputs[0].data()) value = static_cast<float>(a.forward(value));
}

void oracle(const Activation& a, const Case& c, std::span<const Tensor> in,
            std::span<TensorF64> out) {
  const std::span<const float> values = in[0].data();
  std::vector<double>& result = out[0].data;
  if (is_forward(c)) {
    for (size_t i = 0; i < values.size(); ++i) result[i] = a.forward(values[i]);
    return;
  }
  const std::span<const float> dy = in[1].data();
  for (size_t i = 0; i < values.size(); ++i) result[i] = dy[i] * a.derivative(values[i]);
}

Work work_of(const Activation& a, const Case& c) {
  const auto elements = static_cast<double>(element_count(c.shape("n")));
  return {.flops = elements * (is_forward(c) ? a.forward_flops : a.backward_flops),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(a, c), outputs_of(c))};
}

}  // namespace

Op activation_op(const Activation& a) {
  return {
      .spec =
          {.name = a.name,
           .summary = a.summary,
           .params = {pass_param({"forward", "backward"}),
                      {.name = "n", .kind = ParamKind::kShape, .choices = {}, .absent = {}},
                      {.name = "range", .kind = ParamKind::kRange, .choices = {}, .absent = {}}}},
      .validate = [name = a.name](const Case& c) { require_size(name, "n", c.shape("n")); },
      .inputs = [a](const Case& c) { return inputs_of(a, c); },
      .outputs = outputs_of,
      .shape_inputs = [a](const Case& c, std::span<Tensor> in) { save_output(a, c, in); },
      .oracle = [a](const Case& c, std::span<const Tensor> in,
                    std::span<TensorF64> out) { oracle(a, c, in, out); },
      .tolerance =
          [a](const Case& c) { return is_forward(c) ? a.forward_tolerance : a.backward_tolerance; },
      .work = [a](const Case& c) { return work_of(a, c); },
  };
}

}  // namespace nsop::reference
