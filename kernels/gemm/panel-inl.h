// A panel of B times all rows of A: the loop over register tiles. Included once per target.
#if defined(NSOP_KERNELS_GEMM_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_GEMM_PANEL_INL_H_
#undef NSOP_KERNELS_GEMM_PANEL_INL_H_
#else
#define NSOP_KERNELS_GEMM_PANEL_INL_H_
#endif

#include <array>
#include <utility>

#include "kernels/gemm/plan.h"
#include "kernels/gemm/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The factors of one tile after the other: element (i, k) of A at a[i * lda + k] (by rows) or
// a[k * lda + i]; the next tile's rows `step` floats further. Element (k, j) of B at b[k * ldb +
// j].
struct TileFactors {
  size_t depth = 0;
  const float* a = nullptr;
  size_t lda = 0;
  size_t step = 0;
  const float* b = nullptr;
  size_t ldb = 0;
};

// `tiles` consecutive tiles of kRows rows; t moves along.
template <size_t kRows, size_t kVectors, bool kAByRows, bool kMasked, bool kPrefetch = false>
void multiply_rows(size_t tiles, const TileFactors& f, TileTarget& t) {
  const float* a = f.a;
  for (; tiles > 0; --tiles, a += f.step) {
    tile_body<kRows, kVectors, kAByRows, kMasked, kPrefetch>(f.depth, a, f.lda, f.b, f.ldb, t);
    t.c += kRows * t.ldc;
    if (t.row_bias != nullptr) t.row_bias += kRows;
    if (t.row_sums != nullptr) t.row_sums += kRows * kRowSumLanes;
  }
}

using MultiplyRows = void (*)(size_t tiles, const TileFactors& f, TileTarget& t);
using RowsTable = std::array<MultiplyRows, kMostTileRows>;  // by rows - 1

template <size_t kVectors, bool kAByRows, bool kMasked, size_t... kRow>
constexpr RowsTable rows_table(std::index_sequence<kRow...> /*rows*/) {
  return {{multiply_rows<kRow + 1, kVectors, kAByRows, kMasked>...}};
}

template <bool kAByRows, bool kMasked, size_t... kVector>
constexpr std::array<RowsTable, kTileVectors> vectors_table(
    std::index_sequence<kVector...> /*vectors*/) {
  return {{rows_table<kVector + 1, kAByRows, kMasked>(
      std::make_index_sequence<tile_rows(kVector + 1)>())...}};
}

// The code for tiles of rows <= tile_rows(vectors) by vectors <= kTileVectors. `masked`: the last
// vector isn't filled, and B must not be read beyond it; only where masks exist.
inline MultiplyRows rows_function(size_t rows, size_t vectors, bool a_by_rows,
                                  [[maybe_unused]] bool masked) {
  constexpr auto kVectors = std::make_index_sequence<kTileVectors>();
  static constexpr std::array kWhole = {vectors_table<false, false>(kVectors),
                                        vectors_table<true, false>(kVectors)};
#if NSOP_HAVE_MASKED_ACCESS
  static constexpr std::array kMasked = {vectors_table<false, true>(kVectors),
                                         vectors_table<true, true>(kVectors)};
  if (masked) return kMasked[a_by_rows][vectors - 1][rows - 1];
#endif
  return kWhole[a_by_rows][vectors - 1][rows - 1];
}

template <size_t... kRow>
constexpr RowsTable prefetching_table(std::index_sequence<kRow...> /*rows*/) {
  return {{multiply_rows<kRow + 1, kTileVectors, true, false, true>...}};
}

// The same for whole tiles of kTileVectors and A by rows, asking for the rows of B ahead of their
// turn.
inline MultiplyRows prefetching_rows_function(size_t rows) {
  static constexpr RowsTable kTable = prefetching_table(std::make_index_sequence<kTileRows>());
  return kTable[rows - 1];
}

// A for a product with panels: all its rows.
struct PanelRows {
  size_t m = 0;
  const float* data = nullptr;
  size_t ld = 0;
  bool by_rows = false;
  bool packed = false;  // tile after tile of at most kTileRows, rows next to each other
  bool prefetch_b = false;
};

// Rows [0, m) x a panel of `vectors` vectors: C (+)= A B.
inline void multiply_panel(const PanelRows& a, size_t depth, const float* b, size_t ldb,
                           size_t vectors, bool masked, TileTarget t) {
  const EvenParts tiles(a.m, a.packed ? kTileRows : tile_rows(vectors));
  TileFactors f{depth, a.data, a.ld, 0, b, ldb};
  const bool prefetch = a.prefetch_b && a.by_rows && vectors == kTileVectors && !masked;
  const auto multiply = [&](size_t count, size_t rows) {
    if (count == 0) return;
    if (a.packed) f.lda = rows;
    f.step = a.packed ? rows * depth : a.by_rows ? rows * a.ld : rows;
    const MultiplyRows function = prefetch ? prefetching_rows_function(rows)
                                           : rows_function(rows, vectors, a.by_rows, masked);
    function(count, f, t);
    f.a += count * f.step;
  };
  multiply(tiles.larger, tiles.size + 1);
  multiply(tiles.count - tiles.larger, tiles.size);
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
