// The innermost part of gemm: a tile of C held in registers. Included once per target.
#if defined(NSOP_KERNELS_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_GEMM_TILE_INL_H_
#undef NSOP_KERNELS_GEMM_TILE_INL_H_
#else
#define NSOP_KERNELS_GEMM_TILE_INL_H_
#endif

#include "kernels/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The largest tile. Its accumulators, one row of B and a broadcast must fit in the registers:
// 32 with AVX-512, else 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size_t kTileRows = 8;
constexpr size_t kTileVectors = 3;
#else
constexpr size_t kTileRows = 6;
constexpr size_t kTileVectors = 2;
#endif
constexpr size_t kTileColumns = kTileVectors * kLanes;

// Where a tile goes and what is added to it; see Gemm.
struct TileTarget {
  float* c = nullptr;
  size_t ldc = 0;
  size_t columns = 0;  // of the tile that exist in C
  bool accumulate = false;
  const float* row_bias = nullptr;
  const float* column_bias = nullptr;
  float* row_sums = nullptr;
};

// One vector of the result, from its product sum.
HWY_INLINE FloatVec finish(const TileTarget& t, size_t row, size_t column, FloatVec v,
                           size_t count) {
  const FloatTag d;
  const bool whole = count >= kLanes;
  if (t.accumulate) {
    const float* c = t.c + row * t.ldc + column;
    v = hn::Add(v, whole ? hn::LoadU(d, c) : load_n(d, c, count));
  }
  if (t.row_bias != nullptr) v = hn::Add(v, hn::Set(d, t.row_bias[row]));
  if (t.column_bias != nullptr) {
    const float* bias = t.column_bias + column;
    v = hn::Add(v, whole ? hn::LoadU(d, bias) : load_n(d, bias, count));
  }
  return v;
}

// Writes a tile whose last columns don't exist in C, from a buffer of `width` floats per row.
HWY_NOINLINE void store_partial_tile(const TileTarget& t, const float* tile, size_t rows,
                                     size_t width) {
  const FloatTag d;
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < t.columns; j += kLanes) {
      const size_t count = HWY_MIN(kLanes, t.columns - j);
      const FloatVec v = finish(t, i, j, hn::Load(d, tile + i * width + j), count);
      store_n(v, d, t.c + i * t.ldc + j, count);
    }
  }
}

// C tile[rows, vectors] = sum over k < depth of A[:,k] B[k,:]. A is read at a[i * lda + k]
// (kAByRows) or a[k * lda + i], B at b[k * ldb + j]; ldb >= vectors * kLanes.
// 2 * depth * rows * columns flops; reads depth * (rows + columns) floats.
template <size_t kRows, size_t kVectors, bool kAByRows>
void multiply_tile(size_t depth, const float* HWY_RESTRICT a, size_t lda,
                   const float* HWY_RESTRICT b, size_t ldb, const TileTarget& t) {
  const FloatTag d;
  FloatVec sum[kRows][kVectors];
  HWY_UNROLL(16)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(16)
    for (size_t j = 0; j < kVectors; ++j) sum[i][j] = hn::Zero(d);
  }
  for (size_t k = 0; k < depth; ++k) {
    FloatVec row[kVectors];
    HWY_UNROLL(16)
    for (size_t j = 0; j < kVectors; ++j) row[j] = hn::LoadU(d, b + j * kLanes);
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      const FloatVec factor = hn::Set(d, kAByRows ? a[i * lda + k] : a[k * lda + i]);
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(factor, row[j], sum[i][j]);
    }
    b += ldb;
  }
  if (t.row_sums != nullptr) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      FloatVec all = sum[i][0];
      HWY_UNROLL(16)
      for (size_t j = 1; j < kVectors; ++j) all = hn::Add(all, sum[i][j]);
      float* sums = t.row_sums + i * kRowSumLanes;
      hn::StoreU(hn::Add(hn::LoadU(d, sums), all), d, sums);
    }
  } else if (t.columns == kVectors * kLanes) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) {
        hn::StoreU(finish(t, i, j * kLanes, sum[i][j], kLanes), d, t.c + i * t.ldc + j * kLanes);
      }
    }
  } else {
    HWY_ALIGN float tile[kRows * kVectors * kLanes];
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) {
        hn::Store(sum[i][j], d, tile + (i * kVectors + j) * kLanes);
      }
    }
    store_partial_tile(t, tile, kRows, kVectors * kLanes);
  }
}

using MultiplyTile = void (*)(size_t depth, const float* a, size_t lda, const float* b, size_t ldb,
                              const TileTarget& t);

template <size_t kRows, size_t kVectors, bool kAByRows>
MultiplyTile tile_with_rows(size_t rows) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return tile_with_rows<kRows - 1, kVectors, kAByRows>(rows);
  }
  return multiply_tile<kRows, kVectors, kAByRows>;
}

template <size_t kVectors>
MultiplyTile tile_with_vectors(size_t rows, size_t vectors, bool a_by_rows) {
  if constexpr (kVectors > 1) {
    if (vectors < kVectors) return tile_with_vectors<kVectors - 1>(rows, vectors, a_by_rows);
  }
  return a_by_rows ? tile_with_rows<kTileRows, kVectors, true>(rows)
                   : tile_with_rows<kTileRows, kVectors, false>(rows);
}

// The code for tiles of exactly rows <= kTileRows by vectors <= kTileVectors.
inline MultiplyTile tile_function(size_t rows, size_t vectors, bool a_by_rows) {
  return tile_with_vectors<kTileVectors>(rows, vectors, a_by_rows);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
