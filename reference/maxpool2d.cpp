// maxpool2d: the largest value of every window and where it is; dx gathers dy at those places.
// Padding never wins. Of equal values the first in row-major order wins; of a window with NaN, the
// first NaN. The index is h*W + w in the input plane, as a float.
#include <fmt/format.h>

#include <cmath>

#include "reference/pool2d_shape.h"

namespace nsop::reference {
namespace {

void validate(const Case& c) {
  validate_pool2d(c);
  const Pool2dShape s(c);
  constexpr int64_t kExact = int64_t{1} << 24;  // every integer up to here is a float
  require(s.h <= kExact / s.w, "maxpool2d",
          fmt::format("a plane of {}x{} has indices that floats can't hold, expected at most 2^24 "
                      "pixels",
                      s.h, s.w));
}

// The index of the winner of window (oy, ox) in its plane [h,w].
int64_t winner(const Pool2dShape& s, const float* plane, int64_t oy, int64_t ox) {
  int64_t best = -1;
  for (int64_t ky = 0; ky < s.k; ++ky) {
    for (int64_t kx = 0; kx < s.k; ++kx) {
      const int64_t iy = oy * s.stride - s.pad + ky;
      const int64_t ix = ox * s.stride - s.pad + kx;
      if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
      const int64_t at = iy * s.w + ix;
      const bool first_nan = best >= 0 && std::isnan(plane[at]) && !std::isnan(plane[best]);
      if (best < 0 || plane[at] > plane[best] || first_nan) best = at;
    }
  }
  return best;
}

// fn(plane, output index, index of the winner in the plane) for every window.
template <class Fn>
void for_each_window(const Pool2dShape& s, const float* x, Fn fn) {
  for (int64_t plane = 0; plane < s.planes(); ++plane) {
    for (int64_t oy = 0; oy < s.oh; ++oy) {
      for (int64_t ox = 0; ox < s.ow; ++ox) {
        fn(plane, (plane * s.oh + oy) * s.ow + ox, winner(s, x + plane * s.h * s.w, oy, ox));
      }
    }
  }
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Pool2dShape s(c);
  const auto [lo, hi] = c.range("range");
  if (s.forward) return {{"x", s.x_shape(), lo, hi}};
  return {{"x", s.x_shape(), lo, hi}, {"index", s.y_shape(), 0, 1}, {"dy", s.y_shape(), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const Pool2dShape s(c);
  if (s.forward) return {{"y", s.y_shape()}, {"index", s.y_shape()}};
  return {{"dx", s.x_shape()}};
}

// The index that a backward pass is given is the one of its x.
void save_index(const Case& c, std::span<Tensor> in) {
  const Pool2dShape s(c);
  if (s.forward) return;
  const std::span<float> index = in[1].data();
  for_each_window(s, in[0].data().data(),
                  [&](int64_t, int64_t out, int64_t at) { index[out] = static_cast<float>(at); });
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Pool2dShape s(c);
  const std::span<const float> x = in[0].data();
  if (s.forward) {
    return for_each_window(s, x.data(), [&](int64_t plane, int64_t o, int64_t at) {
      out[0].data[o] = x[plane * s.h * s.w + at];
      out[1].data[o] = static_cast<double>(at);
    });
  }
  const std::span<const float> dy = in[2].data();
  for_each_window(s, x.data(), [&](int64_t plane, int64_t o, int64_t at) {
    out[0].data[plane * s.h * s.w + at] += dy[o];
  });
}

// Forward picks, and so does backward without overlap. With overlap every dx adds up at most
// overlap^2 values.
Tolerance tolerance_of(const Case& c) {
  const Pool2dShape s(c);
  if (s.forward || s.overlap() == 1) return {};
  return plain_sum_tolerance(static_cast<double>(s.overlap() * s.overlap()), uniform_of(c));
}

// One comparison per pixel of a window; one addition per window.
Work work_of(const Case& c) {
  const Pool2dShape s(c);
  const auto windows = static_cast<double>(element_count(s.y_shape()));
  return {.flops = windows * (s.forward ? static_cast<double>(s.k * s.k) : 1.0),
          .macs = 0,
          .bytes = kFloatBytes * (static_cast<double>(element_count(s.x_shape())) + 2 * windows)};
}

const OpRow row{Op{
    .spec = pool2d_spec("maxpool2d", "Maximum over windows, NCHW, with its index; and gradient."),
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
