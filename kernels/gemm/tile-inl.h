// The innermost part of gemm: tiles of C held in registers. Included once per target.
#if defined(NSOP_KERNELS_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_GEMM_TILE_INL_H_
#undef NSOP_KERNELS_GEMM_TILE_INL_H_
#else
#define NSOP_KERNELS_GEMM_TILE_INL_H_
#endif

#include <array>
#include <utility>

#include "hwy/cache_control.h"
#include "kernels/gemm/gemm.h"
#include "kernels/runtime/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The accumulators of a tile, one row of B and a broadcast must fit in the registers: 32 with
// AVX-512, else 16. Fewer vectors leave room for more rows.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size_t kAccumulators = 24;
constexpr size_t kTileVectors = 4;
#else
constexpr size_t kAccumulators = 12;
constexpr size_t kTileVectors = 3;
#endif
constexpr size_t kMostTileRows = 12;
constexpr size_t tile_rows(size_t vectors) {
  return HWY_MIN(kMostTileRows, kAccumulators / vectors);
}

// A sum takes the next product only after 4 cycles: a tile of fewer vectors deals its products out
// to several sums each, which then wait no longer than for a row of B from the L2 cache.
constexpr size_t tile_chains(size_t vectors) { return vectors >= 4 ? 1 : vectors >= 2 ? 2 : 4; }

constexpr size_t kRowsAhead = 8;  // of B, that are asked for

// The widest tile.
constexpr size_t kTileRows = tile_rows(kTileVectors);
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
inline HWY_NOINLINE void store_partial_tile(const TileTarget& t, const float* tile, size_t rows,
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

// The first `count` lanes of a vector in memory, or all of them.
template <bool kMasked>
struct Lanes {
#if NSOP_HAVE_MASKED_ACCESS
  hn::Mask<FloatTag> mask;
  HWY_INLINE explicit Lanes(size_t count) : mask(hn::FirstN(FloatTag(), count)) {}
  HWY_INLINE FloatVec load(const float* p) const { return hn::MaskedLoad(mask, FloatTag(), p); }
  HWY_INLINE void store(FloatVec v, float* p) const { hn::BlendedStore(v, mask, FloatTag(), p); }
#endif
};

template <>
struct Lanes<false> {
  HWY_INLINE explicit Lanes(size_t /*count*/) {}
  HWY_INLINE FloatVec load(const float* p) const { return hn::LoadU(FloatTag(), p); }
  HWY_INLINE void store(FloatVec v, float* p) const { hn::StoreU(v, FloatTag(), p); }
};

// The sums of a tile, held in registers.
template <size_t kRows, size_t kVectors, bool kMasked>
struct Tile {
  FloatVec sum[kRows][kVectors];
  Lanes<kMasked> last;  // of each row's last vector

  HWY_INLINE explicit Tile(const TileTarget& t) : last(t.columns - (kVectors - 1) * kLanes) {
    set_zero(sum);
  }

  static HWY_INLINE void set_zero(FloatVec (&sums)[kRows][kVectors]) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) sums[i][j] = hn::Zero(FloatTag());
    }
  }

  HWY_INLINE void add(const FloatVec (&sums)[kRows][kVectors]) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) sum[i][j] = hn::Add(sum[i][j], sums[i][j]);
    }
  }

  HWY_INLINE FloatVec load(const float* row, size_t j) const {
    return j + 1 < kVectors ? hn::LoadU(FloatTag(), row + j * kLanes) : last.load(row + j * kLanes);
  }

  // sums += column k of A times the row of B at b.
  template <bool kAByRows>
  HWY_INLINE void add_product(size_t k, const float* HWY_RESTRICT a, size_t lda,
                              const float* HWY_RESTRICT b,
                              FloatVec (&sums)[kRows][kVectors]) const {
    FloatVec row[kVectors];
    HWY_UNROLL(16)
    for (size_t j = 0; j < kVectors; ++j) row[j] = load(b, j);
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      const FloatVec factor = hn::Set(FloatTag(), kAByRows ? a[i * lda + k] : a[k * lda + i]);
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) sums[i][j] = hn::MulAdd(factor, row[j], sums[i][j]);
    }
  }

  template <bool kAByRows, bool kPrefetch = false>
  HWY_INLINE void multiply(size_t depth, const float* HWY_RESTRICT a, size_t lda,
                           const float* HWY_RESTRICT b, size_t ldb) {
    constexpr size_t kChains = tile_chains(kRows * kVectors);
    size_t k = 0;
    if constexpr (kChains > 1) {
      FloatVec part[kChains][kRows][kVectors];
      HWY_UNROLL(16)
      for (auto& sums : part) set_zero(sums);
      for (; k + kChains <= depth; k += kChains) {
        HWY_UNROLL(16)
        for (size_t c = 0; c < kChains; ++c, b += ldb) {
          add_product<kAByRows>(k + c, a, lda, b, part[c]);
        }
      }
      HWY_UNROLL(16)
      for (const auto& sums : part) add(sums);
    }
    for (; k < depth; ++k, b += ldb) {
      HWY_UNROLL(16)
      for (size_t j = 0; kPrefetch && j < kVectors; ++j) {
        hwy::Prefetch(b + kRowsAhead * ldb + j * kLanes);
      }
      add_product<kAByRows>(k, a, lda, b, sum);
    }
  }

  // Adds a row of so many floats to each row, or to the i-th row that at rows + i * ld.
  HWY_INLINE void add_rows(const float* rows, size_t ld) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) sum[i][j] = hn::Add(sum[i][j], load(rows + i * ld, j));
    }
  }

  HWY_INLINE void add_column(const float* column) {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      const FloatVec value = hn::Set(FloatTag(), column[i]);
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) sum[i][j] = hn::Add(sum[i][j], value);
    }
  }

  HWY_INLINE void add_to_row_sums(float* sums) const {
    const FloatTag d;
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i, sums += kRowSumLanes) {
      FloatVec all = sum[i][0];
      HWY_UNROLL(16)
      for (size_t j = 1; j < kVectors; ++j) all = hn::Add(all, sum[i][j]);
      hn::StoreU(hn::Add(hn::LoadU(d, sums), all), d, sums);
    }
  }

  HWY_INLINE void store(float* c, size_t ldc) const {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(16)
      for (size_t j = 0; j + 1 < kVectors; ++j) {
        hn::StoreU(sum[i][j], FloatTag(), c + i * ldc + j * kLanes);
      }
      last.store(sum[i][kVectors - 1], c + i * ldc + (kVectors - 1) * kLanes);
    }
  }

  // To a buffer, without gaps between the rows.
  HWY_INLINE void store_all(float* buffer) const {
    HWY_UNROLL(16)
    for (size_t i = 0; i < kRows; ++i) {
      HWY_UNROLL(16)
      for (size_t j = 0; j < kVectors; ++j) {
        hn::Store(sum[i][j], FloatTag(), buffer + (i * kVectors + j) * kLanes);
      }
    }
  }
};

