#include "reference/reduce/reduction.h"

namespace nsop::reference {
namespace {

std::vector<InputSpec> inputs_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  return {{"x", c.shape("n"), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) { return {{"y", without_axis(c)}}; }

Work work_of(double flops, const Case& c) {
  return {.flops = flops * static_cast<double>(element_count(c.shape("n"))),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

}  // namespace

Op reduction_op(const Reduction& r) {
  return {
      .spec = {.name = r.name,
               .summary = r.summary,
               .params = {shape_param(), axis_param(Axes::kOneOrAll), range_param()}},
      .validate = [name = r.name](const Case& c) { require_axis(name, c); },
      .inputs = inputs_of,
      .outputs = outputs_of,
      .shape_inputs = {},
      .oracle =
          [fold = r.fold](const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
            for_each_line(axis_shape_of(c), in[0].data().data(),
                          [&](const Line& line, int64_t at) { out[0].data[at] = fold(line); });
          },
      .tolerance =
          [tolerance = r.tolerance](const Case& c) {
            return tolerance(static_cast<double>(axis_shape_of(c).length), uniform_of(c));
          },
      .work = [flops = r.flops](const Case& c) { return work_of(flops, c); },
  };
}

}  // namespace nsop::reference
