// Winograd tiles in vector lanes. A vector holds as many tiles as it has lanes, in four units of
// neighbours: lane 4 b + k is tile b of unit k. So a unit's four columns are one contiguous load or
// store, and from there to lanes it is a 4x4 transposition within 128-bit blocks. Included once per
// target.
#if defined(NSOP_KERNELS_WINOGRAD_UNITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NSOP_KERNELS_WINOGRAD_UNITS_INL_H_
#undef NSOP_KERNELS_WINOGRAD_UNITS_INL_H_
#else
#define NSOP_KERNELS_WINOGRAD_UNITS_INL_H_
#endif

#include "kernels/conv/winograd/layer.h"
#include "kernels/conv/winograd/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The scalar target has no blocks: each tile is a vector, its columns are loaded one by one.
constexpr size_t kUnits = kLanes >= 4 ? 4 : 1;  // per vector
constexpr size_t kUnitTiles = kLanes / kUnits;  // neighbours
constexpr size_t kUnitFloats = 4 * kUnitTiles;  // of one row

// `tiles` in whole vectors.
constexpr size_t padded_tiles(size_t tiles) { return (tiles + kLanes - 1) / kLanes * kLanes; }

// The lane of a tile, counted from the lane of tile 0.
constexpr size_t lane_of(size_t tile) {
  const size_t in_vector = tile % kLanes;
  return tile - in_vector + in_vector % kUnitTiles * kUnits + in_vector / kUnitTiles;
}

// columns[j] = column j of all tiles, from floats of unit k at unit(k). kColumns <= 4.
template <size_t kColumns, class UnitFloats>
HWY_INLINE void load_columns(UnitFloats&& unit, FloatVec* columns) {
  const FloatTag d;
#if HWY_TARGET == HWY_SCALAR
  for (size_t j = 0; j < kColumns; ++j) columns[j] = hn::LoadU(d, unit(0) + j);
#else
  const hn::Repartition<double, FloatTag> d64;
  const FloatVec u0 = hn::LoadU(d, unit(0)), u1 = hn::LoadU(d, unit(1));
  const FloatVec u2 = hn::LoadU(d, unit(2)), u3 = hn::LoadU(d, unit(3));
  const auto lower01 = hn::BitCast(d64, hn::InterleaveLower(d, u0, u1));
  const auto lower23 = hn::BitCast(d64, hn::InterleaveLower(d, u2, u3));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(d64, lower01, lower23));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(d64, lower01, lower23));
  if constexpr (kColumns > 2) {
    const auto upper01 = hn::BitCast(d64, hn::InterleaveUpper(d, u0, u1));
    const auto upper23 = hn::BitCast(d64, hn::InterleaveUpper(d, u2, u3));
    columns[2] = hn::BitCast(d, hn::InterleaveLower(d64, upper01, upper23));
    columns[3] = hn::BitCast(d, hn::InterleaveUpper(d64, upper01, upper23));
  }
#endif
}

// The reverse: the floats of the four units from four columns.
HWY_INLINE void columns_to_units(const FloatVec* columns, FloatVec* units) {
#if HWY_TARGET == HWY_SCALAR
  for (size_t j = 0; j < 4; ++j) units[j] = columns[j];
#else
  const FloatTag d;
  const hn::Repartition<double, FloatTag> d64;
  const auto lower01 = hn::BitCast(d64, hn::InterleaveLower(d, columns[0], columns[1]));
  const auto lower23 = hn::BitCast(d64, hn::InterleaveLower(d, columns[2], columns[3]));
  const auto upper01 = hn::BitCast(d64, hn::InterleaveUpper(d, columns[0], columns[1]));
  const auto upper23 = hn::BitCast(d64, hn::InterleaveUpper(d, columns[2], columns[3]));
  units[0] = hn::BitCast(d, hn::InterleaveLower(d64, lower01, lower23));
  units[1] = hn::BitCast(d, hn::InterleaveUpper(d64, lower01, lower23));
  units[2] = hn::BitCast(d, hn::InterleaveLower(d64, upper01, upper23));
  units[3] = hn::BitCast(d, hn::InterleaveUpper(d64, upper01, upper23));
#endif
}

// A tile of a chunk in the output: rows and columns of it that exist, none behind the last tile.
inline OutputUnit output_tile(const WinogradLayer& l, Range chunk, size_t tile) {
  const size_t row = chunk.begin + tile / l.tile_columns();
  if (row >= chunk.end) return {0, 0, 0};
  const size_t y = row % l.tile_rows() * l.tile_height();
  const size_t x = tile % l.tile_columns() * 4;
  return {row / l.tile_rows() * l.out_image_floats + y * l.out_width + x,
          HWY_MIN(l.tile_height(), l.out_height - y), HWY_MIN(4, l.out_width - x)};
}

// The units of all vectors of tiles of a chunk.
inline void make_output_units(const WinogradLayer& l, Range chunk, OutputUnit* units) {
  const size_t tiles = chunk.size() * l.tile_columns();
  for (size_t tile = 0; tile < padded_tiles(tiles); tile += kUnitTiles) {
    const OutputUnit first = output_tile(l, chunk, tile);
    const size_t column = tile % l.tile_columns();
    const bool neighbours = column + kUnitTiles <= l.tile_columns() && first.rows > 0;
    units[tile / kUnitTiles] = {first.offset, first.rows,
                                neighbours ? HWY_MIN(kUnitFloats, l.out_width - 4 * column) : 0};
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per target
