// The convolutions as the reports' "after": whole-tensor operations, each with a fresh result.
// Forward is Im2Col, MatMul with the weights as a matrix, Permute to channels first, and the bias
// added; that takes the bytes that the reports show (Conv2D: 27.3 MB of columns, product and
// result). Backward is Permute of the gradient, MatMul with the columns for the weights, MatMul and
// Col2Im for the input.
#include "reference/before/conv_parts.h"

namespace nsop::reference::before {
namespace {

// One tap of the kernel at one output position: where in the input, if anywhere.
struct Position {
  int64_t at[3];
};

// Calls fn(row, column, offset) for all columns [n*pixels, patch] that lie inside the input, offset
// being that of the element in x [n,c,in...].
template <class Fn>
void for_each_column(const ConvShape& s, int64_t group, Fn fn) {
  const int64_t cg = s.c_per_group();
  const auto& [d, h, w] = s.axes;
  int64_t row = 0;
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t p = 0; p < s.pixels(); ++p, ++row) {
      const Position out = {{p / (h.out * w.out), p / w.out % h.out, p % w.out}};
      int64_t column = 0;
      for (int64_t i = 0; i < cg; ++i) {
        const int64_t plane = (n * s.c + group * cg + i) * s.in_pixels();
        for (int64_t kd = 0; kd < d.k; ++kd) {
          const int64_t id = out.at[0] * d.stride - d.pad + kd * d.dilation;
          for (int64_t kh = 0; kh < h.k; ++kh) {
            const int64_t ih = out.at[1] * h.stride - h.pad + kh * h.dilation;
            const bool inside = id >= 0 && id < d.in && ih >= 0 && ih < h.in;
            for (int64_t kw = 0; kw < w.k; ++kw, ++column) {
              const int64_t iw = out.at[2] * w.stride - w.pad + kw * w.dilation;
              if (!inside || iw < 0 || iw >= w.in) continue;
              fn(row, column, plane + (id * h.in + ih) * w.in + iw);
            }
          }
        }
      }
    }
  }
}

// x [n,c,in...] -> [n*pixels, patch]
Floats im2col(const ConvShape& s, int64_t group, const float* x) {
  const int64_t patch = s.c_per_group() * s.taps();
  Floats columns(s.n * s.pixels() * patch);
  for_each_column(s, group, [&](int64_t row, int64_t column, int64_t offset) {
    columns[row * patch + column] = x[offset];
  });
  return columns;
}

// a [m,k], b [n,k] -> a b^T [m,n]
Floats matmul_transposed(const float* a, const float* b, int64_t m, int64_t n, int64_t k) {
  Floats c(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[j * k + p];
      c[i * n + j] = sum;
    }
  }
  return c;
}

// a [m,k], b [k,n] -> [m,n]
Floats matmul(const float* a, const float* b, int64_t m, int64_t n, int64_t k) {
  Floats c(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const float factor = a[i * k + p];
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += factor * b[p * n + j];
    }
  }
  return c;
}

// rows [out/groups, n*pixels] of a group -> [n*pixels, out/groups]
Floats transpose(const float* rows, int64_t count, int64_t length) {
  Floats y(count * length);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < length; ++j) y[j * count + i] = rows[i * length + j];
  }
  return y;
}

// x, w [out,patch] -> y [n,out,pixels]
Floats forward(const ConvShape& s, const float* x, const float* w, const float* b) {
  const int64_t patch = s.c_per_group() * s.taps();
  const int64_t og = s.out_per_group();
  Floats y(s.n * s.out * s.pixels());
  for (int64_t g = 0; g < s.groups; ++g) {
    const Floats columns = im2col(s, g, x);
    const Floats product =
        matmul_transposed(columns.data(), w + g * og * patch, s.n * s.pixels(), og, patch);
    for (int64_t n = 0; n < s.n; ++n) {
      for (int64_t o = 0; o < og; ++o) {
        for (int64_t p = 0; p < s.pixels(); ++p) {
          y[(n * s.out + g * og + o) * s.pixels() + p] = product[(n * s.pixels() + p) * og + o];
        }
      }
    }
  }
  if (b == nullptr) return y;
  for (int64_t i = 0; i < s.n * s.out; ++i) {
    for (int64_t p = 0; p < s.pixels(); ++p) y[i * s.pixels() + p] += b[i % s.out];
  }
  return y;
}

// w [out,patch], dyt [out,n*pixels] -> dx [n,c,in...]
Floats input_gradient(const ConvShape& s, const float* w, const Floats& dyt) {
  const int64_t patch = s.c_per_group() * s.taps();
  const int64_t og = s.out_per_group();
  const int64_t rows = s.n * s.pixels();
  Floats dx(s.n * s.c * s.in_pixels());
  for (int64_t g = 0; g < s.groups; ++g) {
    const Floats dy = transpose(dyt.data() + g * og * rows, og, rows);
    const Floats columns = matmul(dy.data(), w + g * og * patch, rows, patch, og);
    for_each_column(s, g, [&](int64_t row, int64_t column, int64_t offset) {
      dx[offset] += columns[row * patch + column];
    });
  }
  return dx;
}

// x, dyt [out,n*pixels] -> dw [out,patch]
Floats weight_gradient(const ConvShape& s, const float* x, const Floats& dyt) {
  const int64_t patch = s.c_per_group() * s.taps();
  const int64_t og = s.out_per_group();
  const int64_t rows = s.n * s.pixels();
  Floats dw(s.out * patch);
  for (int64_t g = 0; g < s.groups; ++g) {
    const Floats columns = im2col(s, g, x);
    const Floats part = matmul(dyt.data() + g * og * rows, columns.data(), og, patch, rows);
    std::copy(part.begin(), part.end(), dw.begin() + g * og * patch);
  }
  return dw;
}

Variant row(const char* op) {
  return tensor_ops(op, "Im2Col, MatMul and Permute, each into a fresh tensor.", [](const Case& c) {
    return conv_function(conv_shape(c), {forward, input_gradient, weight_gradient});
  });
}

const VariantRow conv1d_row{row("conv1d")};
const VariantRow conv2d_row{row("conv2d")};

}  // namespace
}  // namespace nsop::reference::before
