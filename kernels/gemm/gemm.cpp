#include "kernels/gemm/gemm.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/gemm.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm/activation.h"
#include "kernels/gemm/dot-inl.h"
#include "kernels/gemm/panel-inl.h"
#include "kernels/gemm/plan.h"
#include "kernels/runtime/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// B as the tiles of one column block read it.
struct Panel {
  const float* data;
  size_t ld;
};

// Columns [column, column + columns) of the rows [k0, k0 + depth) of B, in place where possible,
// else packed into `packed` with `width` floats per row.
Panel make_panel(const Gemm& g, const GemmPlan& plan, const PanelBlock& block, float* packed) {
  if (g.b_source.fill != nullptr) {
    g.b_source.fill(g.b_source.context, block, packed);
    return {packed, block.width};
  }
  if (g.b_transposed) {
    const float* src = g.b + block.j0 * g.ldb + block.k0;
    for (size_t i = 0; block.columns < block.width && i < block.depth; ++i) {
      std::fill(packed + i * block.width + block.columns, packed + (i + 1) * block.width, 0.0f);
    }
    transpose(src, g.ldb, block.columns, block.depth, packed, block.width);
    return {packed, block.width};
  }
  const float* src = g.b + block.k0 * g.ldb + block.j0;
  const bool readable = NSOP_HAVE_MASKED_ACCESS || block.columns == block.width;
  if (!plan.pack_b && readable) return {src, g.ldb};
  for (size_t i = 0; i < block.depth; ++i, src += g.ldb) {
    float* to = packed + i * block.width;
    copy_floats(src, to, block.columns);
    std::fill(to + block.columns, to + block.width, 0.0f);
  }
  return {packed, block.width};
}

// Rows [k0, k0 + depth) x all of A's m rows into tiles: the tile of rows [i0, i1) lies at
// packed + i0 * depth, (i1 - i0) floats per k.
void pack_a(const Gemm& g, size_t k0, size_t depth, float* packed) {
  const EvenParts tiles(g.m, kTileRows);
  size_t i = 0;
  for (uint32_t tile = 0; tile < tiles.count; ++tile) {
    const size_t rows = tiles[tile];
    float* to = packed + i * depth;
    if (g.a_transposed) {
      const float* src = g.a + k0 * g.lda + i;
      for (size_t k = 0; k < depth; ++k, src += g.lda) copy_floats(src, to + k * rows, rows);
    } else {
      transpose(g.a + i * g.lda + k0, g.lda, rows, depth, to, rows);
    }
    i += rows;
  }
}

// The tiles of one block of columns, above the first row.
TileTarget block_target(const Gemm& g, const PanelBlock& block) {
  const bool first = block.k0 == 0;
  TileTarget target;
  target.ldc = g.ldc;
  target.columns = block.columns;
  target.accumulate = g.accumulate || !first;
  if (g.c != nullptr) target.c = g.c + block.j0;
  if (first) target.row_bias = g.row_bias;
  if (first && g.column_bias != nullptr) target.column_bias = g.column_bias + block.j0;
  target.row_sums = g.row_sums;
  return target;
}

bool is_masked(const PanelBlock& block) {
  return NSOP_HAVE_MASKED_ACCESS && block.columns < block.width;
}

// All rows of one column block: C[:, block] (+)= A[:, k0..] B[k0.., block].
void multiply_block(const Gemm& g, const GemmPlan& plan, const PanelBlock& block,
                    const float* packed_a, const Panel& panel) {
  const TileTarget target = block_target(g, block);
  PanelRows rows{g.m, packed_a, 0, false, true};
  if (packed_a == nullptr) {
    const float* a = g.a + block.k0 * (g.a_transposed ? g.lda : 1);
    rows = {g.m, a, g.lda, !g.a_transposed, false, plan.prefetch_b};
  }
  multiply_panel(rows, block.depth, panel.data, panel.ld, block.width / kLanes, is_masked(block),
                 target);
  const bool last = block.k0 + block.depth == g.k;
  if (last && g.activation != FusedActivation::kNone)
    activate(g.activation, target.c, g.ldc, g.m, block.columns);
}

// The next block of at most `vectors` vectors, out of even parts.
void advance(const Gemm& g, const EvenParts& parts, uint32_t part, PanelBlock& block) {
  block.width = parts[part] * kLanes;
  block.columns = std::min(block.width, g.n - block.j0);
}

