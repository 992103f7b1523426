// Transposition of matrices by square tiles as wide as a vector. Included once per target.
#if defined(NSOP_KERNELS_TRANSPOSE_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_TRANSPOSE_TILE_INL_H_
#undef NSOP_KERNELS_TRANSPOSE_TILE_INL_H_
#else
#define NSOP_KERNELS_TRANSPOSE_TILE_INL_H_
#endif

#include "hwy/cache_control.h"
#include "kernels/runtime/transpose-inl.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// Transposes within the 128-bit blocks of four rows: t[k] has column 4b + k in its block b.
HWY_INLINE void transpose_blocks(const float* src, size_t ld, FloatVec* t) {
  const FloatTag d;
  const hn::Repartition<double, FloatTag> d64;
  const auto r0 = hn::LoadU(d, src);
  const auto r1 = hn::LoadU(d, src + ld);
  const auto r2 = hn::LoadU(d, src + 2 * ld);
  const auto r3 = hn::LoadU(d, src + 3 * ld);
  const auto lo01 = hn::BitCast(d64, hn::InterleaveLower(d, r0, r1));
  const auto lo23 = hn::BitCast(d64, hn::InterleaveLower(d, r2, r3));
  const auto hi01 = hn::BitCast(d64, hn::InterleaveUpper(d, r0, r1));
  const auto hi23 = hn::BitCast(d64, hn::InterleaveUpper(d, r2, r3));
  t[0] = hn::BitCast(d, hn::InterleaveLower(d64, lo01, lo23));
  t[1] = hn::BitCast(d, hn::InterleaveUpper(d64, lo01, lo23));
  t[2] = hn::BitCast(d, hn::InterleaveLower(d64, hi01, hi23));
  t[3] = hn::BitCast(d, hn::InterleaveUpper(d64, hi01, hi23));
}
#endif

// dst[c][r] = src[r][c] for r, c < kLanes; ld and dst_ld are the distances of rows in floats. Reads
// every row once: rows that share a cache set don't drive each other out.
HWY_INLINE void transpose_tile(const float* src, size_t ld, float* dst, size_t dst_ld) {
#if HWY_TARGET == HWY_SCALAR
  (void)ld;
  (void)dst_ld;
  *dst = *src;
#else
  const FloatTag d;
  FloatVec t[kLanes];
  HWY_UNROLL(4)
  for (size_t g = 0; g < kLanes; g += 4) transpose_blocks(src + g * ld, ld, t + g);
  HWY_UNROLL(4)
  for (size_t k = 0; k < 4; ++k) {
    float* to = dst + k * dst_ld;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    const FloatVec even01 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(t[4 + k]), t[k]);
    const FloatVec odd01 = hn::OddEvenBlocks(t[4 + k], hn::SwapAdjacentBlocks(t[k]));
    const FloatVec even23 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(t[12 + k]), t[8 + k]);
    const FloatVec odd23 = hn::OddEvenBlocks(t[12 + k], hn::SwapAdjacentBlocks(t[8 + k]));
    hn::StoreU(hn::ConcatLowerLower(d, even23, even01), d, to);
    hn::StoreU(hn::ConcatLowerLower(d, odd23, odd01), d, to + 4 * dst_ld);
    hn::StoreU(hn::ConcatUpperUpper(d, even23, even01), d, to + 8 * dst_ld);
    hn::StoreU(hn::ConcatUpperUpper(d, odd23, odd01), d, to + 12 * dst_ld);
#elif HWY_TARGET == HWY_AVX2
    hn::StoreU(hn::ConcatLowerLower(d, t[4 + k], t[k]), d, to);
    hn::StoreU(hn::ConcatUpperUpper(d, t[4 + k], t[k]), d, to + 4 * dst_ld);
#else
    hn::StoreU(t[k], d, to);
#endif
  }
#endif
}

// Asks for the cache lines of rows x columns floats, which are `ld` apart.
HWY_INLINE void prefetch_block(const float* p, size_t ld, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; c += 16) hwy::Prefetch(p + r * ld + c);
  }
}

// dst[c * dst_ld + r] = src[r * ld + c] for r < rows and c < columns: 8 bytes per element.
//
// In square blocks that are asked for as a whole: hardware doesn't foresee short runs in many rows,
// and lines that tiles of a block share are still there. The last tiles overlap those before them.
inline void transpose_matrix(const float* src, size_t ld, size_t rows, size_t columns, float* dst,
                             size_t dst_ld) {
  if (rows < kLanes || columns < kLanes) return transpose(src, ld, rows, columns, dst, dst_ld);
  constexpr size_t kBlock = 32;
  const bool near = rows * columns <= 32768;  // likely to be in the cache
  for (size_t column = 0; column < columns; column += kBlock) {
    const size_t columns_end = HWY_MIN(column + kBlock, columns);
    for (size_t row = 0; row < rows; row += kBlock) {
      const size_t rows_end = HWY_MIN(row + kBlock, rows);
      const size_t width = columns_end - column;
      const size_t height = rows_end - row;
      if (!near) prefetch_block(src + row * ld + column, ld, height, width);
      prefetch_block(dst + column * dst_ld + row, dst_ld, width, height);
      for (size_t i = column; i < columns_end; i += kLanes) {
        const size_t c = HWY_MIN(i, columns - kLanes);
        for (size_t j = row; j < rows_end; j += kLanes) {
          const size_t r = HWY_MIN(j, rows - kLanes);
          transpose_tile(src + r * ld + c, ld, dst + c * dst_ld + r, dst_ld);
        }
      }
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
