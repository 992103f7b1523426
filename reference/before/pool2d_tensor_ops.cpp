// The pools as the reports' "after": one primitive per pass (MaxPool2DWithIndices,
// MaxPool2DBackward, AvgPool2D, AvgPool2DBackward) that walks planes with the windows clipped once
// per output, and a fresh result.
#include <algorithm>

#include "reference/before/elementwise.h"
#include "reference/pool2d/shape.h"

namespace nsop::reference::before {
namespace {

// Calls fn(output, input plane offset, first row, last row, first column, last column) for every
// output pixel; the window is clipped to the plane.
template <class Fn>
void for_each_window(const Pool2dShape& s, Fn fn) {
  for (int64_t plane = 0; plane < s.n * s.c; ++plane) {
    for (int64_t oy = 0; oy < s.oh; ++oy) {
      const int64_t top = oy * s.stride - s.pad;
      const int64_t y0 = std::max<int64_t>(top, 0);
      const int64_t y1 = std::min(top + s.k, s.h);
      for (int64_t ox = 0; ox < s.ow; ++ox) {
        const int64_t left = ox * s.stride - s.pad;
        fn((plane * s.oh + oy) * s.ow + ox, plane * s.h * s.w, y0, y1, std::max<int64_t>(left, 0),
           std::min(left + s.k, s.w));
      }
    }
  }
}

// x [n,c,h,w] -> y, index [n,c,oh,ow]
void max_with_indices(const Pool2dShape& s, const float* x, std::vector<Floats>& out) {
  Floats y(s.n * s.c * s.oh * s.ow);
  Floats index(s.n * s.c * s.oh * s.ow);
  for_each_window(s, [&](int64_t o, int64_t plane, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
    int64_t at = y0 * s.w + x0;
    float best = x[plane + at];
    for (int64_t iy = y0; iy < y1; ++iy) {
      for (int64_t ix = x0; ix < x1; ++ix) {
        const float value = x[plane + iy * s.w + ix];
        if (value > best || (value != value && best == best)) {
          best = value;
          at = iy * s.w + ix;
        }
      }
    }
    y[o] = best;
    index[o] = static_cast<float>(at);
  });
  out[0] = std::move(y);
  out[1] = std::move(index);
}

// index, dy [n,c,oh,ow] -> dx [n,c,h,w]
Floats max_backward(const Pool2dShape& s, const float* index, const float* dy) {
  Floats dx(s.n * s.c * s.h * s.w);
  const int64_t pixels = s.oh * s.ow;
  for (int64_t o = 0; o < s.n * s.c * pixels; ++o) {
    dx[o / pixels * s.h * s.w + static_cast<int64_t>(index[o])] += dy[o];
  }
  return dx;
}

// x [n,c,h,w] -> y [n,c,oh,ow]
Floats average(const Pool2dShape& s, const float* x) {
  Floats y(s.n * s.c * s.oh * s.ow);
  const float share = 1.0F / static_cast<float>(s.k * s.k);
  for_each_window(s, [&](int64_t o, int64_t plane, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
    float sum = 0;
    for (int64_t iy = y0; iy < y1; ++iy) {
      for (int64_t ix = x0; ix < x1; ++ix) sum += x[plane + iy * s.w + ix];
    }
    y[o] = sum * share;
  });
  return y;
}

// dy [n,c,oh,ow] -> dx [n,c,h,w]
Floats average_backward(const Pool2dShape& s, const float* dy) {
  Floats dx(s.n * s.c * s.h * s.w);
  const float share = 1.0F / static_cast<float>(s.k * s.k);
  for_each_window(s, [&](int64_t o, int64_t plane, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
    const float value = dy[o] * share;
    for (int64_t iy = y0; iy < y1; ++iy) {
      for (int64_t ix = x0; ix < x1; ++ix) dx[plane + iy * s.w + ix] += value;
    }
  });
  return dx;
}

constexpr const char* kSummary = "One primitive per pass, into fresh tensors.";

const VariantRow max_row{tensor_ops("maxpool2d", kSummary, [](const Case& c) -> Function {
  const Pool2dShape s(c);
  return [s](const Inputs& in, std::vector<Floats>& out) {
    if (s.forward) return max_with_indices(s, in[0], out);
    out[0] = max_backward(s, in[1], in[2]);
  };
})};

const VariantRow average_row{tensor_ops("avgpool2d", kSummary, [](const Case& c) -> Function {
  const Pool2dShape s(c);
  return [s](const Inputs& in, std::vector<Floats>& out) {
    out[0] = s.forward ? average(s, in[0]) : average_backward(s, in[0]);
  };
})};

}  // namespace
}  // namespace nsop::reference::before
