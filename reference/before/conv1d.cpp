// conv1d as the reports' "before": the textbook loop over output positions, every offset computed
// where it is used, fresh results. Intermediate tensors as in conv2d: the transpose of the output
// gradient, and the full output before it is averaged.
#include "reference/before/conv_parts.h"

namespace nsop::reference::before {
namespace {

// x [n,c,l], w [out,c/groups,k] -> y [n,out,ol]
Floats forward(const ConvShape& s, const float* x, const float* w, const float* b) {
  const ConvAxis& axis = s.axes[2];
  const int64_t cg = s.c_per_group();
  const int64_t og = s.out_per_group();
  Floats y(s.n * s.out * axis.out);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t at = 0; at < axis.out; ++at) {
        float sum = b == nullptr ? 0.0F : b[o];
        for (int64_t i = 0; i < cg; ++i) {
          const int64_t c = o / og * cg + i;
          for (int64_t k = 0; k < axis.k; ++k) {
            const int64_t in = at * axis.stride - axis.pad + k * axis.dilation;
            if (in < 0 || in >= axis.in) continue;
            sum += x[(n * s.c + c) * axis.in + in] * w[(o * cg + i) * axis.k + k];
          }
        }
        y[(n * s.out + o) * axis.out + at] = sum;
      }
    }
  }
  return y;
}

// dyt [out,n,ol], w [out,c/groups,k] -> dx [n,c,l]
Floats input_gradient(const ConvShape& s, const float* w, const Floats& dyt) {
  const ConvAxis& axis = s.axes[2];
  const int64_t cg = s.c_per_group();
  const int64_t og = s.out_per_group();
  Floats dx(s.n * s.c * axis.in);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t at = 0; at < axis.out; ++at) {
        for (int64_t i = 0; i < cg; ++i) {
          const int64_t c = o / og * cg + i;
          for (int64_t k = 0; k < axis.k; ++k) {
            const int64_t in = at * axis.stride - axis.pad + k * axis.dilation;
            if (in < 0 || in >= axis.in) continue;
            dx[(n * s.c + c) * axis.in + in] +=
                dyt[(o * s.n + n) * axis.out + at] * w[(o * cg + i) * axis.k + k];
          }
        }
      }
    }
  }
  return dx;
}

// x [n,c,l], dyt [out,n,ol] -> dw [out,c/groups,k]
Floats weight_gradient(const ConvShape& s, const float* x, const Floats& dyt) {
  const ConvAxis& axis = s.axes[2];
  const int64_t cg = s.c_per_group();
  const int64_t og = s.out_per_group();
  Floats dw(s.out * cg * axis.k);
  for (int64_t o = 0; o < s.out; ++o) {
    for (int64_t i = 0; i < cg; ++i) {
      const int64_t c = o / og * cg + i;
      for (int64_t k = 0; k < axis.k; ++k) {
        float sum = 0;
        for (int64_t n = 0; n < s.n; ++n) {
          for (int64_t at = 0; at < axis.out; ++at) {
            const int64_t in = at * axis.stride - axis.pad + k * axis.dilation;
            if (in < 0 || in >= axis.in) continue;
            sum += x[(n * s.c + c) * axis.in + in] * dyt[(o * s.n + n) * axis.out + at];
          }
        }
        dw[(o * cg + i) * axis.k + k] = sum;
      }
    }
  }
  return dw;
}

Function bind(const Case& c) {
  return conv_function(conv_shape(c), {forward, input_gradient, weight_gradient});
}

const VariantRow row{
    elementwise("conv1d", "Textbook loop over output positions into fresh tensors.", bind)};

}  // namespace
}  // namespace nsop::reference::before
