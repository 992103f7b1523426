// adaptive_maxpool2d: the largest value of each of the windows that together cover the plane
// (reference/adaptive_shape.h) and where it is; dx gathers dy at those places. Of equal values the
// first in row-major order wins; of a window with NaN, the first NaN. The index is h*W + w in the
// input plane, as a float.
#include <fmt/format.h>

#include <cmath>

#include "reference/adaptive_shape.h"

namespace nsop::reference {
namespace {

void validate(const Case& c) {
  validate_adaptive_pool2d(c);
  const Shape x = AdaptiveWindows(c).x_shape();
  constexpr int64_t kExact = int64_t{1} << 24;  // every integer up to here is a float
  require(x[2] <= kExact / x[3], c.op(),
          fmt::format("a plane of {}x{} has indices that floats can't hold, expected at most 2^24 "
                      "pixels",
                      x[2], x[3]));
}

// fn(plane, index into y, index of the winner in the plane) for every window.
template <class Fn>
void for_each_winner(const AdaptiveWindows& s, std::span<const float> x, Fn fn) {
  const int64_t width = s.in[3];
  for_each_adaptive_window(
      s, [&](int64_t plane, int64_t y_at, AdaptiveRange rows, AdaptiveRange columns) {
        const float* of_plane = x.data() + plane * s.in[2] * width;
        int64_t best = rows.begin * width + columns.begin;
        for (int64_t iy = rows.begin; iy < rows.end; ++iy) {
          for (int64_t ix = columns.begin; ix < columns.end; ++ix) {
            const int64_t at = iy * width + ix;
            const bool first_nan = std::isnan(of_plane[at]) && !std::isnan(of_plane[best]);
            if (of_plane[at] > of_plane[best] || first_nan) best = at;
          }
        }
        fn(plane, y_at, best);
      });
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const AdaptiveWindows s(c);
  const auto [lo, hi] = c.range("range");
  if (s.forward) return {{"x", s.x_shape(), lo, hi}};
  return {{"x", s.x_shape(), lo, hi}, {"index", s.y_shape(), 0, 1}, {"dy", s.y_shape(), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const AdaptiveWindows s(c);
  if (s.forward) return {{"y", s.y_shape()}, {"index", s.y_shape()}};
  return {{"dx", s.x_shape()}};
}

// The index that a backward pass is given is the one of its x.
void save_index(const Case& c, std::span<Tensor> in) {
  const AdaptiveWindows s(c);
  if (s.forward) return;
  const std::span<float> index = in[1].data();
  for_each_winner(s, in[0].data(),
                  [&](int64_t, int64_t out, int64_t at) { index[out] = static_cast<float>(at); });
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const AdaptiveWindows s(c);
  const std::span<const float> x = in[0].data();
  const int64_t pixels = s.in[2] * s.in[3];
  for_each_winner(s, x, [&](int64_t plane, int64_t o, int64_t at) {
    if (s.forward) {
      out[0].data[o] = x[plane * pixels + at];
      out[1].data[o] = static_cast<double>(at);
    } else {
      out[0].data[plane * pixels + at] += in[2].data()[o];
    }
  });
}

// Forward picks. Every dx adds up the dy of the windows that it is in.
Tolerance tolerance_of(const Case& c) {
  const AdaptiveWindows s(c);
  if (s.forward) return {};
  return plain_sum_tolerance(static_cast<double>(s.overlap(0) * s.overlap(1)), uniform_of(c));
}

// One comparison per pixel of a window; one addition per window. x is not read by the gradient.
Work work_of(const Case& c) {
  const AdaptiveWindows s(c);
  const auto windows = static_cast<double>(element_count(s.y_shape()));
  return {.flops = s.forward ? s.taps() : windows,
          .macs = 0,
          .bytes = kFloatBytes * (static_cast<double>(element_count(s.x_shape())) + 2 * windows)};
}

const OpRow row{Op{
    .spec = adaptive_pool2d_spec(
        "adaptive_maxpool2d",
        "Maximum over windows that cover a plane, NCHW, with its index; and gradient."),
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = save_index,
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
