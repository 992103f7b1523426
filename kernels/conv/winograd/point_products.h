// The products of a Winograd convolution: one small matrix product per point.
#pragma once

#include <cstddef>

namespace nsop::kernels {

// For each point p: C[p] [m, n] (+)= A[p] [m, k] B[p] [k, n]. n is a multiple of 16.
struct PointProducts {
  size_t points, m, n, k;
  const float* a;
  size_t a_plane, lda;
  bool a_by_rows;  // A at a[i * lda + k], else at a[k * lda + i]
  const float* b;
  size_t b_plane, ldb;
  float* c;
  size_t c_plane, ldc;
  bool accumulate;
};

// With one thread.
void multiply_points(const PointProducts& products);

}  // namespace nsop::kernels
