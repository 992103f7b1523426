#include "kernels/conv/ways/weights_tiles.h"

#include <array>
#include <utility>

#include "kernels/gemm/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/ways/weights_tiles.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm/tile-inl.h"
#include "kernels/runtime/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

template <size_t kRows, size_t kVectors>
void add_block_tile(const BlockProducts& p, size_t row, size_t column) {
  TileTarget target;
  target.columns = kVectors * kLanes;
  Tile<kRows, kVectors, false> tile(target);
  const float* dy = p.dy + row * p.dy_row;
  const float* x = p.x + column;
  for (size_t i = 0; i < p.block.lines; ++i) {
    tile.template multiply<true>(p.block.width, dy + p.block.a[i], p.dy_row, x + p.block.b[i],
                                 p.x_pixel);
  }
  float* sums = p.sums + row * p.sums_row + column;
  tile.add_rows(sums, p.sums_row);
  tile.store(sums, p.sums_row);
}

using AddBlockTile = void (*)(const BlockProducts& p, size_t row, size_t column);

template <size_t kVectors, size_t... kRow>
constexpr std::array<AddBlockTile, kMostTileRows> block_tiles(std::index_sequence<kRow...>) {
  return {{add_block_tile<kRow + 1, kVectors>...}};
}

template <size_t... kVector>
constexpr std::array<std::array<AddBlockTile, kMostTileRows>, kTileVectors> all_block_tiles(
    std::index_sequence<kVector...>) {
  return {{block_tiles<kVector + 1>(std::make_index_sequence<tile_rows(kVector + 1)>())...}};
}

// Rows [0, rows) of sums, all columns. The columns of x that a tile reads stay in L1 while the rows
// of dy pass.
void add_block(const BlockProducts& p, size_t rows) {
  static constexpr auto kTiles = all_block_tiles(std::make_index_sequence<kTileVectors>());
  const EvenParts parts(p.columns / kLanes, kTileVectors);
  size_t column = 0;
  for (uint32_t part = 0; part < parts.count; ++part) {
    const size_t vectors = parts[part];
    const EvenParts tiles(rows, tile_rows(vectors));
    size_t row = 0;
    for (uint32_t tile = 0; tile < tiles.count; ++tile) {
      kTiles[vectors - 1][tiles[tile] - 1](p, row, column);
      row += tiles[tile];
    }
    column += vectors * kLanes;
  }
}

void transpose_line(const float* src, size_t ld, size_t rows, size_t columns, float* dst) {
  transpose(src, ld, rows, columns, dst, rows);
}

void transpose_taps(const float* src, size_t taps, size_t channels, float* dst, size_t dst_row) {
  transpose(src, channels, taps, channels, dst, dst_row);
}

// Whole vectors of any target.
void add_sums(const float* more, size_t count, float* sums) {
  const FloatTag d;
  for (size_t i = 0; i < count; i += kLanes) {
    hn::Store(hn::Add(hn::Load(d, sums + i), hn::Load(d, more + i)), d, sums + i);
  }
}

WeightsTile weights_tile() { return {kTileRows, kTileColumns}; }

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {

HWY_EXPORT(add_block);
HWY_EXPORT(transpose_line);
HWY_EXPORT(transpose_taps);
HWY_EXPORT(add_sums);
HWY_EXPORT(weights_tile);

void add_block(const BlockProducts& products, size_t rows) {
  HWY_DYNAMIC_DISPATCH(add_block)(products, rows);
}

void transpose_line(const float* src, size_t ld, size_t rows, size_t columns, float* dst) {
  HWY_DYNAMIC_DISPATCH(transpose_line)(src, ld, rows, columns, dst);
}

void transpose_taps(const float* src, size_t taps, size_t channels, float* dst, size_t dst_row) {
  HWY_DYNAMIC_DISPATCH(transpose_taps)(src, taps, channels, dst, dst_row);
}

void add_sums(const float* more, size_t count, float* sums) {
  HWY_DYNAMIC_DISPATCH(add_sums)(more, count, sums);
}

WeightsTile weights_tile() { return HWY_DYNAMIC_DISPATCH(weights_tile)(); }

}  // namespace nsop::kernels
#endif  // HWY_ONCE
