// conv1d_transpose, conv2d_transpose, conv3d_transpose: the adjoint of a convolution as a layer of
// its own, and its gradients. x [n,c,in...], w [c,out/groups,k...], an extent of y
// (in-1)*s - 2p + d*(k-1) + 1 + op. All of it is the oracle of the convolution with the parts of x
// and y exchanged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/conv/oracle.h"
#include "reference/conv/shape.h"
#include "reference/spec/spec.h"
#include "reference/spec/weighted.h"

namespace nsop::reference {
namespace {

void validate(const Case& c) {
  require_moderate(c, {"k", "s", "p", "op", "d"});
  require(c.integer("op") < c.integer("s"), c.op(),
          fmt::format("output padding op={} isn't below the stride s={}, expected less",
                      c.integer("op"), c.integer("s")));
  const ConvShape s = transposed_conv_shape(c);
  for (const auto& [channels, what] : {std::pair(s.out, "input"), std::pair(s.c, "output")}) {
    require(channels % s.groups == 0, c.op(),
            fmt::format("{} {} channels don't divide into groups={}, expected a multiple", channels,
                        what, s.groups));
  }
  const ConvAxis& least = *std::ranges::min_element(s.axes, {}, &ConvAxis::in);
  require(least.in >= 1, c.op(),
          fmt::format("padding p={} leaves an extent of {} of the output, expected at least 1",
                      c.integer("p"), least.in));
  require_size(c.op(), "w", s.w_shape());
  require_size(c.op(), "y", s.x_shape());
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

// Every y sums over the input channels of its group and those taps that the stride makes meet, from
// a bias; every dx over out/groups * k... products, every dw over n * in..., every db over n values
// per pixel of y.
std::vector<Tolerance> tolerances_of_case(const Case& c) {
  const ConvShape s = transposed_conv_shape(c);
  const Uniform values = uniform_of(c);
  const ConvAxis& axis = s.axes[2];
  const int64_t apart = axis.stride / std::gcd(axis.stride, axis.dilation);  // taps that meet
  const int64_t meeting = (axis.k + apart - 1) / apart;                      // on each axis
  const double y_terms = static_cast<double>(s.out_per_group()) *
                         std::pow(static_cast<double>(meeting), static_cast<double>(s.rank));
  const auto products = [&](int64_t terms) {
    return accumulation_tolerance(static_cast<double>(terms), values, values);
  };
  return in_order(weighted(c),
                  {.y = accumulation_tolerance(y_terms, values, values),
                   .from_bias = offset_tolerance(y_terms, values),
                   .dx = products(s.c_per_group() * s.taps()),
                   .dw = products(s.n * s.pixels()),
                   .db = plain_sum_tolerance(static_cast<double>(s.n * s.in_pixels()), values)});
}

// Those products that end in the padding included.
Work work_of(const Case& c) {
  return weighted_work(weighted(c), c, transposed_conv_shape(c).macs());
}

Op transpose_op(int rank) {
  return {
      .spec = {.name = fmt::format("conv{}d_transpose", rank),
               .summary =
                   fmt::format("Transposed convolution over {} axes, channels first, and its "
                               "gradients.",
                               rank),
               .params = conv_params(
                   rank, {param("op", ParamKind::kIndex, "0"), param("d", ParamKind::kCount, "1"),
                          param("groups", ParamKind::kCount, "1")})},
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

const OpRow conv1d_row{transpose_op(1)};
const OpRow conv2d_row{transpose_op(2)};
const OpRow conv3d_row{transpose_op(3)};

}  // namespace
}  // namespace nsop::reference