// Panels [begin, end) of a strip whose first is `block`, one after the other, from B as it is. Goes
// through B by rows: short reads from many rows would wait for memory.
void pack_strip(const Gemm& g, const EvenParts& parts, uint32_t begin, uint32_t end,
                const PanelBlock& block, float* packed) {
  const float* src = g.b + block.k0 * g.ldb + block.j0;
  for (size_t k = 0; k < block.depth; ++k, src += g.ldb) {
    size_t j = 0;
    for (uint32_t part = begin; part < end; ++part) {
      const size_t width = parts[part] * kLanes;
      const size_t columns = std::min(width, g.n - block.j0 - j);
      float* to = packed + j * block.depth + k * width;
      copy_floats(src + j, to, columns);
      if (columns < width) std::fill(to + columns, to + width, 0.0f);
      j += width;
    }
  }
}

// Rows [i, i + rows) of A in `buffer`: as they are, or transposed like A.
const float* copy_tile_rows(const Gemm& g, size_t i, size_t rows, size_t k0, size_t depth,
                            float* buffer) {
  if (g.a_transposed) {
    const float* src = g.a + k0 * g.lda + i;
    for (size_t k = 0; k < depth; ++k, src += g.lda) copy_floats(src, buffer + k * rows, rows);
  } else {
    const float* src = g.a + i * g.lda + k0;
    for (size_t r = 0; r < rows; ++r, src += g.lda) copy_floats(src, buffer + r * depth, depth);
  }
  return buffer;
}

// Asks for part `part` of `parts` of the rows [i, i + rows) of A: the next tile's, while this one's
// are used.
void prefetch_rows(const Gemm& g, size_t i, size_t rows, const PanelBlock& block, size_t part,
                   size_t parts) {
  const size_t begin = block.depth * part / parts;
  const size_t end = block.depth * (part + 1) / parts;
  for (size_t r = i; r < std::min(i + rows, g.m); ++r) {
    const float* row = g.a + r * g.lda + block.k0;
    for (size_t k = begin; k < end; k += 16) hwy::Prefetch(row + k);
  }
}

// Panels [begin, end) of a strip whose first is `block`: tile by tile of rows.
void multiply_strip(const Gemm& g, const GemmPlan& plan, const EvenParts& parts, uint32_t begin,
                    uint32_t end, PanelBlock block, float* packed_a, const float* packed_b) {
  const EvenParts tiles(g.m, tile_rows(parts[begin]));
  const PanelBlock first = block;
  const bool last = block.k0 + block.depth == g.k;
  size_t i = 0;
  for (uint32_t tile = 0; tile < tiles.count; i += tiles[tile], ++tile) {
    const size_t rows = tiles[tile];
    TileFactors f;
    f.depth = block.depth;
    f.lda = g.lda;
    f.a = g.a + (g.a_transposed ? block.k0 * g.lda + i : i * g.lda + block.k0);
    if (packed_a != nullptr) {
      f.a = copy_tile_rows(g, i, rows, block.k0, block.depth, packed_a);
      f.lda = g.a_transposed ? rows : block.depth;
    }
    block = first;
    for (uint32_t part = begin; part < end; ++part, block.j0 += block.width) {
      advance(g, parts, part, block);
      if (!g.a_transposed) prefetch_rows(g, i + rows, rows, block, part - begin, end - begin);
      f.b = g.b + block.k0 * g.ldb + block.j0;
      f.ldb = g.ldb;
      if (plan.pack_b || (!NSOP_HAVE_MASKED_ACCESS && block.columns < block.width)) {
        f.b = packed_b + (plan.pack_b ? (block.j0 - first.j0) * block.depth : 0);
        f.ldb = block.width;
      }
      TileTarget target = block_target(g, block);
      target.c += i * g.ldc;
      if (target.row_bias != nullptr) target.row_bias += i;
      rows_function(rows, parts[part], !g.a_transposed, is_masked(block))(1, f, target);
    }
    if (last && g.activation != FusedActivation::kNone) {
      activate(g.activation, g.c + i * g.ldc + first.j0, g.ldc, rows,
               std::min(block.j0, g.n) - first.j0);
    }
  }
}

