// The maxima of pool3d.h.
#include <cassert>

#include "kernels/pool2d/pool3d.h"
#include "kernels/runtime/thresholds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool2d/maxpool3d.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/pool2d/maxpool2d-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// `values` are the winners within the slices of volumes and `places` where they lie in their
// slices, both [volumes, depth, windows]. Writes the winners of windows of slices and their places
// in the volume to rows [begin, end) of y and index, counted through all volumes. The place in the
// volume is the place in slice z + z * pixels. 8 bytes read per winner of a slice, 8 written per
// window.
void max_of_slices(const Pool3dShape& s, const float* values, const float* places, float* y,
                   float* index, size_t begin, size_t end) {
  const FloatTag d;
  const Pool2dShape depth = s.along_depth();
  const size_t windows = depth.width;
  const auto pixels = static_cast<float>(s.height * s.width);
  y += begin * windows;
  index += begin * windows;
  for_each_row(begin, end, depth.out_height(), [&](size_t volume, size_t row) {
    const Range slices = rows_of_window(depth, row);
    for (size_t i = 0; i < windows; i += kLanes) {
      const size_t left = HWY_MIN(kLanes, windows - i);
      const auto load = [&](const float* from, size_t slice) {
        from += (volume * s.depth + slice) * windows + i;
        return left == kLanes ? hn::LoadU(d, from) : load_n(d, from, left);
      };
      const auto place = [&](size_t slice) {
        return hn::Add(load(places, slice), hn::Set(d, static_cast<float>(slice) * pixels));
      };
      Winner<FloatVec> best{load(values, slices.begin), place(slices.begin)};
      for (size_t slice = slices.begin + 1; slice < slices.end; ++slice) {
        best.challenge_later(d, load(values, slice), place(slice));
      }
      store_n(best.value, d, y + i, left);
      store_n(best.at, d, index + i, left);
    }
    y += windows;
    index += windows;
  });
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(max_of_slices);

}  // namespace

void maxpool3d_forward(const Pool3dPlan& plan, std::span<const float> x, std::span<float> y,
                       std::span<float> index, std::span<float> workspace,
                       ThreadPool& thread_pool) {
  const Pool3dShape& shape = plan.shape;
  assert(y.size() == shape.y_size() && index.size() == y.size());
  assert(workspace.size() >= pool3d_workspace_floats(plan, thread_pool.threads()));
  const SliceResults slices(shape, workspace);
  // Slices first: of equal values the one in the first slice is the first of the volume.
  maxpool2d_forward(plan.slices, x, slices.values, slices.index, slices.rest, thread_pool);
  const auto kernel = HWY_DYNAMIC_DISPATCH(max_of_slices);
  const Pool2dShape& depth = plan.depth.shape();
  parallel_rows(thread_pool, shape.volumes * depth.out_height(), depth.down.kernel * depth.width,
                kPooledElements, slices.rest, [&](size_t begin, size_t end, float* /*own*/) {
                  kernel(shape, slices.values.data(), slices.index.data(), y.data(), index.data(),
                         begin, end);
                });
}

}  // namespace nsop::kernels
#endif  // HWY_ONCE
