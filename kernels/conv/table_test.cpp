// The order of the ways, and what each of them promises by itself.
#include "kernels/conv/table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kernels/conv/plan.h"
#include "kernels/conv/ways/bias.h"
#include "kernels/conv/ways/lines_tiles.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

constexpr ConvPass kPasses[] = {ConvPass::kForward, ConvPass::kData, ConvPass::kWeights};
constexpr ConvChoice kChoices[] = {ConvChoice::kRule, ConvChoice::kDirect, ConvChoice::kWinograd,
                                   ConvChoice::kIm2col};

using Names = std::vector<std::string>;

Names names_of(ConvChoice choice, ConvPass pass) {
  Names names;
  for (const ConvWay* way : conv_ways(choice, pass)) names.emplace_back(way->name);
  return names;
}

// Those that pay for a shape, in the order of the table.
Names paying(ConvPass pass, const ConvShape& s) {
  Names names;
  for (const ConvWay* way : conv_ways(ConvChoice::kRule, pass)) {
    if (way->pays(s)) names.emplace_back(way->name);
  }
  return names;
}

// Shapes whose lines are whole vectors of every target.

ConvShape wide(size_t batch, size_t channels, size_t out, size_t kernel = 3) {
  ConvShape s = conv2d_shape(batch, channels, 16, 64, out, kernel);
  s.axes[1].pad = s.axes[2].pad = kernel / 2;
  return s;
}

ConvShape with_groups(ConvShape s, size_t groups) {
  s.groups = groups;
  return s;
}

ConvShape with_stride(ConvShape s) {
  s.axes[1].stride = s.axes[2].stride = 2;
  return s;
}

ConvShape with_dilation(ConvShape s) {
  s.axes[1].dilation = s.axes[2].dilation = s.axes[1].pad = s.axes[2].pad = 2;
  return s;
}

ConvShape with_mean(ConvShape s) {
  s.mean = true;
  return s;
}

struct WaysOfShape {
  std::string what;
  ConvShape shape;
  Names forward, data, weights;  // that pay, the one that is chosen first

  const Names& of(ConvPass pass) const {
    if (pass == ConvPass::kForward) return forward;
    return pass == ConvPass::kData ? data : weights;
  }
};

const std::vector<WaysOfShape>& shapes() {
  static const std::vector<WaysOfShape> all = {
      {"many channels",
       wide(1, 16, 16),
       {"winograd", "lines", "gemm"},
       {"winograd", "lines", "patches", "columns"},
       {"winograd", "channels last", "pixels", "gemm"}},
      {"dilated",
       with_dilation(wide(1, 32, 16)),
       {"dilated winograd", "lines", "gemm"},
       {"dilated winograd", "lines", "patches", "columns"},
       {"dilated winograd", "channels last", "pixels", "gemm"}},
      {"a channel per group",
       with_groups(wide(2, 4, 4), 4),
       {"planes", "lines", "gemm"},
       {"planes", "lines", "patches", "columns"},
       {"planes", "pixels", "gemm"}},
      {"a channel per group and many taps",
       with_groups(wide(2, 4, 4, 13), 4),
       {"planes", "lines", "gemm"},
       {"planes", "lines", "patches", "columns"},
       {"channels last", "planes", "pixels", "gemm"}},
      {"a first layer",
       wide(1, 1, 8),
       {"lines", "gemm"},
       {"few channels", "lines", "columns"},
       {"pixels", "gemm"}},
      {"more outputs than the patches of dy are worth",
       wide(1, 3, 16),
       {"lines", "gemm"},
       {"lines", "columns"},
       {"pixels", "gemm"}},
      {"strided",
       with_stride(wide(2, 12, 12)),
       {"lines", "gemm"},
       {"phases", "columns"},
       {"channels last", "pixels", "gemm"}},
      {"averaged", with_mean(wide(2, 4, 6)), {"lines", "gemm"}, {"mean"}, {"mean"}},
      {"one tap", wide(2, 6, 20, 1), {"gemm"}, {"patches", "columns"}, {"gemm"}},
  };
  return all;
}

TEST(ConvTable, WaysBelongToTheirPassAndHaveNamesOfTheirOwn) {
  for (const ConvChoice choice : kChoices) {
    for (const ConvPass pass : kPasses) {
      const Names names = names_of(choice, pass);
      ASSERT_FALSE(names.empty());
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
      for (const ConvWay* way : conv_ways(choice, pass))
        EXPECT_EQ(way->pass.value, pass) << way->name.value;
    }
  }
}

TEST(ConvTable, DirectIsTheRuleWithoutWinograd) {
  for (const ConvPass pass : kPasses) {
    Names names = names_of(ConvChoice::kRule, pass);
    std::erase_if(names, [](const std::string& name) { return name.ends_with("winograd"); });
    EXPECT_EQ(names_of(ConvChoice::kDirect, pass), names);
    EXPECT_EQ(names_of(ConvChoice::kWinograd, pass), Names{"winograd"});
    EXPECT_EQ(names_of(ConvChoice::kIm2col, pass), Names{"im2col"});
  }
}

