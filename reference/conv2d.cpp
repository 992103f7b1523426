// conv2d: two-dimensional convolution (cross-correlation), NCHW and OIHW, and its gradients;
// `reduce=mean` averages the output over its pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/conv2d_oracle.h"
#include "reference/conv2d_shape.h"
#include "reference/spec.h"

namespace nsop::reference {
namespace {

// Before any arithmetic on them: values near the end of int64 would overflow it.
void require_moderate_values(const Case& c) {
  constexpr int64_t kLargest = 1 << 20;
  for (const char* key : {"k", "s", "p", "d"}) {
    require(c.integer(key) <= kLargest, "conv2d",
            fmt::format("{}={} is too large, expected at most {}", key, c.integer(key), kLargest));
  }
  require_size("conv2d", "x", c.shape("in"));
  require_size("conv2d", "b", {c.integer("out")});
}

void validate(const Case& c) {
  require_moderate_values(c);
  const Conv2dShape s(c);
  require(s.c % s.groups == 0, "conv2d",
          fmt::format("{} input channels (in={}) don't divide into groups={}, expected a multiple",
                      s.c, c.str("in"), s.groups));
  require(s.out % s.groups == 0, "conv2d",
          fmt::format("out={} output channels don't divide into groups={}, expected a multiple",
                      s.out, s.groups));
  const int64_t extent = s.dilation * (s.k - 1) + 1;
  require(s.oh >= 1 && s.ow >= 1, "conv2d",
          fmt::format("kernel of {0}x{0} (k={1} d={2}) is larger than the padded input of {3}x{4}, "
                      "expected at most that",
                      extent, s.k, s.dilation, s.h + 2 * s.pad, s.w + 2 * s.pad));
  require_size("conv2d", "w", s.w_shape());
  require_size("conv2d", "y", s.full_y_shape());
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Conv2dShape s(c);
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
  const Conv2dShape s(c);
  if (s.pass == "forward") return {{"y", s.y_shape()}};
  std::vector<OutputSpec> outputs;
  if (s.wants_data()) outputs.push_back({"dx", s.x_shape()});
  if (s.wants_weights()) outputs.push_back({"dw", s.w_shape()});
  if (s.wants_weights() && s.bias) outputs.push_back({"db", {s.out}});
  return outputs;
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Conv2dShape s(c);
  const auto input = [&](size_t i) { return in[i].data(); };
  if (s.pass == "forward") {
    return conv2d_forward(s, input(0), input(1), s.bias ? input(2) : std::span<const float>(),
                          out[0].data);
  }
  const std::vector<double> dy = conv2d_spread(s, in.back().data());
  size_t next = 0;
  if (s.wants_data()) {
    conv2d_backward_data(s, input(s.wants_weights() ? 1 : 0), dy, out[next++].data);
  }
  if (s.wants_weights()) {
    conv2d_backward_weights(s, input(0), dy, out[next++].data);
    if (s.bias) conv2d_backward_bias(s, dy, out[next].data);
  }
}

// Every y sums over c/groups * k*k products, from a bias. Its average over pixels adds up values
// that all have the bias, and the mean of the products, in common.
Tolerance forward_tolerance(const Conv2dShape& s, Uniform values) {
  const auto terms = static_cast<double>(s.c_per_group() * s.k * s.k);
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

// Every dx sums over out/groups * k*k products, every dw over n * oh*ow, every db over as many
// values. Of an average over pixels, the gradient that reaches each is dy / (oh*ow), but db is the
// plain sum of dy over n: adding one pixel's share again and again would round alike every time.
std::vector<Tolerance> backward_tolerances(const Conv2dShape& s, Uniform values) {
  const Uniform dy = s.mean ? values.scaled(1 / static_cast<double>(s.pixels())) : values;
  const auto dx_terms = static_cast<double>(s.out_per_group() * s.k * s.k);
  const auto dw_terms = static_cast<double>(s.n * s.pixels());
  const double db_terms = s.mean ? static_cast<double>(s.n) : dw_terms;
  std::vector<Tolerance> tolerances;
  if (s.wants_data()) tolerances.push_back(accumulation_tolerance(dx_terms, values, dy));
  if (s.wants_weights()) tolerances.push_back(accumulation_tolerance(dw_terms, values, dy));
  if (s.wants_weights() && s.bias) tolerances.push_back(plain_sum_tolerance(db_terms, values));
  return tolerances;
}

std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const Conv2dShape s(c);
  if (s.pass == "forward") return {forward_tolerance(s, uniform_of(c))};
  return backward_tolerances(s, uniform_of(c));
}

// Multiply-adds of the textbook loop, those with the zeros of the padding included.
Work work_of(const Case& c) {
  const Conv2dShape s(c);
  const double products = s.pass == "backward" ? 2 : 1;
  const double macs = products * static_cast<double>(s.n * s.pixels()) *
                      static_cast<double>(s.out) * static_cast<double>(s.c_per_group() * s.k * s.k);
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

ParamSpec param(std::string name, ParamKind kind, std::optional<std::string> absent = {}) {
  return {.name = std::move(name), .kind = kind, .choices = {}, .absent = std::move(absent)};
}

const OpRow row{Op{
    .spec = {.name = "conv2d",
             .summary = "Two-dimensional convolution, NCHW, and its gradients.",
             .params =
                 {pass_param({"forward", "backward", "backward_data", "backward_weights"}),
                  {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
                  param("out", ParamKind::kCount),
                  param("k", ParamKind::kCount),
                  param("s", ParamKind::kCount),
                  param("p", ParamKind::kIndex),
                  param("bias", ParamKind::kFlag),
                  param("d", ParamKind::kCount, "1"),
                  param("groups", ParamKind::kCount, "1"),
                  {.name = "reduce",
                   .kind = ParamKind::kChoice,
                   .choices = {"none", "mean"},
                   .absent = "none"},
                  range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = {},
    .output_tolerances = tolerances_of_case,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
