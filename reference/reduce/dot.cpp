// dot: y[0] = sum of a[i] * b[i].
#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

std::vector<InputSpec> inputs_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  return {{"a", {c.integer("n")}, lo, hi}, {"b", {c.integer("n")}, lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& /*c*/) { return {{"y", {1}}}; }

void oracle(const Case& /*c*/, std::span<const Tensor> in, std::span<TensorF64> out) {
  const std::span<const float> a = in[0].data();
  const std::span<const float> b = in[1].data();
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  out[0].data[0] = sum;
}

Work work_of(const Case& c) {
  const auto macs = static_cast<double>(c.integer("n"));
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = {.name = "dot",
             .summary = "Scalar product of two vectors.",
             .params = {{.name = "n", .choices = {}, .absent = {}}, range_param()}},
    .validate = [](const Case& c) { require_size("dot", "a", {c.integer("n")}); },
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance =
        [](const Case& c) {
          return accumulation_tolerance(static_cast<double>(c.integer("n")), uniform_of(c),
                                        uniform_of(c));
        },
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
