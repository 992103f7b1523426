// The adaptive max pool where the generic check doesn't look: ties, special values, guarded
// buffers.
#include <algorithm>

#include "kernels/pool2d/adaptive_pool2d.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

// Of a window of the plane: where the first of its largest values is, or its first NaN.
size_t first_largest(const AdaptivePool2dShape& s, const float* plane, size_t oy, size_t ox) {
  const auto past = [](size_t i, size_t n, size_t o) { return ((i + 1) * n + o - 1) / o; };
  size_t best = s.height * s.width;
  for (size_t y = oy * s.height / s.out_height; y < past(oy, s.height, s.out_height); ++y) {
    for (size_t x = ox * s.width / s.out_width; x < past(ox, s.width, s.out_width); ++x) {
      const size_t at = y * s.width + x;
      const bool first = best == s.height * s.width;
      if (!first && std::isnan(plane[best])) continue;
      if (first || plane[at] > plane[best] || std::isnan(plane[at])) best = at;
    }
  }
  return best;
}

class AdaptiveMaxPool2dOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, AdaptiveMaxPool2dOnTarget, testing::ValuesIn(targets()),
                         target_param_name);

const AdaptivePool2dShape kAdaptiveShapes[] = {
    {3, 3, 40, 1, 1}, {2, 3, 40, 1, 2}, {1, 9, 35, 4, 3}, {2, 2, 3, 5, 7}, {5, 7, 150, 2, 2},
};

TEST_P(AdaptiveMaxPool2dOnTarget, TiesNanAndInfinities) {
  const std::vector<float> few = {0, -0.0f, kNan, -kInf, kInf, 2, 2};
  for (const AdaptivePool2dShape& s : kAdaptiveShapes) {
    for (const size_t kinds : {1, 2, 3, 7}) {
      std::vector<float> x = random_floats(s.x_size(), kinds);
      for (float& v : x) {
        const auto pick = static_cast<size_t>(static_cast<float>(kinds) * (v + 1) / 2);
        v = few[std::min(pick, kinds - 1)];
      }
      GuardedFloats y(s.y_size(), 1);
      GuardedFloats index(s.y_size(), 1);
      GuardedFloats workspace(adaptive_maxpool2d_workspace_floats(s, 2));
      adaptive_maxpool2d_forward(s, x, y.span(), index.span(), workspace.span(), shared_threads(2));
      ASSERT_TRUE(y.intact() && index.intact() && workspace.intact());
      for (size_t i = 0; i < s.y_size(); ++i) {
        const size_t plane = i / (s.out_height * s.out_width);
        const float* from = x.data() + plane * s.height * s.width;
        const size_t at = first_largest(s, from, i / s.out_width % s.out_height, i % s.out_width);
        EXPECT_EQ(index.span()[i], static_cast<float>(at)) << i;
        EXPECT_TRUE(y.span()[i] == from[at] || std::isnan(from[at])) << i;
        EXPECT_EQ(std::isnan(y.span()[i]), std::isnan(from[at])) << i;
      }
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
