// Values at the ends of float32: what is finite in exact arithmetic stays so.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/runtime/target.h"
#include "layers/activations.h"
#include "layers/axis_layers.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/testing/layer_support.h"
#include "layers/training/clip.h"
#include "layers/training/loss.h"
#include "layers/training/optimizer.h"

namespace nsop::layers {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

// On every target: kernels have code of their own.
template <class Check>
void on_every_target(const Check& check) {
  for (const std::string& target : kernels::targets()) {
    SCOPED_TRACE(target);
    kernels::pin_target(target);
    check();
  }
  kernels::pin_target(kernels::targets().front());
}

std::vector<float> output_of(std::unique_ptr<Layer> layer, const Shape& in,
                             const std::vector<float>& x) {
  Prepared p(std::move(layer), in);
  p.x = x;
  p.forward();
  return p.y;
}

std::vector<float> gradient_of(std::unique_ptr<Layer> layer, const Shape& in,
                               const std::vector<float>& x, const std::vector<float>& dy) {
  Prepared p(std::move(layer), in);
  p.x = x;
  p.dy = dy;
  p.forward();
  p.backward();
  return p.dx;
}

TEST(Extremes, SoftmaxOfLargeLogits) {
  on_every_target([] {
    const auto softmax = [](const std::vector<float>& x) {
      return output_of(std::make_unique<Softmax>(), {1, static_cast<int64_t>(x.size())}, x);
    };
    EXPECT_THAT(softmax({1e38f, -1e38f, 0}), ElementsAre(1, 0, 0));
    EXPECT_THAT(softmax({kLargest, -kLargest, kLargest}), ElementsAre(0.5f, 0, 0.5f));
    EXPECT_THAT(softmax({-kLargest, -kLargest}), ElementsAre(0.5f, 0.5f));
    EXPECT_THAT(softmax({-kInfinity, 3, -kInfinity, 3}), ElementsAre(0, 0.5f, 0, 0.5f));
    EXPECT_THAT(output_of(std::make_unique<LogSoftmax>(), {1, 3}, {1000, 0, -kInfinity}),
                ElementsAre(0, -1000, -kInfinity));
    EXPECT_THAT(
        gradient_of(std::make_unique<LogSoftmax>(), {1, 3}, {1000, 0, -kInfinity}, {1, 0, 0}),
        ElementsAre(0, 0, 0));
  });
}

TEST(Extremes, ActivationsFarFromZero) {
  on_every_target([] {
    const std::vector<float> far = {-kInfinity, -kLargest, -1e4f, 1e4f, kLargest, kInfinity};
    const std::vector<float> ones(6, 1);
    const auto y = [&](std::unique_ptr<Layer> layer) {
      return output_of(std::move(layer), {6}, far);
    };
    const auto slope = [&](std::unique_ptr<Layer> layer) {
      return gradient_of(std::move(layer), {6}, far, ones);
    };
    EXPECT_THAT(y(std::make_unique<Sigmoid>()), ElementsAre(0, 0, 0, 1, 1, 1));
    EXPECT_THAT(y(std::make_unique<Tanh>()), ElementsAre(-1, -1, -1, 1, 1, 1));
    EXPECT_THAT(y(std::make_unique<Softplus>()), ElementsAre(0, 0, 0, 1e4f, kLargest, kInfinity));
    EXPECT_THAT(y(std::make_unique<ELU>()), ElementsAre(-1, -1, -1, 1e4f, kLargest, kInfinity));
    EXPECT_THAT(slope(std::make_unique<Sigmoid>()), Each(0));
    EXPECT_THAT(slope(std::make_unique<Tanh>()), Each(0));
    EXPECT_THAT(slope(std::make_unique<Softplus>()), ElementsAre(0, 0, 0, 1, 1, 1));
    EXPECT_THAT(slope(std::make_unique<ELU>()), ElementsAre(0, 0, 0, 1, 1, 1));
    for (const auto& make : std::vector<std::function<std::unique_ptr<Layer>()>>{
             [] { return std::make_unique<SiLU>(); }, [] { return std::make_unique<GELU>(); },
             [] { return std::make_unique<GELU>(GeluForm::kTanh); }}) {
      const std::vector<float> values = y(make());
      EXPECT_THAT(std::vector<float>(values.begin() + 1, values.begin() + 5),
                  ElementsAre(0, 0, 1e4f, kLargest))
          << make()->name();
      const std::vector<float> slopes = slope(make());
      EXPECT_THAT(std::vector<float>(slopes.begin() + 1, slopes.begin() + 5),
                  ElementsAre(0, 0, 1, 1))
          << make()->name();
    }
  });
}

float loss_of(LossKind kind, const Shape& shape, const std::vector<float>& x,
              const std::vector<float>& t, std::vector<float>& gradient) {
  Loss loss({.kind = kind});
  loss.init(shape);
  gradient.assign(x.size(), -77);
  return loss.run(x, t, gradient);
}

TEST(Extremes, LossesOfCertainAnswers) {
  on_every_target([] {
    std::vector<float> g;
    const LossKind binary = LossKind::kBinaryCrossEntropy;
    EXPECT_EQ(loss_of(binary, {2}, {1e38f, -1e38f}, {1, 0}, g), 0);
    EXPECT_THAT(g, ElementsAre(0, 0));
    EXPECT_EQ(loss_of(binary, {2}, {1e4f, -1e4f}, {0, 1}, g), 1e4f);
    EXPECT_THAT(g, ElementsAre(0.5f, -0.5f));
    const LossKind classes = LossKind::kCrossEntropy;
    EXPECT_EQ(loss_of(classes, {1, 3}, {1e38f, 0, -1e38f}, {0}, g), 0);
    EXPECT_THAT(g, ElementsAre(0, 0, 0));
    EXPECT_EQ(loss_of(classes, {1, 2}, {1e4f, 0}, {1}, g), 1e4f);
    EXPECT_THAT(g, ElementsAre(1, -1));
    EXPECT_EQ(loss_of(classes, {1, 3}, {2, -kInfinity, -kInfinity}, {0}, g), 0) << "masked";
    EXPECT_EQ(loss_of(classes, {2, 1}, {5, -5}, {0, 0}, g), 0) << "one class";
    EXPECT_THAT(g, ElementsAre(0, 0));
    EXPECT_FLOAT_EQ(loss_of(LossKind::kHuber, {2}, {1e37f, -1e37f}, {-1e37f, 1e37f}, g), 2e37f);
    EXPECT_THAT(g, ElementsAre(0.5f, -0.5f));
  });
}

TEST(Extremes, ClippingOfHugeGradients) {
  on_every_target([] {
    for (const float huge : {1e19f, 1e25f, 1e37f}) {
      std::vector<float> value(100), gradient(100, huge), other(3, -huge);
      const std::vector<Parameter> parameters = {{"a", {100}, value, gradient},
                                                 {"b", {3}, Floats(value).first(3), other}};
      GradientClipper clipper(parameters);
      const double norm = std::sqrt(103.0) * huge;
      EXPECT_NEAR(clipper.clip_norm(1) / norm, 1, 1e-5);
      EXPECT_NEAR(clipper.clip_norm(2), 1, 1e-5) << huge;
      EXPECT_NEAR(other[0], -1 / std::sqrt(103.0), 1e-6) << huge;
    }
    std::vector<float> value(2), gradient = {kInfinity, 1};
    GradientClipper clipper({{"a", {2}, value, gradient}});
    EXPECT_EQ(clipper.clip_norm(1), kInfinity);
    EXPECT_THAT(gradient, ElementsAre(kInfinity, 1)) << "left as they are";
    clipper.clip_value(0.5);
    EXPECT_THAT(gradient, ElementsAre(0.5f, 0.5f));
  });
}

// A window of nothing but -inf has its first value as maximum, never the padding.
TEST(Extremes, MaxPoolOfNothingButMinusInfinity) {
  on_every_target([] {
    for (const Pool2DOptions& options :
         {Pool2DOptions{.kernel = 2}, Pool2DOptions{.kernel = 3, .stride = 2, .pad = 1},
          Pool2DOptions{.kernel = 3, .stride = 1, .pad = 2},
          Pool2DOptions{.kernel = 5, .pad = 4}}) {
      for (const Shape& in : {Shape{1, 2, 4, 6}, Shape{1, 1, 32, 32}, Shape{1, 1, 5, 37}}) {
        Prepared p(std::make_unique<MaxPool2D>(options), in);
        std::ranges::fill(p.x, -kInfinity);
        std::ranges::fill(p.dy, 1.0f);
        p.forward();
        EXPECT_THAT(p.y, Each(-kInfinity));
        const auto plane = static_cast<float>(in[2] * in[3]);
        for (const float at : dynamic_cast<MaxPool2D&>(*p.layer).indices()) {
          ASSERT_TRUE(at >= 0 && at < plane) << p.layer->name() << ' ' << at;
        }
        p.backward();
        double sum = 0;
        for (const float v : p.dx) sum += v;
        EXPECT_EQ(sum, static_cast<double>(p.dy.size())) << p.layer->name();
      }
    }
  });
}

TEST(Extremes, NormsOfConstantsAreTheirBias) {
  on_every_target([] {
    for (const float value : {0.0f, 3.0f, -0.5f}) {
      const std::vector<float> x(2 * 37, value);
      EXPECT_THAT(output_of(std::make_unique<LayerNorm>(Shape{37}), {2, 37}, x), Each(0));
      EXPECT_THAT(output_of(std::make_unique<BatchNorm>(37), {2, 37}, x), Each(0));
      EXPECT_THAT(output_of(std::make_unique<GroupNorm>(1, 37), {2, 37}, x), Each(0));
    }
    EXPECT_THAT(output_of(std::make_unique<RMSNorm>(37), {2, 37}, std::vector<float>(74, 0)),
                Each(0));
  });
}

TEST(Extremes, DropoutOfNothingAndOfNearlyAll) {
  on_every_target([] {
    const std::vector<float> x = random_values(1000, 1, 1, 2);
    EXPECT_EQ(output_of(std::make_unique<Dropout>(0, 1), {1000}, x), x) << "rate 0";
    for (const double rate : {1 - 0x1p-24, 1 - 0x1p-32, 1 - 0x1p-53}) {
      for (const float y : output_of(std::make_unique<Dropout>(rate, 1), {1000}, x)) {
        ASSERT_TRUE(std::isfinite(y)) << rate;
      }
    }
  });
}

// Gradients at the end of float32 and zero ones leave weights finite.
TEST(Extremes, OptimizersOfHugeGradientsAndOfNone) {
  for (const OptimizerRule& rule :
       std::vector<OptimizerRule>{Sgd{.momentum = 0.9}, Adam{}, AdamW{}, Rmsprop{}, Adagrad{}}) {
    for (const float size : {0.0f, 1e18f}) {
      std::vector<float> weights(37, 1), gradient(37, size);
      Optimizer optimizer(rule);
      optimizer.init({{"w", {37}, weights, gradient}});
      for (int i = 0; i < 5; ++i) optimizer.step(0.01);
      for (const float w : weights) ASSERT_TRUE(std::isfinite(w)) << optimizer.name() << size;
    }
  }
}

}  // namespace
}  // namespace nsop::layers
