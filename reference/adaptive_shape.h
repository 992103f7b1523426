// The sizes of an adaptive pooling case, and what the specifications of these pools share.
#pragma once

#include <algorithm>
#include <string>

#include "reference/spec.h"

namespace nsop::reference {

// As many windows as the output has pixels, that together cover the plane: window i of o along an
// axis of n is [floor(i n / o), ceil((i + 1) n / o)). x is [n,c,h,w], y and the index are
// [n,c,oh,ow].
struct AdaptiveWindows {
  explicit AdaptiveWindows(const Case& c)
      : in(c.shape("in")), out(c.shape("out")), forward(c.str("pass") == "forward") {}
  Shape x_shape() const { return in; }
  Shape y_shape() const { return {in[0], in[1], out[0], out[1]}; }
  int64_t planes() const { return in[0] * in[1]; }
  // Of axis 0 (rows) or 1 (columns).
  int64_t begin(int axis, int64_t i) const { return i * in[2 + axis] / out[axis]; }
  int64_t end(int axis, int64_t i) const {
    return ((i + 1) * in[2 + axis] + out[axis] - 1) / out[axis];
  }
  int64_t largest(int axis) const { return (in[2 + axis] + out[axis] - 1) / out[axis] + 1; }
  int64_t smallest(int axis) const { return std::max<int64_t>(1, in[2 + axis] / out[axis]); }
  // The most windows that an input is in.
  int64_t overlap(int axis) const { return (out[axis] + in[2 + axis] - 1) / in[2 + axis] + 1; }
  // Pixels of all windows together.
  double taps() const {
    double product = static_cast<double>(planes());
    for (const int axis : {0, 1}) {
      double sum = 0;
      for (int64_t i = 0; i < out[axis]; ++i)
        sum += static_cast<double>(end(axis, i) - begin(axis, i));
      product *= sum;
    }
    return product;
  }

  Shape in;
  Shape out;
  bool forward;
};

// fn(plane, index into y, rows, columns) for every window, these half-open ranges of x.
struct AdaptiveRange {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};
template <class Fn>
void for_each_adaptive_window(const AdaptiveWindows& s, Fn fn) {
  for (int64_t plane = 0; plane < s.planes(); ++plane) {
    for (int64_t oy = 0; oy < s.out[0]; ++oy) {
      for (int64_t ox = 0; ox < s.out[1]; ++ox) {
        fn(plane, (plane * s.out[0] + oy) * s.out[1] + ox,
           AdaptiveRange{s.begin(0, oy), s.end(0, oy)},
           AdaptiveRange{s.begin(1, ox), s.end(1, ox)});
      }
    }
  }
}

// Keys pass, in, out, range.
OpSpec adaptive_pool2d_spec(std::string name, std::string summary);

// Throws Error (usage) unless x and y are of moderate size.
void validate_adaptive_pool2d(const Case& c);

}  // namespace nsop::reference