// C = A B by tiles with one thread: for each range of k, for each strip of columns, all rows.
void gemm_tiles(const Gemm& g, const GemmPlan& plan, float* workspace) {
  // A packed strip streams from L2 with every tile: higher tiles stream it less often.
  const size_t vectors =
      plan.strip > 0 && plan.pack_b ? kTileVectors - kTileVectors / 4 : kTileVectors;
  const EvenParts parts((g.n + kLanes - 1) / kLanes, vectors);
  const EvenParts strips(parts.count, std::max<size_t>(1, plan.strip / (vectors * kLanes)));
  float* packed_a = plan.pack_a ? workspace : nullptr;
  float* packed_b = workspace + plan.packed_a_floats(g.m);
  PanelBlock block;
  for (size_t k0 = 0; k0 < g.k; k0 += block.depth) {
    block.k0 = k0;
    block.depth = std::min(plan.depth, g.k - k0);
    block.j0 = 0;
    if (plan.strip == 0 && plan.pack_a) pack_a(g, k0, block.depth, packed_a);
    for (uint32_t strip = 0, part = 0; strip < strips.count; ++strip) {
      const PanelBlock first = block;
      const uint32_t begin = part;
      const uint32_t end = part + strips[strip];
      const bool by_rows = plan.strip > 0 && plan.pack_b && !g.b_transposed;
      if (by_rows) pack_strip(g, parts, begin, end, first, packed_b);
      for (; part < end; ++part, block.j0 += block.width) {
        advance(g, parts, part, block);
        float* packed = packed_b + (plan.pack_b ? (block.j0 - first.j0) * block.depth : 0);
        if (plan.strip == 0) {
          multiply_block(g, plan, block, packed_a, make_panel(g, plan, block, packed));
        } else if (!by_rows) {
          make_panel(g, plan, block, packed);  // nothing is done where B is readable in place
        }
      }
      if (plan.strip > 0) multiply_strip(g, plan, parts, begin, end, first, packed_a, packed_b);
    }
  }
}

void gemm_dots(const Gemm& g) { dot_products(g); }

void transpose_matrix(const float* src, size_t ld, size_t rows, size_t columns, float* dst,
                      size_t dst_ld) {
  transpose(src, ld, rows, columns, dst, dst_ld);
}

