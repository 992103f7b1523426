// conv2d as the reports' "before": the textbook loop over output pixels, every offset computed from
// n, c, h, w where it is used, fresh results. Intermediate tensors are only those that the reports
// name: the element-wise transpose of the output gradient, and the full output before it is
// averaged.
#include "reference/before/conv_parts.h"
#include "reference/conv/conv2d_shape.h"

namespace nsop::reference::before {
namespace {

// x [n,c,h,w], w [out,c/groups,k,k] -> y [n,out,oh,ow]
Floats forward(const Conv2dShape& s, const float* x, const float* w, const float* b) {
  Floats y(s.n * s.out * s.oh * s.ow);
  const int64_t cg = s.c_per_group();
  const int64_t og = s.out_per_group();
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t oy = 0; oy < s.oh; ++oy) {
        for (int64_t ox = 0; ox < s.ow; ++ox) {
          float sum = b == nullptr ? 0.0F : b[o];
          for (int64_t i = 0; i < cg; ++i) {
            const int64_t c = o / og * cg + i;
            for (int64_t ky = 0; ky < s.k; ++ky) {
              for (int64_t kx = 0; kx < s.k; ++kx) {
                const int64_t iy = oy * s.stride - s.pad + ky * s.dilation;
                const int64_t ix = ox * s.stride - s.pad + kx * s.dilation;
                if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
                sum += x[((n * s.c + c) * s.h + iy) * s.w + ix] *
                       w[((o * cg + i) * s.k + ky) * s.k + kx];
              }
            }
          }
          y[((n * s.out + o) * s.oh + oy) * s.ow + ox] = sum;
        }
      }
    }
  }
  return y;
}

// dyt [out,n,oh,ow], w [out,c/groups,k,k] -> dx [n,c,h,w]
Floats input_gradient(const Conv2dShape& s, const float* w, const Floats& dyt) {
  Floats dx(s.n * s.c * s.h * s.w);
  const int64_t cg = s.c_per_group();
  const int64_t og = s.out_per_group();
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t oy = 0; oy < s.oh; ++oy) {
        for (int64_t ox = 0; ox < s.ow; ++ox) {
          for (int64_t i = 0; i < cg; ++i) {
            const int64_t c = o / og * cg + i;
            for (int64_t ky = 0; ky < s.k; ++ky) {
              for (int64_t kx = 0; kx < s.k; ++kx) {
                const int64_t iy = oy * s.stride - s.pad + ky * s.dilation;
                const int64_t ix = ox * s.stride - s.pad + kx * s.dilation;
                if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
                dx[((n * s.c + c) * s.h + iy) * s.w + ix] +=
                    dyt[((o * s.n + n) * s.oh + oy) * s.ow + ox] *
                    w[((o * cg + i) * s.k + ky) * s.k + kx];
              }
            }
          }
        }
      }
    }
  }
  return dx;
}

// x [n,c,h,w], dyt [out,n,oh,ow] -> dw [out,c/groups,k,k]
Floats weight_gradient(const Conv2dShape& s, const float* x, const Floats& dyt) {
  const int64_t cg = s.c_per_group();
  const int64_t og = s.out_per_group();
  Floats dw(s.out * cg * s.k * s.k);
  for (int64_t o = 0; o < s.out; ++o) {
    for (int64_t i = 0; i < cg; ++i) {
      const int64_t c = o / og * cg + i;
      for (int64_t ky = 0; ky < s.k; ++ky) {
        for (int64_t kx = 0; kx < s.k; ++kx) {
          float sum = 0;
          for (int64_t n = 0; n < s.n; ++n) {
            for (int64_t oy = 0; oy < s.oh; ++oy) {
              for (int64_t ox = 0; ox < s.ow; ++ox) {
                const int64_t iy = oy * s.stride - s.pad + ky * s.dilation;
                const int64_t ix = ox * s.stride - s.pad + kx * s.dilation;
                if (iy < 0 || iy >= s.h || ix < 0 || ix >= s.w) continue;
                sum += x[((n * s.c + c) * s.h + iy) * s.w + ix] *
                       dyt[((o * s.n + n) * s.oh + oy) * s.ow + ox];
              }
            }
          }
          dw[((o * cg + i) * s.k + ky) * s.k + kx] = sum;
        }
      }
    }
  }
  return dw;
}

Function bind(const Case& c) {
  return conv_function(Conv2dShape(c), {forward, input_gradient, weight_gradient});
}

const VariantRow row{
    elementwise("conv2d", "Textbook loop over output pixels into fresh tensors.", bind)};

}  // namespace
}  // namespace nsop::reference::before
