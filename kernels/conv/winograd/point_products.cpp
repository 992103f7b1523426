#include "kernels/conv/winograd/point_products.h"

#include "kernels/gemm/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/winograd/point_products.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/gemm/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

void multiply_point(const PointProducts& p, const float* a, const float* b, float* c) {
  const EvenParts blocks(p.n / kLanes, kTileVectors);
  const size_t most = even_depth(p.k, kPackedDepth, 1);
  TileTarget target;
  target.ldc = p.ldc;
  for (size_t k0 = 0, depth = 0; k0 < p.k; k0 += depth) {
    depth = HWY_MIN(most, p.k - k0);
    target.accumulate = p.accumulate || k0 > 0;
    const PanelRows rows{p.m, a + k0 * (p.a_by_rows ? 1 : p.lda), p.lda, p.a_by_rows, false};
    const float* panel = b + k0 * p.ldb;
    target.c = c;
    for (uint32_t block = 0; block < blocks.count; ++block) {
      target.columns = blocks[block] * kLanes;
      multiply_panel(rows, depth, panel, p.ldb, blocks[block], false, target);
      panel += target.columns;
      target.c += target.columns;
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