class ConvTableOnTarget : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, ConvTableOnTarget, testing::ValuesIn(targets()),
                         target_param_name);

TEST_P(ConvTableOnTarget, TheFirstThatPaysIsChosen) {
  for (const WaysOfShape& one : shapes()) {
    const ConvPlan plan(one.shape, ConvChoice::kRule);
    const ConvPlan direct(one.shape, ConvChoice::kDirect);
    for (const ConvPass pass : kPasses) {
      const Names& expected = one.of(pass);
      EXPECT_EQ(paying(pass, one.shape), expected) << one.what;
      EXPECT_EQ(plan.way(pass).name.value, expected[0]) << one.what;
      const bool winograd = expected[0].ends_with("winograd");
      EXPECT_EQ(direct.way(pass).name.value, expected[winograd ? 1 : 0]) << one.what;
      EXPECT_EQ(plan.algorithm(pass), plan.way(pass).describe(one.shape));
    }
  }
}

TEST_P(ConvTableOnTarget, LinesThatFillNoVectorsGoToProducts) {
  if (line_target().lanes < 8) GTEST_SKIP() << "three floats fill a vector";
  const ConvShape s = conv2d_shape(2, 3, 9, 5, 16, 3);
  EXPECT_EQ(paying(ConvPass::kForward, s), Names{"gemm"});
  EXPECT_EQ(paying(ConvPass::kData, s), Names{"columns"});
  EXPECT_EQ(paying(ConvPass::kWeights, s), Names{"gemm"});
  EXPECT_EQ(paying(ConvPass::kData, with_stride(s)), Names{"columns"});
}

TEST_P(ConvTableOnTarget, WinogradIsTakenWhetherOrNotItPays) {
  const ConvShape s = wide(1, 15, 15);
  for (const ConvPass pass : kPasses) {
    EXPECT_THAT(paying(pass, s), testing::Not(testing::Contains("winograd")));
    EXPECT_STREQ(conv_way(ConvChoice::kWinograd, pass, s).name, "winograd");
  }
}

// The tensors of all passes of a shape.
struct WayTensors {
  std::vector<float> x, w, bias, dy;

  explicit WayTensors(const ConvShape& s)
      : x(random_floats(s.x_floats(), 1)),
        w(random_floats(s.w_floats(), 2)),
        bias(random_floats(s.out_channels, 3)),
        dy(random_floats(s.y_floats(), 4)) {}

  // The result of a way, given the workspace that it asks for and not a float more.
  std::vector<float> result(const ConvWay& way, const ConvShape& s, int threads) const {
    GuardedFloats workspace(way.floats(s, threads));
    GuardedFloats dbias(way.with_bias ? s.out_channels : 0);
    const bool forward = way.pass == ConvPass::kForward;
    const bool data = way.pass == ConvPass::kData;
    GuardedFloats out(forward ? dy.size() : data ? x.size() : w.size());
    ConvTensors t{.x = x, .w = w, .dy = dy, .bias = bias, .dbias = dbias.span()};
    (forward ? t.y : data ? t.dx : t.dw) = out.span();
    way.run(s, t, workspace.span(), shared_threads(threads));
    EXPECT_TRUE(workspace.intact()) << "workspace exceeded";
    EXPECT_TRUE(out.intact() && dbias.intact());
    if (way.with_bias) expect_bias(s, dbias.span());
    return {out.span().begin(), out.span().end()};
  }

  void expect_bias(const ConvShape& s, std::span<const float> got) const {
    std::vector<float> sums(s.out_channels);
    conv_backward_bias(s, dy, sums, serial_threads());
    for (size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(got[i], sums[i], 1e-3);
  }
};

void expect_same(const std::vector<float>& got, const std::vector<float>& wanted) {
  float largest = 1;
  for (const float value : wanted) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_LE(std::abs(got[i] - wanted[i]), 1e-5f * largest) << i;  // no NaN either
  }
}

TEST_P(ConvTableOnTarget, EveryWayThatPaysNeedsNoMoreWorkspaceThanItSays) {
  const EagerThreadPools eager;  // small as they are, they shall fork
  for (const WaysOfShape& one : shapes()) {
    const WayTensors tensors(one.shape);
    for (const ConvPass pass : kPasses) {
      const ConvWay& textbook = conv_way(ConvChoice::kIm2col, pass, one.shape);
      const std::vector<float> wanted = tensors.result(textbook, one.shape, 1);
      for (const ConvWay* way : conv_ways(ConvChoice::kRule, pass)) {
        if (!way->pays(one.shape)) continue;
        for (const int threads : {1, 2, 3}) {
          SCOPED_TRACE(fmt::format("{}: {} on {} threads", one.what, way->name.value, threads));
          expect_same(tensors.result(*way, one.shape, threads), wanted);
        }
      }
    }
  }
}

}  // namespace
}  // namespace nsop::kernels
