// The maxima of adaptive_pool2d.h.
#include <cassert>
#include <cmath>

#include "kernels/pool2d/adaptive_pool2d.h"
#include "kernels/pool2d/window_walk.h"
#include "kernels/runtime/step.h"
#include "kernels/runtime/thresholds.h"
#include "kernels/runtime/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool2d/adaptive_maxpool2d.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/pool2d/maxpool2d-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nsop::kernels::HWY_NAMESPACE {

// The winner of candidates [0, n): as Winner::challenge, one by one.
HWY_INLINE void win_one_by_one(const float* value, const float* at, size_t n, float* y,
                               float* index) {
  float best = value[0];
  float best_at = at[0];
  for (size_t i = 1; i < n; ++i) {
    const bool lower = at[i] < best_at;
    const bool wins_nan = std::isnan(value[i]) && (lower || !std::isnan(best));
    if (value[i] > best || (lower && value[i] == best) || wins_nan) {
      best = value[i];
      best_at = at[i];
    }
  }
  *y = best;
  *index = best_at;
}

// The same, vectors of candidates first where there are several.
HWY_INLINE void win_window(const float* value, const float* at, size_t n, float* y, float* index) {
  if (n < 2 * kLanes) return win_one_by_one(value, at, n, y, index);
  const FloatTag d;
  Winner<FloatVec> best{hn::LoadU(d, value), hn::LoadU(d, at)};
  for (size_t i = kLanes; i < n; i += kLanes) {
    const size_t from = HWY_MIN(i, n - kLanes);  // the last may meet some again
    best.challenge(d, hn::LoadU(d, value + from), hn::LoadU(d, at + from));
  }
  HWY_ALIGN float values[kLanes];
  HWY_ALIGN float places[kLanes];
  hn::Store(best.value, d, values);
  hn::Store(best.at, d, places);
  win_one_by_one(values, places, kLanes, y, index);
}

// Planes [begin, end) of y and index; workspace: two rows. 4 bytes and 1 flop per element of x.
void max_planes(const AdaptivePool2dShape& s, const float* x, float* y, float* index,
                float* workspace, size_t begin, size_t end) {
  float* value = workspace;
  float* at = workspace + s.row_floats();
  for (size_t plane = begin; plane < end; ++plane) {
    WindowWalk down(s.height, s.out_height);
    for (size_t oy = 0; oy < s.out_height; ++oy) {
      max_down_columns(x + plane * s.height * s.width, s.width, down.next(), value, at);
      const size_t to = (plane * s.out_height + oy) * s.out_width;
      WindowWalk along(s.width, s.out_width);
      for (size_t ox = 0; ox < s.out_width; ++ox) {
        const Range columns = along.next();
        win_window(value + columns.begin, at + columns.begin, columns.size(), y + to + ox,
                   index + to + ox);
      }
    }
  }
}

}  // namespace nsop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nsop::kernels {
namespace {

HWY_EXPORT(max_planes);
HWY_EXPORT(scatter_planes);

}  // namespace

size_t adaptive_maxpool2d_workspace_floats(const AdaptivePool2dShape& shape, int threads) {
  return 2 * shape.row_floats() * static_cast<size_t>(threads);
}

void adaptive_maxpool2d_forward(const AdaptivePool2dShape& shape, std::span<const float> x,
                                std::span<float> y, std::span<float> index,
                                std::span<float> workspace, ThreadPool& thread_pool) {
  assert(x.size() == shape.x_size() && y.size() == shape.y_size() && index.size() == y.size());
  assert(workspace.size() >= adaptive_maxpool2d_workspace_floats(shape, thread_pool.threads()));
  const auto planes = HWY_DYNAMIC_DISPATCH(max_planes);
  parallel_units(thread_pool, shape.planes, shape.plane_work(), kAdaptivePooledElements,
                 [&](size_t begin, size_t end, size_t part) {
                   float* own = workspace.data() + part * 2 * shape.row_floats();
                   planes(shape, x.data(), y.data(), index.data(), own, begin, end);
                 });
}

void adaptive_maxpool2d_backward(const AdaptivePool2dShape& shape, std::span<const float> index,
                                 std::span<const float> dy, std::span<float> dx,
                                 ThreadPool& thread_pool) {
  assert(dx.size() == shape.x_size() && dy.size() == shape.y_size() && index.size() == dy.size());
  const auto planes = HWY_DYNAMIC_DISPATCH(scatter_planes);
  const size_t pixels = shape.height * shape.width;
  const size_t windows = shape.out_height * shape.out_width;
  parallel_units(thread_pool, shape.planes, shape.plane_work(), kAdaptiveGradientElements,
                 [&](size_t begin, size_t end, size_t) {
                   planes(pixels, windows, index.data(), dy.data(), dx.data(), begin, end);
                 });
}

namespace {

std::unique_ptr<Step> prepare_adaptive_max(const StepRequest& request) {
  const AdaptivePool2dShape s = adaptive_pool2d_shape(request.op_case);
  if (request.op_case.str("pass") == "forward") {
    const size_t floats = adaptive_maxpool2d_workspace_floats(s, request.threads);
    return make_step(request, floats, "columns in lanes, then windows", [s](StepBuffers& b) {
      adaptive_maxpool2d_forward(s, b.in[0], b.out[0], b.out[1], b.workspace.data(),
                                 *b.thread_pool);
    });
  }
  return make_step(request, 0, "dy added at the indices", [s](StepBuffers& b) {
    adaptive_maxpool2d_backward(s, b.in[1], b.in[2], b.out[0], *b.thread_pool);
  });
}

const VariantRow row{hwy_variant("adaptive_maxpool2d",
                                 "windows down the columns first, split over planes",
                                 prepare_adaptive_max)};

}  // namespace
}  // namespace nsop::kernels
#endif  // HWY_ONCE
