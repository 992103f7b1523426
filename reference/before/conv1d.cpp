// conv1d as the reports' "before": the textbook loop over output positions, every offset computed
// where it is used, fresh results. Intermediate tensors as in conv2d: the transpose of the output
// gradient, and the full output before it is averaged.
#include "reference/before/elementwise.h"
#include "reference/conv_shape.h"

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

// y [n,out,ol] -> its mean over positions [n,out]
Floats average(const ConvShape& s, const Floats& y) {
  Floats mean(s.n * s.out);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      float sum = 0;
      for (int64_t p = 0; p < s.pixels(); ++p) sum += y[(n * s.out + o) * s.pixels() + p];
      mean[n * s.out + o] = sum / static_cast<float>(s.pixels());
    }
  }
  return mean;
}

// dy [n,out,ol], or [n,out] of the mean, -> its transpose [out,n,ol]
Floats transpose(const ConvShape& s, const float* dy) {
  Floats dyt(s.out * s.n * s.pixels());
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t p = 0; p < s.pixels(); ++p) {
        dyt[(o * s.n + n) * s.pixels() + p] =
            s.mean ? dy[n * s.out + o] / static_cast<float>(s.pixels())
                   : dy[(n * s.out + o) * s.pixels() + p];
      }
    }
  }
  return dyt;
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

// dy [n,out,ol], or [n,out] of the mean, which has the bias in it once, -> db [out]
Floats bias_gradient(const ConvShape& s, const float* dy) {
  Floats db(s.out);
  const int64_t pixels = s.mean ? 1 : s.pixels();
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.out; ++o) {
      for (int64_t p = 0; p < pixels; ++p) db[o] += dy[(n * s.out + o) * pixels + p];
    }
  }
  return db;
}

Function bind(const Case& c) {
  const ConvShape s = conv_shape(c);
  if (s.pass == "forward") {
    return [s](const Inputs& in, std::vector<Floats>& out) {
      Floats y = forward(s, in[0], in[1], s.bias ? in[2] : nullptr);
      out[0] = s.mean ? average(s, y) : std::move(y);
    };
  }
  return [s](const Inputs& in, std::vector<Floats>& out) {
    const Floats dyt = transpose(s, in.back());
    size_t next = 0;
    if (s.wants_data()) out[next++] = input_gradient(s, in[s.wants_weights() ? 1 : 0], dyt);
    if (s.wants_weights()) out[next++] = weight_gradient(s, in[0], dyt);
    if (s.wants_weights() && s.bias) out[next] = bias_gradient(s, in.back());
  };
}

const VariantRow row{
    elementwise("conv1d", "Textbook loop over output positions into fresh tensors.", bind)};

}  // namespace
}  // namespace nsop::reference::before
