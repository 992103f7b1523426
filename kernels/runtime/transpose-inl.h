// Transposition of small float blocks, for packing. Included once per target.
#if defined(NSOP_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_TRANSPOSE_INL_H_
#undef NSOP_KERNELS_TRANSPOSE_INL_H_
#else
#define NSOP_KERNELS_TRANSPOSE_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// dst[c][r] = src[r][c] for r, c < 4; ld and dst_ld are the distances of rows in floats.
HWY_INLINE void transpose_4x4(const float* src, size_t ld, float* dst, size_t dst_ld) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<double, 2> d64;
  const auto r0 = hn::LoadU(d, src);
  const auto r1 = hn::LoadU(d, src + ld);
  const auto r2 = hn::LoadU(d, src + 2 * ld);
  const auto r3 = hn::LoadU(d, src + 3 * ld);
  const auto lo01 = hn::BitCast(d64, hn::InterleaveLower(d, r0, r1));
  const auto lo23 = hn::BitCast(d64, hn::InterleaveLower(d, r2, r3));
  const auto hi01 = hn::BitCast(d64, hn::InterleaveUpper(d, r0, r1));
  const auto hi23 = hn::BitCast(d64, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, lo01, lo23)), d, dst);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, lo01, lo23)), d, dst + dst_ld);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, hi01, hi23)), d, dst + 2 * dst_ld);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, hi01, hi23)), d, dst + 3 * dst_ld);
}
#endif

// dst[c * dst_ld + r] = src[r * ld + c] for r < rows and c < columns.
inline void transpose(const float* src, size_t ld, size_t rows, size_t columns, float* dst,
                      size_t dst_ld) {
  size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; r + 4 <= rows; r += 4) {
    size_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      transpose_4x4(src + r * ld + c, ld, dst + c * dst_ld + r, dst_ld);
    }
    for (; c < columns; ++c) {
      for (size_t i = r; i < r + 4; ++i) dst[c * dst_ld + i] = src[i * ld + c];
    }
  }
#endif
  for (; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) dst[c * dst_ld + r] = src[r * ld + c];
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
