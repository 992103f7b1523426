// What isn't a function of input and parameters alone: masks, running statistics, views.
#include <gmock/gmock.h>

#include <cmath>

#include "layers/conv.h"
#include "layers/core/sequential.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/norm.h"
#include "layers/reshape.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

using testing::ElementsAre;
using testing::Pointwise;

Prepared dropout(double rate, std::optional<uint64_t> seed, uint64_t init_seed = 1,
                 int threads = 1) {
  return Prepared(std::make_unique<Dropout>(rate, seed), {3, 1001}, threads, init_seed);
}

ConstFloats mask_of(const Prepared& p) { return dynamic_cast<Dropout&>(*p.layer).mask(); }

TEST(DropoutLayer, ScalesWhatItKeepsAndKeepsTheMask) {
  Prepared p = dropout(0.25, 5);
  p.forward();
  p.backward();
  size_t kept = 0;
  for (size_t i = 0; i < p.x.size(); ++i) {
    const float m = mask_of(p)[i];
    ASSERT_TRUE(m == 0 || m == static_cast<float>(1 / 0.75)) << m;
    EXPECT_EQ(p.y[i], p.x[i] * m);
    EXPECT_EQ(p.dx[i], p.dy[i] * m);
    kept += m != 0 ? 1 : 0;
  }
  const double sigma = std::sqrt(3003 * 0.25 * 0.75);
  EXPECT_NEAR(static_cast<double>(kept), 3003 * 0.75, 5 * sigma);
}

TEST(DropoutLayer, PassesDifferAndSeedsRepeat) {
  Prepared p = dropout(0.5, 5);
  p.forward();
  const std::vector<float> first = p.y;
  p.forward();
  EXPECT_NE(p.y, first) << "another mask in each pass";
  Prepared again = dropout(0.5, 5, 1, 2);
  again.forward();
  EXPECT_EQ(again.y, first) << "the same seed, on two threads";
  Prepared drawn = dropout(0.5, std::nullopt, 1);
  Prepared other = dropout(0.5, std::nullopt, 2);
  EXPECT_NE(dynamic_cast<Dropout&>(*drawn.layer).stream().seed,
            dynamic_cast<Dropout&>(*other.layer).stream().seed);
  auto& layer = dynamic_cast<Dropout&>(*p.layer);
  layer.set_stream({5, 0});
  p.forward();
  EXPECT_EQ(p.y, first);
}

TEST(DropoutLayer, DoesNothingInInference) {
  Prepared p = dropout(0.5, 5);
  p.layer->set_training(false);
  p.forward();
  p.backward();
  EXPECT_EQ(p.y, p.x);
  EXPECT_EQ(p.dx, p.dy);
}

TEST(BatchNormLayer, MovesItsStatisticsInTrainingOnly) {
  Prepared p(std::make_unique<BatchNorm>(2, 0.25f), {2, 2, 2});
  p.x = {1, 3, 10, 10, 5, 7, 10, 10};  // channel 0: 1 3 5 7, mean 4, unbiased variance 20/3
  p.forward();
  const std::vector<Buffer>& buffers = p.layer->buffers();
  EXPECT_THAT(buffers[0].value, ElementsAre(1, 2.5));
  EXPECT_NEAR(buffers[1].value[0], 0.75 + 0.25 * 20 / 3, 1e-5);
  EXPECT_NEAR(buffers[1].value[1], 0.75, 1e-6);
  p.layer->set_training(false);
  p.forward();
  EXPECT_THAT(buffers[0].value, ElementsAre(1, 2.5));
  EXPECT_NEAR(p.y[0], 0, 1e-6);
  EXPECT_NEAR(p.y[2], 7.5 / std::sqrt(0.75 + 1e-5), 1e-4);
  Random random(1);
  p.layer->init_parameters(random);
  EXPECT_THAT(buffers[0].value, ElementsAre(0, 0));
  EXPECT_THAT(buffers[1].value, ElementsAre(1, 1));
}

TEST(ReshapeLayer, MovesNothingInsideANetwork) {
  Sequential net;
  net.add<Dense>(4, 6).add<Reshape>(Shape{2, 3}).add<Flatten>().add<Dense>(6, 2).add<Flatten>();
  net.init({3, 4});
  Random random(1);
  net.init_parameters(random);
  Sequential plain;
  plain.add<Dense>(4, 6).add<Dense>(6, 2);
  plain.init({3, 4});
  for (size_t i = 0; i < 4; ++i) {
    std::ranges::copy(net.parameters()[i].value, plain.parameters()[i].value.begin());
  }
  const std::vector<float> x = random_values(12, 1);
  const std::vector<float> dy = random_values(6, 2);
  std::vector<float> dx(12);
  std::vector<float> plain_dx(12);
  EXPECT_TRUE(std::ranges::equal(net.forward(x), plain.forward(x)));
  net.backward(dy, dx);
  plain.backward(dy, plain_dx);
  EXPECT_EQ(dx, plain_dx);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(std::ranges::equal(net.parameters()[i].gradient, plain.parameters()[i].gradient));
  }
  EXPECT_EQ(net.parameters()[2].name, "3.weight");
}

// The case of layer_cases_test.cpp that is meant to check these passes does take them.
TEST(ConvLayer, ChoosesWinogradByItsRule) {
  const auto algorithms = [](int64_t extent) {
    const Prepared p(std::make_unique<Conv2D>(16, 16, ConvOptions{.pad = 1}),
                     {1, 16, extent, extent});
    return dynamic_cast<Conv&>(*p.layer).algorithms();
  };
  EXPECT_THAT(algorithms(12), testing::StartsWith("forward: winograd F(4x4,3x3); dx: winograd "
                                                  "F(4x4,3x3); dw: winograd F(4x4,3x3)"));
  EXPECT_THAT(algorithms(8), testing::Not(testing::HasSubstr("winograd")));
}

TEST(ReshapeLayer, CopiesAlone) {
  Prepared p(std::make_unique<Flatten>(), {2, 3, 5});
  p.forward();
  p.backward();
  EXPECT_EQ(p.layer->output_shape(), (Shape{2, 15}));
  EXPECT_EQ(p.y, p.x);
  EXPECT_EQ(p.dx, p.dy);
}

}  // namespace
}  // namespace nsop::layers
