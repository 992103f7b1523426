// matmul as the reports' "before": the textbook triple loop, offsets computed where they are used,
// a fresh result.
#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// Steps from one row and one column to the next: how a transposed matrix is read.
struct Strides {
  int64_t row, column;
};

// a [m,k] by its strides, b [k,n] by its strides -> [m,n]
Floats multiply(const float* a, Strides sa, const float* b, Strides sb, int64_t m, int64_t n,
                int64_t k) {
  Floats c(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += a[i * sa.row + p * sa.column] * b[p * sb.row + j * sb.column];
      }
      c[i * n + j] = sum;
    }
  }
  return c;
}

Function bind(const Case& c) {
  const int64_t m = c.integer("m");
  const int64_t n = c.integer("n");
  const int64_t k = c.integer("k");
  const Strides sa = c.str("trans")[0] == 't' ? Strides{1, m} : Strides{k, 1};
  const Strides sb = c.str("trans")[1] == 't' ? Strides{1, k} : Strides{n, 1};
  return [=](const Inputs& in, std::vector<Floats>& out) {
    out[0] = multiply(in[0], sa, in[1], sb, m, n, k);
  };
}

const VariantRow row{elementwise("matmul", "Textbook triple loop into a fresh matrix.", bind)};

}  // namespace
}  // namespace nsop::reference::before
