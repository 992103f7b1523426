// conv2d_transpose: the adjoint of conv2d as a layer of its own, and its gradients. x [n,c,h,w],
// w [c,out,k,k], y [n,out,(h-1)*s - 2p + k + op,...]. All of it is the oracle of conv2d with the
// parts of x and y exchanged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/conv_oracle.h"
#include "reference/conv_shape.h"
#include "reference/spec.h"

namespace nsop::reference {
namespace {

constexpr std::string_view kOp = "conv2d_transpose";

void validate(const Case& c) {
  constexpr int64_t kLargest = 1 << 20;  // before any arithmetic: it might overflow
  for (const char* key : {"k", "s", "p", "op"}) {
    require(c.integer(key) <= kLargest, kOp,
            fmt::format("{}={} is too large, expected at most {}", key, c.integer(key), kLargest));
  }
  require_size(kOp, "x", c.shape("in"));
  require_size(kOp, "b", {c.integer("out")});
  require(c.integer("op") < c.integer("s"), kOp,
          fmt::format("output padding op={} isn't below the stride s={}, expected less",
                      c.integer("op"), c.integer("s")));
  const ConvShape s = transposed_conv_shape(c);
  require(s.axes[1].in >= 1 && s.axes[2].in >= 1, kOp,
          fmt::format("padding p={} leaves an output of {}x{}, expected at least 1x1",
                      c.integer("p"), s.axes[1].in, s.axes[2].in));
  require_size(kOp, "w", s.w_shape());
  require_size(kOp, "y", s.x_shape());
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  const auto [lo, hi] = c.range("range");
  const InputSpec x{"x", s.full_y_shape(), lo, hi};
  const InputSpec w{"w", s.w_shape(), lo, hi};
  const InputSpec b{"b", {s.c}, lo, hi};
  const InputSpec dy{"dy", s.x_shape(), lo, hi};
  if (s.pass == "forward") return s.bias ? std::vector{x, w, b} : std::vector{x, w};
  if (s.pass == "backward") return {x, w, dy};
  if (s.pass == "backward_data") return {w, dy};
  return {x, dy};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  if (s.pass == "forward") return {{"y", s.x_shape()}};
  std::vector<OutputSpec> outputs;
  if (s.wants_data()) outputs.push_back({"dx", s.full_y_shape()});
  if (s.wants_weights()) outputs.push_back({"dw", s.w_shape()});
  if (s.wants_weights() && s.bias) outputs.push_back({"db", {s.c}});
  return outputs;
}

void forward(const ConvShape& s, std::span<const Tensor> in, std::span<double> y) {
  if (s.bias) {
    const int64_t pixels = s.in_pixels();
    for (int64_t i = 0; i < s.n * s.c; ++i) {
      std::fill_n(y.begin() + i * pixels, pixels, in[2].data()[i % s.c]);
    }
  }
  const std::span<const float> x = in[0].data();
  conv_backward_data(s, in[1].data(), std::vector<double>(x.begin(), x.end()), y);
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const ConvShape s = transposed_conv_shape(c);
  if (s.pass == "forward") return forward(s, in, out[0].data);
  const std::span<const float> dy = in.back().data();
  size_t next = 0;
  if (s.wants_data()) {
    conv_forward(s, dy, in[s.wants_weights() ? 1 : 0].data(), {}, out[next++].data);
  }
  if (!s.wants_weights()) return;
  const std::span<const float> x = in[0].data();
  conv_backward_weights(s, dy, std::vector<double>(x.begin(), x.end()), out[next++].data);
  if (!s.bias) return;
  for (size_t i = 0; i < dy.size(); ++i) {
    out[next].data[i / static_cast<size_t>(s.in_pixels()) % out[next].data.size()] += dy[i];
  }
}

// Every y sums over the input channels and those taps that the stride makes meet, from a bias;
// every dx over out * k*k products, every dw over n * h*w, every db over n values per pixel of y.
std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  const Uniform values = uniform_of(c);
  const ConvAxis& axis = s.axes[1];
  const int64_t meeting = (axis.k + axis.stride - 1) / axis.stride;
  if (s.pass == "forward") {
    const auto terms = static_cast<double>(s.out * meeting * meeting);
    const Tolerance sum = accumulation_tolerance(terms, values, values);
    return {s.bias ? wider(sum, offset_tolerance(terms, values)) : sum};
  }
  std::vector<Tolerance> tolerances;
  const auto products = [&](int64_t terms) {
    return accumulation_tolerance(static_cast<double>(terms), values, values);
  };
  if (s.wants_data()) tolerances.push_back(products(s.c * s.taps()));
  if (s.wants_weights()) tolerances.push_back(products(s.n * s.pixels()));
  if (s.wants_weights() && s.bias) {
    tolerances.push_back(plain_sum_tolerance(static_cast<double>(s.n * s.in_pixels()), values));
  }
  return tolerances;
}

// Multiply-adds of the textbook loop over x, those that end in the padding included.
Work work_of(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  const double products = s.pass == "backward" ? 2 : 1;
  const double macs = products * static_cast<double>(s.n * s.pixels()) *
                      static_cast<double>(s.out) * static_cast<double>(s.c * s.taps());
  return {.flops = 2 * macs, .macs = macs, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

ParamSpec param(std::string name, ParamKind kind, std::optional<std::string> absent = {}) {
  return {.name = std::move(name), .kind = kind, .choices = {}, .absent = std::move(absent)};
}

const OpRow row{Op{
    .spec = {.name = std::string(kOp),
             .summary = "Two-dimensional transposed convolution, NCHW, and its gradients.",
             .params =
                 {pass_param({"forward", "backward", "backward_data", "backward_weights"}),
                  {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
                  param("out", ParamKind::kCount),
                  param("k", ParamKind::kCount),
                  param("s", ParamKind::kCount),
                  param("p", ParamKind::kIndex),
                  param("bias", ParamKind::kFlag),
                  param("op", ParamKind::kIndex, "0"),
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
