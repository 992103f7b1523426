// The pools as the reports' "before": for every output pixel its window, every offset computed from
// n, c, h, w where it is used, fresh results.
#include <limits>

#include "reference/before/elementwise.h"
#include "reference/pool2d/shape.h"

namespace nsop::reference::before {
namespace {

// x [n,c,h,w] -> y, index [n,c,oh,ow]
void max_forward(const Pool2dShape& s, const float* x, std::vector<Floats>& out) {
  Floats y(s.n * s.c * s.oh * s.ow);
  Floats index(s.n * s.c * s.oh * s.ow);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t c = 0; c < s.c; ++c) {
      for (int64_t oy = 0; oy < s.oh; ++oy) {
        for (int64_t ox = 0; ox < s.ow; ++ox) {
          float best = -std::numeric_limits<float>::infinity();
          int64_t at = -1;
          for (int64_t ky = 0; ky < s.k; ++ky) {
            for (int64_t kx = 0; kx < s.k; ++kx) {
              const int64_t iy = oy * s.stride - s.pad + ky;
              const int64_t ix = ox * s.stride - s.pad + kx;
              if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
              const float value = x[((n * s.c + c) * s.h + iy) * s.w + ix];
              if (at < 0 || value > best || (value != value && best == best)) {
                best = value;
                at = iy * s.w + ix;
              }
            }
          }
          y[((n * s.c + c) * s.oh + oy) * s.ow + ox] = best;
          index[((n * s.c + c) * s.oh + oy) * s.ow + ox] = static_cast<float>(at);
        }
      }
    }
  }
  out[0] = std::move(y);
  out[1] = std::move(index);
}

// index, dy [n,c,oh,ow] -> dx [n,c,h,w]
Floats max_backward(const Pool2dShape& s, const float* index, const float* dy) {
  Floats dx(s.n * s.c * s.h * s.w);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t c = 0; c < s.c; ++c) {
      for (int64_t oy = 0; oy < s.oh; ++oy) {
        for (int64_t ox = 0; ox < s.ow; ++ox) {
          const int64_t o = ((n * s.c + c) * s.oh + oy) * s.ow + ox;
          dx[(n * s.c + c) * s.h * s.w + static_cast<int64_t>(index[o])] += dy[o];
        }
      }
    }
  }
  return dx;
}

// x [n,c,h,w] -> y [n,c,oh,ow]
Floats average_forward(const Pool2dShape& s, const float* x) {
  Floats y(s.n * s.c * s.oh * s.ow);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t c = 0; c < s.c; ++c) {
      for (int64_t oy = 0; oy < s.oh; ++oy) {
        for (int64_t ox = 0; ox < s.ow; ++ox) {
          float sum = 0;
          for (int64_t ky = 0; ky < s.k; ++ky) {
            for (int64_t kx = 0; kx < s.k; ++kx) {
              const int64_t iy = oy * s.stride - s.pad + ky;
              const int64_t ix = ox * s.stride - s.pad + kx;
              if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
              sum += x[((n * s.c + c) * s.h + iy) * s.w + ix];
            }
          }
          y[((n * s.c + c) * s.oh + oy) * s.ow + ox] = sum / static_cast<float>(s.k * s.k);
        }
      }
    }
  }
  return y;
}

// dy [n,c,oh,ow] -> dx [n,c,h,w]
Floats average_backward(const Pool2dShape& s, const float* dy) {
  Floats dx(s.n * s.c * s.h * s.w);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t c = 0; c < s.c; ++c) {
      for (int64_t oy = 0; oy < s.oh; ++oy) {
        for (int64_t ox = 0; ox < s.ow; ++ox) {
          const float share =
              dy[((n * s.c + c) * s.oh + oy) * s.ow + ox] / static_cast<float>(s.k * s.k);
          for (int64_t ky = 0; ky < s.k; ++ky) {
            for (int64_t kx = 0; kx < s.k; ++kx) {
              const int64_t iy = oy * s.stride - s.pad + ky;
              const int64_t ix = ox * s.stride - s.pad + kx;
              if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
              dx[((n * s.c + c) * s.h + iy) * s.w + ix] += share;
            }
          }
        }
      }
    }
  }
  return dx;
}

Function bind_max(const Case& c) {
  const Pool2dShape s(c);
  if (s.forward) {
    return [s](const Inputs& in, std::vector<Floats>& out) { max_forward(s, in[0], out); };
  }
  return
      [s](const Inputs& in, std::vector<Floats>& out) { out[0] = max_backward(s, in[1], in[2]); };
}

Function bind_average(const Case& c) {
  const Pool2dShape s(c);
  return [s](const Inputs& in, std::vector<Floats>& out) {
    out[0] = s.forward ? average_forward(s, in[0]) : average_backward(s, in[0]);
  };
}

constexpr const char* kSummary = "Textbook loop over output pixels into fresh tensors.";
const VariantRow max_row{elementwise("maxpool2d", kSummary, bind_max)};
const VariantRow average_row{elementwise("avgpool2d", kSummary, bind_average)};

}  // namespace
}  // namespace nsop::reference::before
