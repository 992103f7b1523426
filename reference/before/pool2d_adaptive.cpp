// The adaptive average pool as the reports' "before": for every output pixel its window, fresh
// results.
#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

struct Sizes {
  int64_t planes, h, w, oh, ow;
};

// x [planes,h,w] -> y [planes,oh,ow]
Floats forward(const Sizes& s, const float* x) {
  Floats y(s.planes * s.oh * s.ow);
  for (int64_t p = 0; p < s.planes; ++p) {
    for (int64_t oy = 0; oy < s.oh; ++oy) {
      for (int64_t ox = 0; ox < s.ow; ++ox) {
        const int64_t top = oy * s.h / s.oh;
        const int64_t bottom = ((oy + 1) * s.h + s.oh - 1) / s.oh;
        const int64_t left = ox * s.w / s.ow;
        const int64_t right = ((ox + 1) * s.w + s.ow - 1) / s.ow;
        float sum = 0;
        for (int64_t iy = top; iy < bottom; ++iy) {
          for (int64_t ix = left; ix < right; ++ix) sum += x[(p * s.h + iy) * s.w + ix];
        }
        y[(p * s.oh + oy) * s.ow + ox] = sum / static_cast<float>((bottom - top) * (right - left));
      }
    }
  }
  return y;
}

// dy [planes,oh,ow] -> dx [planes,h,w]
Floats backward(const Sizes& s, const float* dy) {
  Floats dx(s.planes * s.h * s.w);
  for (int64_t p = 0; p < s.planes; ++p) {
    for (int64_t oy = 0; oy < s.oh; ++oy) {
      for (int64_t ox = 0; ox < s.ow; ++ox) {
        const int64_t top = oy * s.h / s.oh;
        const int64_t bottom = ((oy + 1) * s.h + s.oh - 1) / s.oh;
        const int64_t left = ox * s.w / s.ow;
        const int64_t right = ((ox + 1) * s.w + s.ow - 1) / s.ow;
        const float share =
            dy[(p * s.oh + oy) * s.ow + ox] / static_cast<float>((bottom - top) * (right - left));
        for (int64_t iy = top; iy < bottom; ++iy) {
          for (int64_t ix = left; ix < right; ++ix) dx[(p * s.h + iy) * s.w + ix] += share;
        }
      }
    }
  }
  return dx;
}

Function bind(const Case& c) {
  const Shape in = c.shape("in");
  const Shape out = c.shape("out");
  const Sizes s = {in[0] * in[1], in[2], in[3], out[0], out[1]};
  if (c.str("pass") == "forward") {
    return [s](const Inputs& x, std::vector<Floats>& y) { y[0] = forward(s, x[0]); };
  }
  return [s](const Inputs& dy, std::vector<Floats>& dx) { dx[0] = backward(s, dy[0]); };
}

const VariantRow row{elementwise("adaptive_avgpool2d",
                                 "Textbook loop over output pixels into fresh tensors.", bind)};

}  // namespace
}  // namespace nsop::reference::before
