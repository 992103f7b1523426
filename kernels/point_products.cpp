#include "kernels/point_products.h"

#include "kernels/gemm_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/point_products.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

void multiply_point(const PointProducts& p, const float* a, const float* b, float* c) {
  const size_t vectors = p.n / kLanes;
  const size_t blocks = (vectors + kTileVectors - 1) / kTileVectors;
  const size_t tiles = (p.m + kTileRows - 1) / kTileRows;
  const size_t most = even_depth(p.k, kPackedDepth, 1);
  TileTarget target;
  target.ldc = p.ldc;
  for (size_t k0 = 0, depth = 0; k0 < p.k; k0 += depth) {
    depth = HWY_MIN(most, p.k - k0);
    target.accumulate = p.accumulate || k0 > 0;
    for (size_t block = 0; block < blocks; ++block) {
      const Range columns = split_range(vectors, 1, blocks, block);
      target.columns = columns.size() * kLanes;
      const float* panel = b + k0 * p.ldb + columns.begin * kLanes;
      for (size_t tile = 0; tile < tiles; ++tile) {
        const Range rows = split_range(p.m, 1, tiles, tile);
        const float* from = p.a_by_rows ? a + rows.begin * p.lda + k0 : a + k0 * p.lda + rows.begin;
        target.c = c + rows.begin * p.ldc + columns.begin * kLanes;
        tile_function(rows.size(), columns.size(), p.a_by_rows)(depth, from, p.lda, panel, p.ldb,
                                                                target);
      }
    }
  }
}

void multiply_all_points(const PointProducts& p) {
  for (size_t point = 0; point < p.points; ++point) {
    multiply_point(p, p.a + point * p.a_plane, p.b + point * p.b_plane, p.c + point * p.c_plane);
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {

HWY_EXPORT(multiply_all_points);

void multiply_points(const PointProducts& products) {
  HWY_DYNAMIC_DISPATCH(multiply_all_points)(products);
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