// C tile[rows, vectors] = sum over k < depth of A[:,k] B[k,:]. A is read at a[i * lda + k]
// (kAByRows) or a[k * lda + i], B at b[k * ldb + j]; ldb >= vectors * kLanes. With kMasked only the
// first t.columns of B's columns are touched; they must reach into the last vector. With kPrefetch
// rows of B are asked for before their turn.
// 2 * depth * rows * columns flops; reads depth * (rows + columns) floats.
template <size_t kRows, size_t kVectors, bool kAByRows, bool kMasked = false,
          bool kPrefetch = false>
HWY_INLINE void tile_body(size_t depth, const float* a, size_t lda, const float* b, size_t ldb,
                          const TileTarget& t) {
  Tile<kRows, kVectors, kMasked> tile(t);
  tile.template multiply<kAByRows, kPrefetch>(depth, a, lda, b, ldb);
  if (t.row_sums != nullptr) return tile.add_to_row_sums(t.row_sums);
  if (!kMasked && t.columns != kVectors * kLanes) {
    HWY_ALIGN float buffer[kRows * kVectors * kLanes];
    tile.store_all(buffer);
    return store_partial_tile(t, buffer, kRows, kVectors * kLanes);
  }
  if (t.accumulate) tile.add_rows(t.c, t.ldc);
  if (t.row_bias != nullptr) tile.add_column(t.row_bias);
  if (t.column_bias != nullptr) tile.add_rows(t.column_bias, 0);
  tile.store(t.c, t.ldc);
}

// One tile.
template <size_t kRows, size_t kVectors, bool kAByRows>
void multiply_tile(size_t depth, const float* a, size_t lda, const float* b, size_t ldb,
                   const TileTarget& t) {
  tile_body<kRows, kVectors, kAByRows>(depth, a, lda, b, ldb, t);
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
