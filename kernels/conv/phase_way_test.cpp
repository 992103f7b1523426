// The ways of computing a phase: each sorts the weights into the order that it reads.
#include "kernels/conv/ways/phase_way.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

ConvShape strided_shape(size_t channels, size_t outs, size_t groups, size_t kernel) {
  ConvShape s = conv2d_shape(1, channels, 9, 40, outs, kernel);
  s.groups = groups;
  for (const size_t axis : {1, 2}) {
    s.axes[axis].stride = 2;
    s.axes[axis].pad = kernel / 2;
  }
  return s;
}

// Filters [filters][taps][channels] from [filters][channels][taps].
std::vector<float> transposed_filters(const ConvShape& s, std::span<const float> filters) {
  std::vector<float> to(filters.size());
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t channel = i % s.patch() / s.taps();
    to[i / s.patch() * s.patch() + i % s.taps() * s.group_in() + channel] = filters[i];
  }
  return to;
}

std::vector<float> phase_result(const PhaseWay& way, const ConvShape& s, const Phase& phase,
                                std::span<const float> w, std::span<const float> dy) {
  GuardedFloats weights(s.in_channels * s.group_out() * phase.taps());
  for (size_t o = 0, end = 0; o < s.out_channels; o = end) {
    end = std::min(o + FilterBlock::kMost, (o / s.group_out() + 1) * s.group_out());
    const auto filters = w.subspan(o * s.patch(), (end - o) * s.patch());
    const std::vector<float> by_taps = transposed_filters(s, filters);
    way.sort(s, phase, {{o, end}, filters.data(), way.transposed ? by_taps.data() : nullptr},
             weights.span().data());
  }
  GuardedFloats to(s.in_channels * phase.pixels());
  GuardedFloats workspace(way.floats(s, phase, 1));
  way.run(s, phase, {dy, weights.span().data(), to.span()}, workspace.span(), serial_threads());
  EXPECT_TRUE(weights.intact() && to.intact() && workspace.intact());
  return {to.span().begin(), to.span().end()};
}

class PhaseWayOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, PhaseWayOnTarget, testing::ValuesIn(targets()),
                         target_param_name);

const std::vector<ConvShape>& strided_shapes() {
  static const std::vector<ConvShape> all = {strided_shape(3, 5, 1, 3), strided_shape(8, 20, 1, 3),
                                             strided_shape(6, 4, 2, 5), strided_shape(4, 4, 4, 3),
                                             strided_shape(2, 3, 1, 1)};
  return all;
}

TEST_P(PhaseWayOnTarget, LinesAndProductsAreTheSameGradient) {
  const PhaseWay& by_products = phase_ways().back();
  for (const ConvShape& s : strided_shapes()) {
    const std::vector<float> w = random_floats(s.w_floats(), 1);
    const std::vector<float> dy = random_floats(s.y_floats(), 2);
    for_each_phase(s, [&](const Phase& phase) {
      if (phase.taps() == 0) return;
      EXPECT_THAT(by_products.describe(s, phase),
                  testing::Not(testing::ContainsRegex("lines|planes")));
      const std::vector<float> products = phase_result(by_products, s, phase, w, dy);
      for (const PhaseWay& way : phase_ways().first(phase_ways().size() - 1)) {
        // Padded lines do any layer, whether or not they pay.
        if (way.name.value != std::string("lines") && !way.pays(phase.layer(s))) continue;
        EXPECT_THAT(way.describe(s, phase), testing::ContainsRegex("lines|planes"));
        const std::vector<float> lines = phase_result(way, s, phase, w, dy);
        ASSERT_EQ(lines.size(), products.size());
        for (size_t i = 0; i < lines.size(); ++i) ASSERT_NEAR(lines[i], products[i], 1e-4) << i;
      }
    });
  }
}

TEST_P(PhaseWayOnTarget, EachIsChosenForAPhaseAndStaysTheChoiceOfParts) {
  std::set<const PhaseWay*> chosen;
  for (const ConvShape& s : strided_shapes()) {
    for_each_phase(s, [&](const Phase& phase) {
      chosen.insert(phase.way);
      for (const int threads : {1, 2, 3}) {
        const size_t parts = group_parts(s, threads);
        for (size_t i = 0; i < parts; ++i) {
          const ConvShape part = some_groups(s, split_range(s.groups, 1, parts, i).size());
          EXPECT_EQ(&phase_way(phase.layer(part)), phase.way) << phase.way->name.value;
        }
      }
    });
  }
  for (const PhaseWay& way : phase_ways()) {
    EXPECT_TRUE(chosen.contains(&way)) << way.name.value << " is chosen for no phase of the test";
  }
}

}  // namespace
}  // namespace nsop::kernels