void tile_size(size_t* rows, size_t* columns) {
  *rows = kTileRows;
  *columns = kTileColumns;
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(gemm_tiles);
HWY_EXPORT(gemm_dots);
HWY_EXPORT(transpose_matrix);
HWY_EXPORT(tile_size);

// A PanelSource whose column 0 is column `offset` of another.
struct ShiftedSource {
  PanelSource source;
  size_t offset;
  static void fill(const void* context, const PanelBlock& block, float* panel) {
    const auto* self = static_cast<const ShiftedSource*>(context);
    PanelBlock shifted = block;
    shifted.j0 += self->offset;
    self->source.fill(self->source.context, shifted, panel);
  }
};

// Part `part` of `parts` of C, split along the rows or the columns, by tiles.
void gemm_part(const Gemm& g, const GemmPlan& plan, size_t parts, size_t part, float* workspace) {
  Range rows{0, g.m};
  Range columns{0, g.n};
  if (splits_columns(g)) {
    columns = split_range(g.n, 16, parts, part);
  } else {
    rows = split_range(g.m, 1, parts, part);
  }
  if (rows.size() == 0 || columns.size() == 0) return;
  Gemm own = sub_gemm(g, rows, columns);
  const ShiftedSource shifted{g.b_source, columns.begin};
  if (g.b_source.fill != nullptr) {
    own.b_source.fill = ShiftedSource::fill;
    own.b_source.context = &shifted;
  }
  HWY_DYNAMIC_DISPATCH(gemm_tiles)(own, plan, workspace);
}

// A way of doing a product, given its plan.
struct Way {
  size_t (*floats)(const Gemm& g, const GemmPlan& plan, int threads);  // of workspace
  void (*run)(const Gemm& g, const GemmPlan& plan, std::span<float> workspace,
              ThreadPool& thread_pool);
  std::string (*algorithm)(const Gemm& g, const GemmPlan& plan);
};

size_t tiles_floats(const Gemm& g, const GemmPlan& plan, int threads) {
  return static_cast<size_t>(threads) * tiles_workspace_floats(g, plan);
}

void run_tiles(const Gemm& g, const GemmPlan& plan, std::span<float> workspace,
               ThreadPool& thread_pool) {
  if (thread_pool.threads() == 1 || !worth_forking(g, thread_pool)) {
    HWY_DYNAMIC_DISPATCH(gemm_tiles)(g, plan, workspace.data());
    return;
  }
  const size_t own_floats = tiles_workspace_floats(g, plan);
  const auto parts = static_cast<size_t>(thread_pool.threads());
  thread_pool.parallel(thread_pool.threads(), [&](int part, int thread) {
    gemm_part(g, plan, parts, static_cast<size_t>(part),
              workspace.data() + static_cast<size_t>(thread) * own_floats);
  });
}

std::string tiles_algorithm(const Gemm& /*g*/, const GemmPlan& plan) {
  size_t rows = 0;
  size_t columns = 0;
  HWY_DYNAMIC_DISPATCH(tile_size)(&rows, &columns);
  const bool packed = plan.pack_a || plan.pack_b;
  return std::string(packed ? "gemm packed " : "gemm in place ") + std::to_string(rows) + "x" +
         std::to_string(columns);
}

size_t dots_floats(const Gemm& /*g*/, const GemmPlan& /*plan*/, int /*threads*/) { return 0; }

void run_dots(const Gemm& g, const GemmPlan& /*plan*/, std::span<float> /*workspace*/,
              ThreadPool& /*thread_pool*/) {
  HWY_DYNAMIC_DISPATCH(gemm_dots)(g);
  activate(g.activation, g.c, g.ldc, g.m, g.n);
}

std::string dots_algorithm(const Gemm& /*g*/, const GemmPlan& /*plan*/) { return "dot products"; }

size_t swapped_floats(const Gemm& g, const GemmPlan& /*plan*/, int threads) {
  return aligned_floats(g.m * g.n) + gemm_workspace_floats(swapped_gemm(g), threads);
}

// C^T = B^T A^T into the workspace, then C: avoids transposing a large B.
void run_swapped(const Gemm& g, const GemmPlan& /*plan*/, std::span<float> workspace,
                 ThreadPool& thread_pool) {
  Gemm swapped = swapped_gemm(g);
  swapped.c = workspace.data();
  gemm(swapped, workspace.subspan(aligned_floats(g.m * g.n)), thread_pool);
  HWY_DYNAMIC_DISPATCH(transpose_matrix)(swapped.c, g.m, g.n, g.m, g.c, g.ldc);
}

std::string swapped_algorithm(const Gemm& g, const GemmPlan& /*plan*/) {
  return gemm_algorithm(swapped_gemm(g)) + " transposed";
}

size_t apart_floats(const Gemm& g, const GemmPlan& plan, int threads) {
  const ApartGemms parts(g);
  return std::max(gemm_workspace_floats(parts.whole, threads),
                  swapped_floats(parts.rest, plan, threads));
}

void run_apart(const Gemm& g, const GemmPlan& plan, std::span<float> workspace,
               ThreadPool& thread_pool) {
  const ApartGemms parts(g);
  gemm(parts.whole, workspace, thread_pool);
  run_swapped(parts.rest, plan, workspace, thread_pool);
}

std::string apart_algorithm(const Gemm& g, const GemmPlan& /*plan*/) {
  return gemm_algorithm(ApartGemms(g).whole) + ", last columns transposed";
}

// The way of a plan.
const Way& way_of(const GemmPlan& plan) {
  static constexpr Way kTiles{tiles_floats, run_tiles, tiles_algorithm};
  static constexpr Way kDots{dots_floats, run_dots, dots_algorithm};
  static constexpr Way kSwapped{swapped_floats, run_swapped, swapped_algorithm};
  static constexpr Way kApart{apart_floats, run_apart, apart_algorithm};
  switch (plan.way) {
    case GemmWay::kDots:
      return kDots;
    case GemmWay::kSwapped:
      return kSwapped;
    case GemmWay::kApart:
      return kApart;
    case GemmWay::kTiles:
      break;
  }
  return kTiles;
}

}  // namespace

size_t gemm_workspace_floats(const Gemm& g, int threads) {
  const GemmPlan plan = plan_gemm(g);
  return way_of(plan).floats(g, plan, threads);
}

void gemm(const Gemm& g, std::span<float> workspace, ThreadPool& thread_pool) {
  assert(workspace.size() >= gemm_workspace_floats(g, thread_pool.threads()));
  const GemmPlan plan = plan_gemm(g);
  way_of(plan).run(g, plan, workspace, thread_pool);
}

std::string gemm_algorithm(const Gemm& g) {
  const GemmPlan plan = plan_gemm(g);
  return way_of(plan).algorithm(g, plan);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
