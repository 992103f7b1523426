// conv2d_transpose: the adjoint of conv2d as a layer of its own, and its gradients. x [n,c,h,w],
// w [c,out,k,k], y [n,out,(h-1)*s - 2p + k + op,...]. All of it is the oracle of conv2d with the
// parts of x and y exchanged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/conv_oracle.h"
#include "reference/conv_shape.h"
#include "reference/spec.h"
#include "reference/weighted.h"

namespace nsop::reference {
namespace {

constexpr std::string_view kOp = "conv2d_transpose";

void validate(const Case& c) {
  require_moderate(c, {"k", "s", "p", "op"});
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

Weighted weighted(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  return {{s.pass}, s.full_y_shape(), s.w_shape(), {s.c}, s.x_shape(), s.bias};
}

std::vector<InputSpec> inputs_of(const Case& c) { return weighted_inputs(weighted(c), c); }
std::vector<OutputSpec> outputs_of(const Case& c) { return weighted_outputs(weighted(c)); }

std::vector<double> doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

void forward(const ConvShape& s, std::span<const float> x, std::span<const float> w,
             std::span<const float> b, std::span<double> y) {
  const int64_t pixels = s.in_pixels();
  for (int64_t i = 0; !b.empty() && i < s.n * s.c; ++i) {
    std::fill_n(y.begin() + i * pixels, pixels, b[i % s.c]);
  }
  conv_backward_data(s, w, doubles(x), y);
}

void bias_gradient(const ConvShape& s, std::span<const float> dy, std::span<double> db) {
  for (size_t i = 0; i < dy.size(); ++i) {
    db[i / static_cast<size_t>(s.in_pixels()) % db.size()] += dy[i];
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  using In = WeightedOracle::In;
  using Out = WeightedOracle::Out;
  const ConvShape s = transposed_conv_shape(c);
  const WeightedOracle parts = {
      .forward = [&](In x, In w, In b, Out y) { forward(s, x, w, b, y); },
      .data = [&](In w, In dy, Out dx) { conv_forward(s, dy, w, {}, dx); },
      .weights = [&](In x, In dy, Out dw) { conv_backward_weights(s, dy, doubles(x), dw); },
      .bias = [&](In dy, Out db) { bias_gradient(s, dy, db); }};
  run_oracle(weighted(c), parts, in, out);
}

// Every y sums over the input channels and those taps that the stride makes meet, from a bias;
// every dx over out * k*k products, every dw over n * h*w, every db over n values per pixel of y.
std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  const Uniform values = uniform_of(c);
  const ConvAxis& axis = s.axes[1];
  const int64_t meeting = (axis.k + axis.stride - 1) / axis.stride;
  const auto y_terms = static_cast<double>(s.out * meeting * meeting);
  const auto products = [&](int64_t terms) {
    return accumulation_tolerance(static_cast<double>(terms), values, values);
  };
  return in_order(weighted(c),
                  {.y = accumulation_tolerance(y_terms, values, values),
                   .from_bias = offset_tolerance(y_terms, values),
                   .dx = products(s.c * s.taps()),
                   .dw = products(s.n * s.pixels()),
                   .db = plain_sum_tolerance(static_cast<double>(s.n * s.in_pixels()), values)});
}

// Multiply-adds of the textbook loop over x, those that end in the padding included.
Work work_of(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  const double macs = static_cast<double>(s.n * s.pixels()) * static_cast<double>(s.out) *
                      static_cast<double>(s.c * s.taps());
  return weighted_work(weighted(c), c, macs);
}

const OpRow row{Op{
    .spec = {.name = std::string(kOp),
             .summary = "Two-dimensional transposed convolution, NCHW, and its gradients.",
             .params =
                 {weighted_pass_param(),
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
