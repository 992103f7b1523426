// conv1d, conv2d, conv3d: convolution (cross-correlation) of NCW, NCHW and NCDHW with OIW, OIHW and
// OIDHW weights, and its gradients; `reduce=mean` averages the output over its pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/conv/oracle.h"
#include "reference/conv/shape.h"
#include "reference/spec/spec.h"
#include "reference/spec/types.h"
#include "reference/spec/weighted.h"

namespace nsop::reference {
namespace {

// The value of each axis, `32x32`.
template <class Value>
std::string spatial_text(const ConvShape& s, Value value) {
  Shape shape;
  for (int64_t i = 3 - s.rank; i < 3; ++i) shape.push_back(value(s.axes[i]));
  return shape_text(shape);
}

void validate(const Case& c) {
  require_moderate(c, {"k", "s", "p", "d"});
  const ConvShape s = conv_shape(c);
  require(s.c % s.groups == 0, c.op(),
          fmt::format("{} input channels (in={}) don't divide into groups={}, expected a multiple",
                      s.c, c.str("in"), s.groups));
  require(s.out % s.groups == 0, c.op(),
          fmt::format("out={} output channels don't divide into groups={}, expected a multiple",
                      s.out, s.groups));
  for (const ConvAxis& axis : s.axes) {
    require(axis.out >= 1, c.op(),
            fmt::format("kernel of {} (k={} d={}) is larger than the padded input of {}, expected "
                        "at most that",
                        spatial_text(s, [](const ConvAxis& a) { return a.extent(); }), axis.k,
                        axis.dilation,
                        spatial_text(s, [](const ConvAxis& a) { return a.in + 2 * a.pad; })));
  }
  require_size(c.op(), "w", s.w_shape());
  require_size(c.op(), "y", s.full_y_shape());
}

Weighted weighted(const Case& c) {
  const ConvShape s = conv_shape(c);
  return {{s.pass}, s.x_shape(), s.w_shape(), {s.out}, s.y_shape(), s.bias};
}

std::vector<InputSpec> inputs_of(const Case& c) { return weighted_inputs(weighted(c), c); }
std::vector<OutputSpec> outputs_of(const Case& c) { return weighted_outputs(weighted(c)); }

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  using In = WeightedOracle::In;
  using Out = WeightedOracle::Out;
  const ConvShape s = conv_shape(c);
  const WeightedOracle parts = {
      .forward = [&](In x, In w, In b, Out y) { conv_forward(s, x, w, b, y); },
      .data = [&](In w, In dy, Out dx) { conv_backward_data(s, w, conv_spread(s, dy), dx); },
      .weights = [&](In x, In dy, Out dw) { conv_backward_weights(s, x, conv_spread(s, dy), dw); },
      .bias = [&](In dy, Out db) { conv_backward_bias(s, conv_spread(s, dy), db); }};
  run_oracle(weighted(c), parts, in, out);
}

// Every y sums over c/groups * k... products, from a bias. Its average over pixels adds up values
// that all have the bias, and the mean of the products, in common.
Tolerance averaged(const ConvShape& s, Uniform values, Tolerance sum) {
  if (!s.mean) return sum;
  const auto terms = static_cast<double>(s.c_per_group() * s.taps());
  const double bias = s.bias ? std::max(std::fabs(values.lo), std::fabs(values.hi)) : 0;
  const double common = bias + terms * values.mean() * values.mean();
  const double product = values.root_mean_square() * values.root_mean_square();
  const Tolerance average = average_tolerance(static_cast<double>(s.pixels()), common,
                                              common + std::sqrt(terms) * product);
  return {.absolute = sum.absolute + average.absolute, .relative = sum.relative};
}

// Every dx sums over out/groups * k... products, every dw over n * oh*ow, every db over as many
// values. Of an average over pixels, the gradient that reaches each is dy / (oh*ow), but db is the
// plain sum of dy over n: adding one pixel's share again and again would round alike every time.
std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const ConvShape s = conv_shape(c);
  const Uniform values = uniform_of(c);
  const Uniform dy = s.mean ? values.scaled(1 / static_cast<double>(s.pixels())) : values;
  const auto y_terms = static_cast<double>(s.c_per_group() * s.taps());
  const auto dx_terms = static_cast<double>(s.out_per_group() * s.taps());
  const auto dw_terms = static_cast<double>(s.n * s.pixels());
  const double db_terms = s.mean ? static_cast<double>(s.n) : dw_terms;
  std::vector<Tolerance> tolerances =
      in_order(weighted(c), {.y = accumulation_tolerance(y_terms, values, values),
                             .from_bias = offset_tolerance(y_terms, values),
                             .dx = accumulation_tolerance(dx_terms, values, dy),
                             .dw = accumulation_tolerance(dw_terms, values, dy),
                             .db = plain_sum_tolerance(db_terms, values)});
  if (s.forward()) tolerances[0] = averaged(s, values, tolerances[0]);
  return tolerances;
}

Work work_of(const Case& c) { return weighted_work(weighted(c), c, conv_shape(c).macs()); }

Op conv_op(int rank) {
  std::vector<ParamSpec> more = {param("d", ParamKind::kCount, "1"),
                                 param("groups", ParamKind::kCount, "1")};
  if (rank < 3) {
    more.push_back({.name = "reduce",
                    .kind = ParamKind::kChoice,
                    .choices = {"none", "mean"},
                    .absent = "none"});
  }
  return Op{
      .spec = {.name = fmt::format("conv{}d", rank),
               .summary = fmt::format(
                   "Convolution over {} axes, channels first, and its gradients.", rank),
               .params = conv_params(rank, std::move(more))},
      .validate = validate,
      .inputs = inputs_of,
      .outputs = outputs_of,
      .shape_inputs = {},
      .oracle = oracle,
      .tolerance = {},
      .output_tolerances = tolerances_of_case,
      .work = work_of,
  };
}

const OpRow conv1d_row{conv_op(1)};
const OpRow conv2d_row{with_types(conv_op(2))};
const OpRow conv3d_row{conv_op(3)};

}  // namespace
}  // namespace nsop::reference
