// conv1d, conv2d, conv3d: convolution (cross-correlation) of NCW, NCHW and NCDHW with OIW, OIHW and
// OIDHW weights, and its gradients; `reduce=mean` averages the output over its pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/conv_oracle.h"
#include "reference/conv_shape.h"
#include "reference/spec.h"

namespace nsop::reference {
namespace {

// Before any arithmetic on them: values near the end of int64 would overflow it.
void require_moderate_values(const Case& c) {
  constexpr int64_t kLargest = 1 << 20;
  for (const char* key : {"k", "s", "p", "d"}) {
    require(c.integer(key) <= kLargest, c.op(),
            fmt::format("{}={} is too large, expected at most {}", key, c.integer(key), kLargest));
  }
  require_size(c.op(), "x", c.shape("in"));
  require_size(c.op(), "b", {c.integer("out")});
}

// The value of each axis, `32x32`.
template <class Value>
std::string spatial_text(const ConvShape& s, Value value) {
  Shape shape;
  for (int64_t i = 3 - s.rank; i < 3; ++i) shape.push_back(value(s.axes[i]));
  return shape_text(shape);
}

void validate(const Case& c) {
  require_moderate_values(c);
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

std::vector<InputSpec> inputs_of(const Case& c) {
  const ConvShape s = conv_shape(c);
  const auto [lo, hi] = c.range("range");
  const InputSpec x{"x", s.x_shape(), lo, hi};
  const InputSpec w{"w", s.w_shape(), lo, hi};
  const InputSpec b{"b", {s.out}, lo, hi};
  const InputSpec dy{"dy", s.y_shape(), lo, hi};
  if (s.pass == "forward") return s.bias ? std::vector{x, w, b} : std::vector{x, w};
  if (s.pass == "backward") return {x, w, dy};
  if (s.pass == "backward_data") return {w, dy};
  return {x, dy};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const ConvShape s = conv_shape(c);
  if (s.pass == "forward") return {{"y", s.y_shape()}};
  std::vector<OutputSpec> outputs;
  if (s.wants_data()) outputs.push_back({"dx", s.x_shape()});
  if (s.wants_weights()) outputs.push_back({"dw", s.w_shape()});
  if (s.wants_weights() && s.bias) outputs.push_back({"db", {s.out}});
  return outputs;
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const ConvShape s = conv_shape(c);
  const auto input = [&](size_t i) { return in[i].data(); };
  if (s.pass == "forward") {
    return conv_forward(s, input(0), input(1), s.bias ? input(2) : std::span<const float>(),
                        out[0].data);
  }
  const std::vector<double> dy = conv_spread(s, in.back().data());
  size_t next = 0;
  if (s.wants_data()) {
    conv_backward_data(s, input(s.wants_weights() ? 1 : 0), dy, out[next++].data);
  }
  if (s.wants_weights()) {
    conv_backward_weights(s, input(0), dy, out[next++].data);
    if (s.bias) conv_backward_bias(s, dy, out[next].data);
  }
}

// Every y sums over c/groups * k... products, from a bias. Its average over pixels adds up values
// that all have the bias, and the mean of the products, in common.
Tolerance forward_tolerance(const ConvShape& s, Uniform values) {
  const auto terms = static_cast<double>(s.c_per_group() * s.taps());
  Tolerance sum = accumulation_tolerance(terms, values, values);
  if (s.bias) sum = wider(sum, offset_tolerance(terms, values));
  if (!s.mean) return sum;
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
std::vector<Tolerance> backward_tolerances(const ConvShape& s, Uniform values) {
  const Uniform dy = s.mean ? values.scaled(1 / static_cast<double>(s.pixels())) : values;
  const auto dx_terms = static_cast<double>(s.out_per_group() * s.taps());
  const auto dw_terms = static_cast<double>(s.n * s.pixels());
  const double db_terms = s.mean ? static_cast<double>(s.n) : dw_terms;
  std::vector<Tolerance> tolerances;
  if (s.wants_data()) tolerances.push_back(accumulation_tolerance(dx_terms, values, dy));
  if (s.wants_weights()) tolerances.push_back(accumulation_tolerance(dw_terms, values, dy));
  if (s.wants_weights() && s.bias) tolerances.push_back(plain_sum_tolerance(db_terms, values));
  return tolerances;
}

std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const ConvShape s = conv_shape(c);
  if (s.pass == "forward") return {forward_tolerance(s, uniform_of(c))};
  return backward_tolerances(s, uniform_of(c));
}

// Multiply-adds of the textbook loop, those with the zeros of the padding included.
Work work_of(const Case& c) {
  const ConvShape s = conv_shape(c);
  const double products = s.pass == "backward" ? 2 : 1;
  const double macs = products * static_cast<double>(s.n * s.pixels()) *
                      static_cast<double>(s.out) * static_cast<double>(s.c_per_group() * s.taps());
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

ParamSpec param(std::string name, ParamKind kind, std::optional<std::string> absent = {}) {
  return {.name = std::move(name), .kind = kind, .choices = {}, .absent = std::move(absent)};
}

Op conv_op(int rank) {
  const std::string name = fmt::format("conv{}d", rank);
  std::vector<ParamSpec> params = {
      pass_param({"forward", "backward", "backward_data", "backward_weights"}),
      {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 2 + rank, .absent = {}},
      param("out", ParamKind::kCount),
      param("k", ParamKind::kCount),
      param("s", ParamKind::kCount),
      param("p", ParamKind::kIndex),
      param("bias", ParamKind::kFlag),
      param("d", ParamKind::kCount, "1"),
      param("groups", ParamKind::kCount, "1")};
  if (rank < 3) {
    params.push_back({.name = "reduce",
                      .kind = ParamKind::kChoice,
                      .choices = {"none", "mean"},
                      .absent = "none"});
  }
  params.push_back(range_param());
  return Op{
      .spec = {.name = name,
               .summary = fmt::format(
                   "Convolution over {} axes, channels first, and its gradients.", rank),
               .params = std::move(params)},
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
const OpRow conv2d_row{conv_op(2)};
const OpRow conv3d_row{conv_op(3)};

}  // namespace
}  // namespace nsop::reference
