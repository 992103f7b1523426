// adaptive_avgpool2d: the mean of windows that together cover the plane
// (reference/adaptive_shape.h). Out 1x1 is the global average.
#include "reference/adaptive_shape.h"

namespace nsop::reference {
namespace {

std::vector<InputSpec> inputs_of(const Case& c) {
  const AdaptiveWindows s(c);
  const auto [lo, hi] = c.range("range");
  if (s.forward) return {{"x", s.x_shape(), lo, hi}};
  return {{"dy", s.y_shape(), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const AdaptiveWindows s(c);
  if (s.forward) return {{"y", s.y_shape()}};
  return {{"dx", s.x_shape()}};
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const AdaptiveWindows s(c);
  const std::span<const float> values = in[0].data();
  std::vector<double>& result = out[0].data;
  for_each_adaptive_window(
      s, [&](int64_t plane, int64_t y_at, AdaptiveRange rows, AdaptiveRange columns) {
        const double share = 1.0 / static_cast<double>(rows.size() * columns.size());
        for (int64_t iy = rows.begin; iy < rows.end; ++iy) {
          for (int64_t ix = columns.begin; ix < columns.end; ++ix) {
            const int64_t x_at = (plane * s.in[2] + iy) * s.in[3] + ix;
            if (s.forward) result[y_at] += values[x_at] * share;
            if (!s.forward) result[x_at] += values[y_at] * share;
          }
        }
      });
}

// Forward averages the pixels of a window; backward adds up shares of the windows that meet.
Tolerance tolerance_of(const Case& c) {
  const AdaptiveWindows s(c);
  const Uniform values = uniform_of(c);
  if (s.forward) {
    const auto pixels = static_cast<double>(s.largest(0) * s.largest(1));
    return average_tolerance(pixels, values.mean(), values.root_mean_square());
  }
  const auto fewest = static_cast<double>(s.smallest(0) * s.smallest(1));
  return plain_sum_tolerance(static_cast<double>(s.overlap(0) * s.overlap(1)),
                             values.scaled(1 / fewest));
}

Work work_of(const Case& c) {
  return {.flops = AdaptiveWindows(c).taps(),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = adaptive_pool2d_spec("adaptive_avgpool2d",
                                 "Mean over windows that cover a plane, NCHW, and its gradient."),
    .validate = validate_adaptive_pool2d,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
