// adaptive_avgpool2d: the mean of windows that together cover the plane, as many as the output has
// pixels: output i of o along an axis of n is the mean of [floor(i n / o), ceil((i + 1) n / o)).
// Out 1x1 is the global average.
#include <algorithm>

#include "reference/spec.h"

namespace nsop::reference {
namespace {

struct Windows {
  explicit Windows(const Case& c)
      : in(c.shape("in")), out(c.shape("out")), forward(c.str("pass") == "forward") {}
  Shape x_shape() const { return in; }
  Shape y_shape() const { return {in[0], in[1], out[0], out[1]}; }
  // Of axis 0 (rows) or 1 (columns).
  int64_t begin(int axis, int64_t i) const { return i * in[2 + axis] / out[axis]; }
  int64_t end(int axis, int64_t i) const {
    return ((i + 1) * in[2 + axis] + out[axis] - 1) / out[axis];
  }
  int64_t largest(int axis) const { return (in[2 + axis] + out[axis] - 1) / out[axis] + 1; }
  int64_t smallest(int axis) const { return std::max<int64_t>(1, in[2 + axis] / out[axis]); }
  // The most windows that an input is in.
  int64_t overlap(int axis) const { return (out[axis] + in[2 + axis] - 1) / in[2 + axis] + 1; }

  Shape in;
  Shape out;
  bool forward;
};

void validate(const Case& c) {
  const Windows s(c);
  require_size(c.op(), "x", s.x_shape());
  require_size(c.op(), "y", s.y_shape());
}

std::vector<InputSpec> inputs_of(const Case& c) {
  const Windows s(c);
  const auto [lo, hi] = c.range("range");
  if (s.forward) return {{"x", s.x_shape(), lo, hi}};
  return {{"dy", s.y_shape(), lo, hi}};
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const Windows s(c);
  if (s.forward) return {{"y", s.y_shape()}};
  return {{"dx", s.x_shape()}};
}

// fn(input index, output index, pixels of the window) for every pixel of every window.
template <class Fn>
void for_each_tap(const Windows& s, Fn fn) {
  for (int64_t plane = 0; plane < s.in[0] * s.in[1]; ++plane) {
    for (int64_t oy = 0; oy < s.out[0]; ++oy) {
      for (int64_t ox = 0; ox < s.out[1]; ++ox) {
        const int64_t rows = s.end(0, oy) - s.begin(0, oy);
        const int64_t columns = s.end(1, ox) - s.begin(1, ox);
        for (int64_t iy = s.begin(0, oy); iy < s.end(0, oy); ++iy) {
          for (int64_t ix = s.begin(1, ox); ix < s.end(1, ox); ++ix) {
            fn((plane * s.in[2] + iy) * s.in[3] + ix, (plane * s.out[0] + oy) * s.out[1] + ox,
               rows * columns);
          }
        }
      }
    }
  }
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const Windows s(c);
  const std::span<const float> values = in[0].data();
  std::vector<double>& result = out[0].data;
  for_each_tap(s, [&](int64_t x_at, int64_t y_at, int64_t pixels) {
    const double share = 1.0 / static_cast<double>(pixels);
    if (s.forward) result[y_at] += values[x_at] * share;
    if (!s.forward) result[x_at] += values[y_at] * share;
  });
}

// Forward averages the pixels of a window; backward adds up shares of the windows that meet.
Tolerance tolerance_of(const Case& c) {
  const Windows s(c);
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
  double taps = 0;
  const Windows s(c);
  for (int64_t oy = 0; oy < s.out[0]; ++oy) {
    taps += static_cast<double>(s.end(0, oy) - s.begin(0, oy));
  }
  double columns = 0;
  for (int64_t ox = 0; ox < s.out[1]; ++ox) {
    columns += static_cast<double>(s.end(1, ox) - s.begin(1, ox));
  }
  return {.flops = static_cast<double>(s.in[0] * s.in[1]) * taps * columns,
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec =
        {.name = "adaptive_avgpool2d",
         .summary = "Mean over windows that cover a plane, NCHW, and its gradient.",
         .params =
             {pass_param({"forward", "backward"}),
              {.name = "in", .kind = ParamKind::kShape, .choices = {}, .rank = 4, .absent = {}},
              {.name = "out", .kind = ParamKind::kShape, .choices = {}, .rank = 2, .absent = {}},
              range_param()}},
    .validate = validate,
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = tolerance_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
