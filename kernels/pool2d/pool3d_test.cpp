// The max pool of volumes where the generic check doesn't look: ties, special values, guarded
// buffers.
#include "kernels/pool2d/pool3d.h"

#include <cmath>
#include <limits>

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

// Of one window of a volume: the place of the first of its largest values, or of its first NaN.
size_t winner(const Pool3dShape& s, const float* volume, size_t oz, size_t oy, size_t ox) {
  const PoolAxis& a = s.axis;
  size_t best = s.depth * s.height * s.width;
  for (size_t k = 0; k < a.kernel * a.kernel * a.kernel; ++k) {
    const size_t z = oz * a.stride + k / (a.kernel * a.kernel) - a.pad;  // wraps above
    const size_t y = oy * a.stride + k / a.kernel % a.kernel - a.pad;
    const size_t x = ox * a.stride + k % a.kernel - a.pad;
    if (z >= s.depth || y >= s.height || x >= s.width) continue;
    const size_t at = (z * s.height + y) * s.width + x;
    const bool first = best == s.depth * s.height * s.width;
    if (first || volume[at] > volume[best] ||
        (std::isnan(volume[at]) && !std::isnan(volume[best]))) {
      best = at;
    }
  }
  return best;
}

class MaxPool3dOnTarget : public EveryTarget {
 protected:
  static void check(const Pool3dShape& s, const std::vector<float>& x, int threads) {
    GuardedFloats y(s.y_size(), 1);
    GuardedFloats index(s.y_size(), 1);
    GuardedFloats workspace(pool3d_workspace_floats(s, threads));
    maxpool3d_forward(s, x, y.span(), index.span(), workspace.span(), shared_threads(threads));
    EXPECT_TRUE(y.intact() && index.intact() && workspace.intact());
    const Pool2dShape slices = s.slices();
    size_t i = 0;
    for (size_t volume = 0; volume < s.volumes; ++volume) {
      const float* const from = x.data() + volume * s.depth * s.height * s.width;
      for (size_t z = 0; z < s.along_depth().out_height(); ++z) {
        for (size_t w = 0; w < slices.out_height() * slices.out_width(); ++w, ++i) {
          const size_t want = winner(s, from, z, w / slices.out_width(), w % slices.out_width());
          EXPECT_EQ(index.span()[i], static_cast<float>(want)) << i;
          const float value = y.span()[i];
          EXPECT_TRUE(value == from[want] || (std::isnan(value) && std::isnan(from[want]))) << i;
        }
      }
    }
    EXPECT_EQ(i, s.y_size());
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, MaxPool3dOnTarget, testing::ValuesIn(targets()),
                         target_param_name);

TEST_P(MaxPool3dOnTarget, TiesNanAndInfinities) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const EagerThreadPools eager;
  const Pool3dShape shapes[] = {{2, 4, 8, 8, {2, 2, 0}},
                                {1, 5, 7, 6, {3, 2, 1}},
                                {3, 3, 4, 35, {2, 1, 1}},
                                {1, 6, 32, 32, {2, 2, 0}}};
  for (const Pool3dShape& s : shapes) {
    std::vector<float> x(s.x_size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 3);  // ties everywhere
    for (const int threads : {1, 2}) check(s, x, threads);
    for (size_t i = 0; i < x.size(); i += 11) x[i] = kNan;
    for (size_t i = 5; i < x.size(); i += 13) x[i] = i % 2 == 0 ? kInfinity : -kInfinity;
    for (const int threads : {1, 2}) check(s, x, threads);
  }
}

}  // namespace
}  // namespace nsop::kernels
