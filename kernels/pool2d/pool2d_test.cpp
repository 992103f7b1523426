// The pools where the generic check doesn't look: special values, ties, guarded buffers.
#include "kernels/pool2d/pool2d.h"

#include <set>

#include "harness/core/registry.h"
#include "kernels/pool2d/way.h"
#include "kernels/testing/kernel_support.h"

namespace nsop::kernels {
namespace {

struct Pooled {
  std::vector<float> y;
  std::vector<float> index;
};

// The textbook loop.
Pooled expected_max(const Pool2dShape& s, const std::vector<float>& x) {
  Pooled p;
  for (size_t plane = 0; plane < s.planes; ++plane) {
    for (size_t oy = 0; oy < s.out_height(); ++oy) {
      for (size_t ox = 0; ox < s.out_width(); ++ox) {
        float best = 0;
        float at = -1;
        for (size_t k = 0; k < s.down.kernel * s.across.kernel; ++k) {
          const size_t iy = oy * s.down.stride + k / s.across.kernel - s.down.pad;  // wraps above
          const size_t ix = ox * s.across.stride + k % s.across.kernel - s.across.pad;
          if (iy >= s.height || ix >= s.width) continue;
          const float v = x[(plane * s.height + iy) * s.width + ix];
          if (at < 0 || v > best || (std::isnan(v) && !std::isnan(best))) {
            best = v;
            at = static_cast<float>(iy * s.width + ix);
          }
        }
        p.y.push_back(best);
        p.index.push_back(at);
      }
    }
  }
  return p;
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class Pool2dOnTarget : public EveryTarget {
 protected:
  static void check_max(const Pool2dShape& s, const std::vector<float>& x, int threads) {
    const Pooled want = expected_max(s, x);
    GuardedFloats y(want.y.size(), 1);
    GuardedFloats index(want.y.size(), 1);
    GuardedFloats workspace(pool2d_workspace_floats(s, threads));
    maxpool2d_forward(s, x, y.span(), index.span(), workspace.span(), shared_threads(threads));
    EXPECT_TRUE(y.intact() && index.intact() && workspace.intact());
    for (size_t i = 0; i < want.y.size(); ++i) {
      EXPECT_TRUE(same(y.span()[i], want.y[i])) << i << ": " << y.span()[i];
      EXPECT_EQ(index.span()[i], want.index[i]) << i;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Pool2dOnTarget, testing::ValuesIn(targets()), target_param_name);

constexpr Pool2dShape square(size_t planes, size_t height, size_t width, const PoolAxis& axis) {
  return {planes, height, width, axis, axis};
}

const Pool2dShape kShapes[] = {
    square(1, 6, 6, {2, 2, 0}),
    square(3, 9, 35, {2, 2, 0}),
    square(2, 7, 40, {3, 2, 1}),
    square(2, 8, 21, {3, 1, 1}),
    square(1, 9, 9, {4, 3, 2}),
    square(1, 12, 37, {5, 5, 0}),
    square(1, 5, 50, {3, 1, 2}),
    square(64, 16, 16, {2, 2, 0}),
    // lines, columns, and windows wider than high
    {3, 1, 50, {1, 1, 0}, {2, 2, 0}},
    {2, 1, 37, {1, 1, 0}, {3, 2, 1}},
    {2, 9, 35, {3, 2, 1}, {1, 1, 0}},
    {1, 8, 33, {2, 2, 0}, {5, 3, 2}},
    {2, 11, 20, {7, 1, 3}, {2, 2, 0}},
};

TEST_P(Pool2dOnTarget, TiesNanAndInfinities) {
  // Few different values: ties everywhere.
  const std::vector<float> few = {-kInf, kInf, kNan, -1, 0, -0.0f, 2, 2};
  for (const Pool2dShape& s : kShapes) {
    for (const size_t kinds : {1, 2, 5, 8}) {
      std::vector<float> x = random_floats(s.x_size(), kinds);
      for (float& v : x) {
        const auto pick = static_cast<size_t>(static_cast<float>(kinds) * (v + 1) / 2);
        v = few[std::min(pick, kinds - 1)];
      }
      check_max(s, x, 1);
      check_max(s, x, 3);
    }
  }
}

TEST_P(Pool2dOnTarget, AverageOfNanIsNanOnlyWhereItIs) {
  const Pool2dShape s = square(1, 7, 40, {3, 2, 1});
  std::vector<float> x(s.x_size(), 1.0f);
  x[3 * s.width + 20] = kNan;  // between windows: in 2 x 1 of them
  GuardedFloats y(s.y_size());
  GuardedFloats workspace(pool2d_workspace_floats(s, 1));
  avgpool2d_forward(s, x, y.span(), workspace.span(), shared_threads(1));
  EXPECT_TRUE(y.intact() && workspace.intact());
  for (size_t i = 0; i < y.span().size(); ++i) {
    const size_t row = i / s.out_width();
    const bool touched = (row == 1 || row == 2) && i % s.out_width() == 10;
    EXPECT_EQ(std::isnan(y.span()[i]), touched) << i;
  }
}

// An infinite gradient reaches its winner and nothing else.
TEST_P(Pool2dOnTarget, BackwardKeepsToItsBuffers) {
  for (const Pool2dShape& s : kShapes) {
    for (const int threads : {1, 3}) {
      const Pooled forward = expected_max(s, random_floats(s.x_size(), 5));
      std::vector<float> dy(s.y_size(), kInf);
      GuardedFloats dx(s.x_size(), 1);
      GuardedFloats workspace(pool2d_workspace_floats(s, threads));
      maxpool2d_backward(s, forward.index, dy, dx.span(), workspace.span(),
                         shared_threads(threads));
      EXPECT_TRUE(dx.intact() && workspace.intact());
      std::vector<float> want(s.x_size());
      for (size_t i = 0; i < dy.size(); ++i) {
        const size_t plane = i / (s.out_height() * s.out_width());
        want[plane * s.height * s.width + static_cast<size_t>(forward.index[i])] = kInf;
      }
      EXPECT_TRUE(std::equal(want.begin(), want.end(), dx.span().begin()));
      dy.assign(s.y_size(), 1.0f);
      avgpool2d_backward(s, dy, dx.span(), workspace.span(), shared_threads(threads));
      EXPECT_TRUE(dx.intact() && workspace.intact());
      double sum = 0;
      for (const float v : dx.span()) sum += v;
      // Every window gives its gradient away but for its part in the padding.
      EXPECT_LE(sum, static_cast<double>(dy.size()) * (1 + 1e-5));
      if (s.down.pad == 0 && s.across.pad == 0) {
        EXPECT_NEAR(sum, static_cast<double>(dy.size()), 1e-5 * sum);
      }
    }
  }
}

TEST_P(Pool2dOnTarget, EveryWayThatPaysKeepsToTheWorkspaceThatItAsksFor) {
  for (const Pool2dShape& s : kShapes) {
    const std::vector<float> x = random_floats(s.x_size(), 1);
    const std::vector<float> dy = random_floats(s.y_size(), 2);
    const Pooled pooled = expected_max(s, x);
    for (const PoolPass pass : kPoolPasses) {
      for (const PoolWay& way : pool_ways(pass)) {
        if (!way.pays(s)) continue;
        GuardedFloats y(s.y_size(), 1), index(s.y_size(), 1), dx(s.x_size(), 1);
        GuardedFloats workspace(way.floats(s));
        way.kernel()(s,
                     {.x = x.data(),
                      .index = pooled.index.data(),
                      .dy = dy.data(),
                      .y = y.span().data(),
                      .new_index = index.span().data(),
                      .dx = dx.span().data()},
                     workspace.span().data(), 0, way.units(s));
        EXPECT_TRUE(workspace.intact()) << way.name.value;
        EXPECT_TRUE(y.intact() && index.intact() && dx.intact()) << way.name.value;
        const bool forward = pass == PoolPass::kMaxForward || pass == PoolPass::kAverageForward;
        const std::span<const float> out = forward ? y.span() : dx.span();
        EXPECT_TRUE(std::ranges::none_of(out, [](float v) { return std::isnan(v); }))
            << way.name.value;
      }
    }
  }
}

TEST(Pool2dWays, HaveNamesOfTheirOwnAndAreEachChosenForAShape) {
  for (const PoolPass pass : kPoolPasses) {
    std::set<const PoolWay*> chosen;
    for (const Pool2dShape& s : kShapes) {
      chosen.insert(&Pool2dPlan(s).way(pass));
      EXPECT_TRUE(pool_ways(pass).back().pays(s));
    }
    std::set<std::string> names;
    for (const PoolWay& way : pool_ways(pass)) {
      EXPECT_TRUE(chosen.contains(&way)) << way.name.value << " is chosen for no shape of the test";
      EXPECT_TRUE(names.emplace(way.name).second) << way.name.value << " names two ways";
    }
  }
}

// What the variant of an op chooses for one plane of 20x20, in words.
std::string chosen(const std::string& op, const std::string& pass, const PoolAxis& axis) {
  OpSpec spec;
  spec.name = op;
  for (const char* key : {"pass", "in", "k", "s", "p"}) {
    spec.params.emplace_back().name = key;
    spec.params.back().kind = ParamKind::kIndex;
  }
  spec.params[0].kind = ParamKind::kChoice;
  spec.params[0].choices = {"forward", "backward"};
  spec.params[1].kind = ParamKind::kShape;
  const Case c =
      Case::parse(op + " pass=" + pass + " in=1x1x20x20 k=" + std::to_string(axis.kernel) +
                      " s=" + std::to_string(axis.stride) + " p=" + std::to_string(axis.pad),
                  spec);
  const auto windows = static_cast<int64_t>(axis.windows(20));
  std::vector<Tensor> inputs, outputs;
  for (int i = 0; i < 3; ++i) inputs.emplace_back(Shape{1, 1, 20, 20});
  for (int i = 0; i < 2; ++i) outputs.emplace_back(Shape{1, 1, windows, windows});
  return find_variant(op, "hwy")->prepare({c, inputs, outputs, 1, targets().front()})->chose();
}

// Of the ways of maxpool2d_backward only the one that gathers uses its workspace.
bool gathers(const PoolAxis& axis) {
  const Pool2dShape s = square(1, 20, 20, axis);
  const Pooled forward = expected_max(s, random_floats(s.x_size(), 1));
  const std::vector<float> dy(s.y_size(), 1.0f);
  std::vector<float> dx(s.x_size());
  std::vector<float> workspace(pool2d_workspace_floats(s, 1), kNan);
  maxpool2d_backward(s, forward.index, dy, dx, workspace, serial_threads());
  return std::ranges::any_of(workspace, [](float v) { return !std::isnan(v); });
}

TEST(Pool2dWays, BackwardOfTheMaximumNamesWhatItDoes) {
  const std::string gathered = "dy gathered in lanes";
  const std::string scattered = "dy added at the indices";
  const std::pair<PoolAxis, std::string> ways[] = {
      {{2, 2, 0}, "pairs of rows in lanes"},
      {{3, 1, 1}, gathered},
      {{3, 2, 1}, gathered},
      {{6, 2, 0}, gathered},
      {{7, 2, 0}, scattered},
      {{5, 1, 0}, scattered},
      {{3, 3, 0}, scattered},
      {{5, 4, 1}, scattered},
  };
  for (const auto& [axis, name] : ways) {
    const std::string where = std::to_string(axis.kernel) + "/" + std::to_string(axis.stride);
    EXPECT_EQ(chosen("maxpool2d", "backward", axis), name) << where;
    EXPECT_EQ(gathers(axis), name == gathered) << where;
  }
}

TEST(Pool2dWays, ForwardPassesNameTheStride) {
  for (const char* op : {"maxpool2d", "avgpool2d"}) {
    EXPECT_EQ(chosen(op, "forward", {2, 2, 0}), "pairs of rows in lanes") << op;
    EXPECT_EQ(chosen(op, "forward", {7, 2, 0}), "columns, then rows in lanes") << op;
    EXPECT_EQ(chosen(op, "forward", {3, 3, 0}), "columns in lanes, then windows") << op;
  }
}

TEST(Pool2dWays, TheGradientOfAnAverageNamesWhatItSums) {
  const std::string summed = "windows summed down the columns, then along the row";
  EXPECT_EQ(chosen("avgpool2d", "backward", {2, 2, 0}), "pairs of rows in lanes");
  EXPECT_EQ(chosen("avgpool2d", "backward", {7, 2, 0}), summed);
  EXPECT_EQ(chosen("avgpool2d", "backward", {3, 3, 0}), summed);
}

}  // namespace
}  // namespace nsop::kernels
