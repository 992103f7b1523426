#include "kernels/gemm/plan.h"

#include <unistd.h>

namespace nsop::kernels {

size_t strip_floats() {
  static const size_t floats = [] {
#if defined(_SC_LEVEL2_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0 or -1 where it isn't known
#else
    const long bytes = 0;
#endif
    return static_cast<size_t>(std::clamp(bytes, 1L << 19, 1L << 22)) / 4 * 3 / sizeof(float);
  }();
  return floats;
}

Gemm sub_gemm(const Gemm& g, Range rows, Range columns) {
  Gemm part = g;
  part.m = rows.size();
  part.n = columns.size();
  if (g.a != nullptr) part.a = g.a + (g.a_transposed ? rows.begin : rows.begin * g.lda);
  if (g.b != nullptr) part.b = g.b + (g.b_transposed ? columns.begin * g.ldb : columns.begin);
  if (g.c != nullptr) part.c = g.c + rows.begin * g.ldc + columns.begin;
  if (g.row_bias != nullptr) part.row_bias = g.row_bias + rows.begin;
  if (g.column_bias != nullptr) part.column_bias = g.column_bias + columns.begin;
  if (g.row_sums != nullptr) part.row_sums = g.row_sums + rows.begin * kRowSumLanes;
  return part;
}

}  // namespace nsop::kernels
