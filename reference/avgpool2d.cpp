// avgpool2d: the mean of every window, padding counted as zeros (the divisor is always k*k), and
// its gradient.
#include "reference/pool2d_shape.h"

namespace nsop::reference {
namespace {

// fn(input index, output index) for every pixel of every window.
template <class Fn>
void for_each_tap(const Pool2dShape& s, Fn fn) {
  for (int64_t plane = 0; plane < s.planes(); ++plane) {
    for (int64_t oy = 0; oy < s.oh; ++oy) {
      for (int64_t ox = 0; ox < s.ow; ++ox) {
        for (int64_t ky = 0; ky < s.k; ++ky) {
          for (int64_t kx = 0; kx < s.k; ++kx) {
            const int64_t iy = oy * s.stride - s.pad + ky;
            const int64_t ix = ox * s.stride - s.pad + kx;
            if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
            fn((plane * s.h + iy) * s.w + ix, (plane * s.oh + oy) * s.ow + ox);
          }
        }
      }
    }
  }
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Pool2dShape s(c);
  const auto [lo, hi] = c.range("range");
  if (s.forward) return {{"x", s.x_shape(), lo, hi}};
  return {{"dy", s.y_shape(), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const Pool2dShape s(c);
  if (s.forward) return {{"y", s.y_shape()}};
  return {{"dx", s.x_shape()}};
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Pool2dShape s(c);
  const std::span<const float> values = in[0].data();
  std::vector<double>& result = out[0].data;
  for_each_tap(s, [&](int64_t x_at, int64_t y_at) {
    if (s.forward) result[y_at] += values[x_at];
    if (!s.forward) result[x_at] += values[y_at];
  });
  for (double& value : result) value /= static_cast<double>(s.k * s.k);
}

// Forward averages k*k values; backward adds up at most overlap^2 values of dy / k^2.
Tolerance tolerance_of(const Case& c) {
  const Pool2dShape s(c);
  const Uniform values = uniform_of(c);
  const auto taps = static_cast<double>(s.k * s.k);
  if (s.forward) return average_tolerance(taps, values.mean(), values.root_mean_square());
  return plain_sum_tolerance(static_cast<double>(s.overlap() * s.overlap()),
                             values.scaled(1 / taps));
}

Work work_of(const Case& c) {
  const Pool2dShape s(c);
  const double taps = static_cast<double>(element_count(s.y_shape()) * s.k * s.k);
  return {.flops = taps, .macs = 0, .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = pool2d_spec("avgpool2d", "Mean over windows, NCHW, and its gradient."),
    .validate = validate_pool2d,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
