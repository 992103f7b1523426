// Products with few rows or columns as dot products. Included once per target.
#if defined(NSOP_KERNELS_GEMM_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_GEMM_DOT_INL_H_
#undef NSOP_KERNELS_GEMM_DOT_INL_H_
#else
#define NSOP_KERNELS_GEMM_DOT_INL_H_
#endif

#include "kernels/gemm/gemm.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// out[r] = row r of `rows` times x, for kRows rows of k floats, `ld` apart. 8 flops per 5 loads.
template <size_t kRows>
void dot_rows(const float* rows, size_t ld, const float* x, size_t k, float* out) {
  const FloatTag d;
  FloatVec sum[kRows][2];
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
    const FloatVec x0 = hn::LoadU(d, x + i);
    const FloatVec x1 = hn::LoadU(d, x + i + kLanes);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      sum[r][0] = hn::MulAdd(x0, hn::LoadU(d, rows + r * ld + i), sum[r][0]);
      sum[r][1] = hn::MulAdd(x1, hn::LoadU(d, rows + r * ld + i + kLanes), sum[r][1]);
    }
  }
  for (; i < k; i += kLanes) {
    const size_t count = HWY_MIN(kLanes, k - i);
    const FloatVec part = load_n(d, x + i, count);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kRows; ++r) {
      sum[r][0] = hn::MulAdd(part, load_n(d, rows + r * ld + i, count), sum[r][0]);
    }
  }
  HWY_UNROLL(8)
  for (size_t r = 0; r < kRows; ++r) {
    out[r] = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum[r][0], sum[r][1])));
  }
}

inline void write_dot(const Gemm& g, size_t i, size_t j, float value) {
  float* c = g.c + i * g.ldc + j;
  if (g.row_bias != nullptr) value += g.row_bias[i];
  if (g.column_bias != nullptr) value += g.column_bias[j];
  *c = g.accumulate ? *c + value : value;
}

// Each row of the higher operand against each row of the one with few rows; both have k
// consecutive floats per row.
inline void dot_products(const Gemm& g) {
  const bool few_are_a = g.m <= g.n;
  const size_t few = few_are_a ? g.m : g.n;
  const size_t many = few_are_a ? g.n : g.m;
  for (size_t f = 0; f < few; ++f) {
    const float* x = few_are_a ? g.a + f * g.lda : g.b + f * g.ldb;
    const float* rows = few_are_a ? g.b : g.a;
    const size_t ld = few_are_a ? g.ldb : g.lda;
    float out[4];
    for (size_t r = 0; r < many;) {
      const size_t count = r + 4 <= many ? 4 : 1;
      if (count == 4) {
        dot_rows<4>(rows + r * ld, ld, x, g.k, out);
      } else {
        dot_rows<1>(rows + r * ld, ld, x, g.k, out);
      }
      for (size_t i = 0; i < count; ++i, ++r) {
        write_dot(g, few_are_a ? f : r, few_are_a ? r : f, out[i]);
      }
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
