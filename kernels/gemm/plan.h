// How gemm goes about a product: decided by its form alone, the same on every target.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/gemm/gemm.h"
#include "kernels/runtime/thresholds.h"

namespace nsop::kernels {

enum class GemmWay {
  kTiles,    // register tiles over packed panels or the matrices in place
  kDots,     // one or a few rows (or columns) against rows: dot products
  kSwapped,  // C^T = B^T A^T by tiles, then transposed
  kApart,    // by tiles, but the last few columns swapped
};

constexpr size_t kWidestPanel = 64;  // columns of the widest tile of any target
constexpr size_t kHighestTile = 12;  // rows of the highest

// Tiles go through `depth` values of k at a time and, within these, through strips of columns of B.
// A strip of one panel (the width of a tile) is multiplied by all rows of A. The panels of a wider
// strip are all multiplied by the rows of one tile, then by the rows of the next tile: A and C are
// touched once per strip, which stays in the L2 cache.
struct GemmPlan {
  GemmWay way = GemmWay::kTiles;
  bool pack_a = false;      // all rows of A with strips of one panel, else the rows of one tile
  bool pack_b = false;      // all of a strip; else at most a panel that the last columns don't fill
  size_t depth = 0;         // values of k done at a time
  size_t strip = 0;         // columns done at a time, a multiple of kWidestPanel; 0: one panel
  bool prefetch_b = false;  // rows of B, ahead of their turn

