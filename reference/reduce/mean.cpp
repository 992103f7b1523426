// mean: y = sum(x) / length along an axis; backward spreads dy / length over the axis.
#include "reference/reduce/reduction.h"

namespace nsop::reference {
namespace {

bool is_forward(const Case& c) { return c.str("pass") == "forward"; }

double mean(const Line& line) {
  double sum = 0;
  for (int64_t i = 0; i < line.length; ++i) sum += line[i];
  return sum / static_cast<double>(line.length);
}

Tolerance tolerance_of(double terms, Uniform values) {
  return average_tolerance(terms, values.mean(), values.root_mean_square());
}

// dy [outer, inner] -> dx [outer, length, inner]
void spread(const Case& c, const Tensor& dy, TensorF64& dx) {
  const AxisShape s = axis_shape_of(c);
  const std::span<const float> from = dy.data();
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t l = 0; l < s.length; ++l) {
      for (int64_t i = 0; i < s.inner; ++i) {
        dx.data[(o * s.length + l) * s.inner + i] =
            from[o * s.inner + i] / static_cast<double>(s.length);
      }
    }
  }
}

Op mean_op() {
  const Op forward = reduction_op(
      {.name = "mean", .summary = "Mean along an axis.", .fold = mean, .tolerance = tolerance_of});
  Op op = forward;
  ParamSpec pass = pass_param({"forward", "backward"});
  pass.absent = "forward";
  op.spec.params.insert(op.spec.params.begin(), pass);
  op.inputs = [forward](const Case& c) -> std::vector<InputSpec> {
    if (is_forward(c)) return forward.inputs(c);
    const auto [lo, hi] = c.range("range");
    return {{"dy", without_axis(c), lo, hi}};
  };
  op.outputs = [forward](const Case& c) -> std::vector<OutputSpec> {
    if (is_forward(c)) return forward.outputs(c);
    return {{"dx", c.shape("n")}};
  };
  op.oracle = [forward](const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
    if (is_forward(c)) return forward.oracle(c, in, out);
    spread(c, in[0], out[0]);
  };
  // Backward: the quotient rounds once; a product with a rounded reciprocal twice.
  op.tolerance = [forward](const Case& c) {
    return is_forward(c) ? forward.tolerance(c) : Tolerance{.absolute = 0, .relative = 2 * kUlp};
  };
  op.work = [op](const Case& c) {
    return Work{.flops = static_cast<double>(element_count(c.shape("n"))),
                .macs = 0,
                .bytes = compulsory_bytes(op.inputs(c), op.outputs(c))};
  };
  return op;
}

const OpRow row{mean_op()};

}  // namespace
}  // namespace nsop::reference