  size_t packed_a_floats(size_t m) const {
    return pack_a ? aligned_floats((strip > 0 ? kHighestTile : m) * depth) : 0;
  }
  size_t packed_b_floats(size_t n) const {
    const size_t columns = pack_b ? std::min(strip, n + kWidestPanel) : 0;
    return aligned_floats(std::max(kWidestPanel, columns) * depth);
  }
};

constexpr size_t kPackedDepth = 320;   // keeps a packed panel near the size of the L1 cache
constexpr size_t kStripDepth = 768;    // fewer passes over C, for the same strip
constexpr size_t kInPlaceDepth = 768;  // in place, a panel only has to stay in L2
constexpr size_t kFewRows = 4;         // so few rows or columns are done as dot products
constexpr size_t kSmallA = 80000;      // floats of A that stay in L2 while the panels of B pass
constexpr size_t kPackingRows = 96;    // rows of A that make packing B worth while
constexpr size_t kAligningRows = 256;  // so many, if B stays in L2: rows aligned, of fewer pages
constexpr size_t kPassingRows = 32;    // rows of A at most, if rows of B are prefetched

// Floats of B that fill three quarters of the L2 cache of this machine.
size_t strip_floats();

// The same product as C^T = B^T A^T; c and ldc belong to a contiguous C^T.
inline Gemm swapped_gemm(const Gemm& g) {
  Gemm s = g;
  s.m = g.n;
  s.n = g.m;
  s.a = g.b;
  s.lda = g.ldb;
  s.a_transposed = !g.b_transposed;
  s.b = g.a;
  s.ldb = g.lda;
  s.b_transposed = !g.a_transposed;
  s.row_bias = g.column_bias;
  s.column_bias = g.row_bias;
  s.ldc = g.m;
  return s;
}

// Is B stored with consecutive k next to each other?
inline bool b_is_by_k(const Gemm& g) {
  return g.b_source.fill == nullptr && (g.b_transposed || (g.n == 1 && g.ldb == 1));
}

// Would C^T = B^T A^T write and transpose less than packing B transposed?
inline bool swapping_pays(const Gemm& g) {
  return g.b_source.fill == nullptr && g.b_transposed && g.row_sums == nullptr && !g.accumulate &&
         3 * g.m * g.n + 2 * g.m * g.k < 2 * g.n * g.k;
}

// Last columns of C that are rather done as rows of C^T: beyond whole vectors there are so few that
// most of a vector would go to waste for each row of A, and the rows of A^T lie as they are needed.
// 0: none, or it doesn't pay to read A again.
inline size_t columns_apart(const Gemm& g) {
  const size_t rest = g.n % 16;
  const bool possible = g.a_transposed && !g.b_transposed && g.b_source.fill == nullptr &&
                        g.row_sums == nullptr && !g.accumulate;
  const bool pays = rest <= 4 && g.n > 16 && g.k >= 24 && g.m >= 32 && g.m * g.k <= strip_floats();
  return possible && pays ? rest : 0;
}

// Rows at multiples of 4 KB share the sets of the L1 cache, and each lies in pages of its own.
inline bool colliding_rows(size_t ld) { return ld % 1024 == 0; }

// 2^32 / d, rounded up, for d <= 32.
inline constexpr std::array<uint64_t, 33> kInverses = [] {
  std::array<uint64_t, 33> inverses{};
  for (uint64_t d = 1; d <= 32; ++d) inverses[d] = ((uint64_t{1} << 32) + d - 1) / d;
  return inverses;
}();

// x / divisor for x < 2^27, without a division for small divisors: its 15 cycles are noticed by
// small products.
inline uint32_t quotient(size_t x, size_t divisor) {
  if (divisor > 32) return static_cast<uint32_t>(x / divisor);
  return static_cast<uint32_t>(x * kInverses[divisor] >> 32);
}

// `items` in as few nearly equal parts as possible of at most `most` items: the first `larger`
// parts have one more than `size`.
struct EvenParts {
  uint32_t count;
  uint32_t size;
  uint32_t larger;
  EvenParts(size_t items, size_t most)
      : count(quotient(items + most - 1, most)),
        size(quotient(items, count)),
        larger(static_cast<uint32_t>(items) - size * count) {}
  uint32_t operator[](uint32_t part) const { return part < larger ? size + 1 : size; }
};

inline size_t even_depth(size_t k, size_t most, size_t granule) {
  if (k <= most) return k;
  const size_t units = k / granule;
  const size_t most_units = std::max<size_t>(1, most / granule);
  const size_t blocks = (units + most_units - 1) / most_units;
  return (units + blocks - 1) / blocks * granule;
}

// The plan when done by tiles.
inline GemmPlan plan_tiles(const Gemm& g) {
  GemmPlan plan;
  const bool from_matrix = g.b_source.fill == nullptr;
  const bool colliding_a = colliding_rows(g.lda) && g.m > 1;
  const bool reused_a = g.n > 2 * kWidestPanel;
  plan.pack_a = reused_a && (g.a_transposed || colliding_a);
  plan.pack_b = !from_matrix || g.b_transposed ||
                (g.m >= kPackingRows && g.n * g.k > strip_floats()) ||
                (g.m >= kAligningRows && (g.ldb % 16 != 0 || 2 * g.n * g.k > strip_floats()));
  const bool strips = from_matrix && g.row_sums == nullptr && reused_a && g.m * g.k > kSmallA;
  const size_t packed_depth = strips ? kStripDepth : kPackedDepth;
  plan.depth = even_depth(g.k, plan.pack_b ? packed_depth : kInPlaceDepth, g.b_source.granule);
  if (strips) {
    plan.strip = std::max<size_t>(1, strip_floats() / plan.depth / kWidestPanel) * kWidestPanel;
  }
  // Most of B comes from the L2 cache and some of it from beyond: hardware doesn't foresee rows in
  // different pages, and there are too few passes over B to make up for the wait.
  plan.prefetch_b = !plan.pack_b && plan.strip == 0 && colliding_rows(g.ldb) && g.m >= 4 &&
                    g.m <= kPassingRows && plan.depth >= 128 && g.n * g.k <= strip_floats();
  return plan;
}

inline GemmPlan plan_gemm(const Gemm& g) {
  GemmPlan plan = plan_tiles(g);
  const bool few = std::min(g.m, g.n) <= kFewRows;
  if (few && b_is_by_k(g) && !g.a_transposed && g.row_sums == nullptr) {
    plan.way = GemmWay::kDots;
  } else if (swapping_pays(g)) {
    plan.way = GemmWay::kSwapped;
  } else if (columns_apart(g) > 0) {
    plan.way = GemmWay::kApart;
  }
  return plan;
}

// Floats that one thread needs to do the product, or a part of its rows or columns, by tiles.
inline size_t tiles_workspace_floats(const Gemm& g, const GemmPlan& plan) {
  return plan.packed_a_floats(g.m) + plan.packed_b_floats(g.n);
}

// Threads share the columns of C if it is wider than high, else the rows. Row sums must not be
// written by two threads.
inline bool splits_columns(const Gemm& g) { return g.n >= g.m && g.row_sums == nullptr; }

// The part of a product that computes rows x columns of C.
Gemm sub_gemm(const Gemm& g, Range rows, Range columns);

// The two parts of a product whose last columns are done apart.
struct ApartGemms {
  explicit ApartGemms(const Gemm& g)
      : whole(sub_gemm(g, {0, g.m}, {0, g.n - columns_apart(g)})),
        rest(sub_gemm(g, {0, g.m}, {g.n - columns_apart(g), g.n})) {}
  Gemm whole, rest;
};

// Is the product long enough to be worth waking helpers for?
inline bool worth_forking(const Gemm& g, const ThreadPool& thread_pool) {
  return g.m * g.n * g.k >=
         static_cast<size_t>(thread_pool.threads()) * thread_pool.least(kProductMacs);
}

}  // namespace nsop::kernels
