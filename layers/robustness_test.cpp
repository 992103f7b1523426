// What users do wrong, and values that aren't numbers.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "layers/activations.h"
#include "layers/conv.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/embedding.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/recurrent.h"
#include "layers/reshape.h"
#include "layers/testing/errors_support.h"
#include "layers/testing/layer_cases_support.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

using testing::HasSubstr;

class RobustLayer : public EveryLayer {};
INSTANTIATE_TEST_SUITE_P(Layers, RobustLayer, testing::ValuesIn(layer_kinds()), layer_kind_name);
INSTANTIATE_TEST_SUITE_P(Rows, RobustLayer, testing::ValuesIn(registered_kinds()), layer_kind_name);

void check_refusals(const LayerCase& c) {
  ASSERT_FALSE(c.refused.empty());
  Prepared p(c.make(), c.in);
  if (c.indices > 0) std::ranges::fill(p.x, 0.0f);
  p.layer->set_training(false);
  p.forward();
  const std::vector<float> y = p.y;
  for (const Shape& refused : c.refused) {
    Arena arena;
    const std::string error =
        error_of([&] { p.layer->init(refused, arena, kernels::shared_threads(1)); });
    EXPECT_THAT(error, testing::StartsWith(p.layer->name() + ": expected input "));
    const std::string given = refused.empty() ? "no shape" : shape_text(refused);
    EXPECT_THAT(error, testing::EndsWith("given " + given));
  }
  std::vector<float> longer(p.x.size() + 1);
  EXPECT_THAT(error_of([&] { p.layer->forward(longer, p.y); }),
              HasSubstr(p.layer->name() + ": expected input of "));
  std::vector<float> too_much(p.y.size() + 1);
  EXPECT_THAT(error_of([&] { p.layer->forward(p.x, too_much); }), HasSubstr("expected output of "));
  EXPECT_THAT(error_of([&] { p.layer->backward(p.x, p.y, too_much, p.dx); }),
              HasSubstr("expected gradient of the output of "));
  EXPECT_THAT(error_of([&] { p.layer->backward(p.x, p.y, p.dy, longer); }),
              HasSubstr("expected gradient of the input of "));
  p.forward();
  EXPECT_EQ(p.y, y);
  p.backward();
}

TEST_P(RobustLayer, RefusesWrongShapesAndStaysUsable) { for_each_case(check_refusals); }

void check_order(const LayerCase& c) {
  const auto layer = c.make();
  EXPECT_THAT(error_of([&] { layer->forward({}, {}); }), HasSubstr(": used before init()"));
  EXPECT_THAT(error_of([&] { layer->backward({}, {}, {}, {}); }),
              HasSubstr(": used before init()"));
}

TEST_P(RobustLayer, NeedsInit) { for_each_case(check_order); }

// Layers whose gradients have no NaN after one in the input: they are dy, or dy times a number, in
// places that a NaN may pick, but doesn't enter.
bool stops_nan(const std::string& name) {
  constexpr std::array kKinds = {"AdaptiveAvgPool2D",
                                 "AdaptiveMaxPool2D",
                                 "AvgPool2D",
                                 "Dropout",
                                 "Flatten",
                                 "GlobalAvgPool2D",
                                 "LeakyReLU",
                                 "MaxPool2D",
                                 "Mean",
                                 "ReLU",
                                 "Reshape"};
  return std::ranges::any_of(kKinds, [&](const char* kind) { return name.starts_with(kind); });
}

void check_nan(const LayerCase& c) {
  if (c.indices > 0) return;  // NaN is no index: AnIndexThatIsNoneNamesItsPlace
  const auto is_nan = [](float v) { return std::isnan(v); };
  for (const bool training : {true, false}) {
    Prepared p(c.make(), c.in, 2);
    p.layer->set_training(training);
    p.forward();
    p.backward();
    // An input that matters: windows may leave pixels out.
    auto at = static_cast<size_t>(std::ranges::find_if(p.dx, [](float v) { return v != 0; }) -
                                  p.dx.begin());
    if (at == p.dx.size()) at = 0;
    p.x[at] = std::numeric_limits<float>::quiet_NaN();
    p.forward();
    p.backward();
    EXPECT_TRUE(std::ranges::any_of(p.y, is_nan)) << training;
    bool found = std::ranges::any_of(p.dx, is_nan);
    for (const Parameter& each : p.layer->parameters()) {
      found = found || std::ranges::any_of(each.gradient, is_nan);
    }
    if (!c.registered) {
      EXPECT_EQ(found, !stops_nan(p.layer->name())) << p.layer->name() << training;
    }
    Prepared q(c.make(), c.in, 2);
    q.layer->set_training(training);
    q.forward();
    std::ranges::fill(q.dy, std::numeric_limits<float>::quiet_NaN());
    q.backward();
    EXPECT_TRUE(std::ranges::none_of(q.y, is_nan)) << training;
    EXPECT_TRUE(std::ranges::any_of(q.dx, is_nan)) << training;
  }
}

TEST_P(RobustLayer, PropagatesNaN) { for_each_case(check_nan); }

TEST(NaN, IsNotAboveTheKinkOfReLU) {
  for (const bool six : {false, true}) {
    auto layer = six ? std::unique_ptr<Layer>(std::make_unique<ReLU6>()) : std::make_unique<ReLU>();
    Prepared p(std::move(layer), {3});
    p.x = {1, kNan, -1};
    p.forward();
    p.backward();
    EXPECT_TRUE(std::isnan(p.y[1]));
    EXPECT_THAT(p.dx, testing::ElementsAre(p.dy[0], 0, 0));
  }
}

TEST(LayerErrors, NameLayerExpectedAndGiven) {
  EXPECT_EQ(error_of([] {
              Dense(64, 128).output_shape({32, 63});
            }),
            "Dense(64->128): expected input [..., 64], given 32x63");
  EXPECT_EQ(error_of([] {
              Conv2D(3, 8).output_shape({1, 3, 2, 9});
            }),
            "Conv2D(3->8, k=3, s=1, p=0): expected input [batch, 3, height, width] of at least 3 "
            "with a padding of 0, given 1x3x2x9");
  EXPECT_EQ(error_of([] { Conv2D(6, 8, {.groups = 4}); }),
            "Conv2D(6->8, k=3, s=1, p=0, groups=4): expected groups that divide both channel "
            "counts, given 4");
  EXPECT_EQ(error_of([] {
              MaxPool2D({.kernel = 5}).output_shape({1, 1, 4, 9});
            }),
            "MaxPool2D(k=5, s=5, p=0): expected input [batch, channels, height, width] with height "
            "and width of at least 5 with a padding of 0, given 1x1x4x9");
  EXPECT_EQ(error_of([] { MaxPool2D({.kernel = 2, .pad = 2}); }),
            "MaxPool2D(k=2, s=2, p=2): expected a padding below the kernel's 2, given 2");
  EXPECT_EQ(error_of([] { GroupNorm(4, 6); }),
            "GroupNorm(6, groups=4): expected groups that divide the channels");
  EXPECT_EQ(error_of([] {
              LayerNorm({3, 7}).output_shape({2, 7, 3});
            }),
            "LayerNorm(3x7): expected input [..., 3, 7], given 2x7x3");
  EXPECT_EQ(error_of([] {
              Reshape({3, 3}).output_shape({2, 8});
            }),
            "Reshape(3x3): expected input [batch, ...] of 9 values per sample, given 2x8");
  EXPECT_EQ(error_of([] {
              LSTM(8, 16).output_shape({5, 2, 7});
            }),
            "LSTM(8->16): expected input [steps, batch, 8] or [batch, 8], given 5x2x7");
  EXPECT_THAT(error_of([] { GRU(0, 16); }), HasSubstr("sizes must be at least 1"));
  EXPECT_THAT(error_of([] { Embedding(3, 0); }), HasSubstr("sizes of at least 1"));
  EXPECT_THAT(error_of([] { Dropout(1.0); }), HasSubstr("below 1, given 1"));
  EXPECT_THAT(error_of([] { Dropout(std::nan("")); }), HasSubstr("given nan"));
  EXPECT_THAT(error_of([] { Dense(0, 3); }), HasSubstr("sizes must be at least 1"));
  EXPECT_THAT(error_of([] { Conv1D(1, 1, {.stride = 0}); }), HasSubstr("must be at least 1"));
  EXPECT_THAT(error_of([] { BatchNorm(0); }), HasSubstr("at least 1 channel"));
  EXPECT_THAT(error_of([] { AdaptiveAvgPool2D(0, 1); }), HasSubstr("at least 1"));
  EXPECT_THAT(error_of([] { AdaptiveMaxPool2D(1, 0); }), HasSubstr("at least 1"));
  EXPECT_THAT(error_of([] {
                AdaptiveMaxPool2D(1, 1).output_shape({1, 1, 8192, 8192});
              }),
              HasSubstr("planes of at most 16777216"));
  EXPECT_THAT(error_of([] { LayerNorm(Shape{}); }), HasSubstr("at least one dimension"));
}

// No product of extents and no padding wraps round to something that seems to fit.
TEST(LayerErrors, SizesBeyondAllMemoryAreRefused) {
  const int64_t huge = int64_t{1} << 33;
  EXPECT_EQ(error_of([&] {
              ReLU().output_shape({huge, huge});
            }),
            "ReLU: expected input of at most 2^40 values, given 8589934592x8589934592");
  EXPECT_THAT(error_of([&] {
                Dense(1, size_t{1} << 40).output_shape({2, 1});
              }),
              HasSubstr("whose output has at most 2^40 values, given 2x1"));
  const size_t minus_one = std::numeric_limits<size_t>::max();
  EXPECT_THAT(error_of([&] { Conv2D(1, 1, {.pad = minus_one}); }), HasSubstr("at most 1048576"));
  EXPECT_THAT(error_of([&] { Conv1D(1, 1, {.dilation = minus_one}); }),
              HasSubstr("at most 1048576"));
  EXPECT_THAT(error_of([&] { AvgPool2D({.kernel = minus_one}); }), HasSubstr("at most 1048576"));
  // Negative as extents, -1 among them: two of those make 1 value.
  EXPECT_THAT(error_of([&] {
                Dense(2, minus_one).output_shape({3, 2});
              }),
              HasSubstr("whose output has at most 2^40 values, given 3x2"));
  EXPECT_THAT(error_of([&] {
                AdaptiveAvgPool2D(minus_one, minus_one).output_shape({1, 1, 2, 2});
              }),
              HasSubstr("whose output has at most 2^40 values, given 1x1x2x2"));
  EXPECT_THAT(error_of([&] { Embedding(3, minus_one).output_shape({2}); }),
              HasSubstr("whose output has at most 2^40 values, given 2"));
  EXPECT_THAT(error_of([&] {
                LSTM(8, minus_one).output_shape({5, 2, 8});
              }),
              HasSubstr("whose output has at most 2^40 values, given 5x2x8"));
  Arena arena;
  LSTM wide(8, size_t{1} << 38);
  EXPECT_THROW(wide.init({1, 1, 8}, arena, kernels::shared_threads(1)), std::bad_alloc);
  Dense large(size_t{1} << 30, size_t{1} << 30);
  EXPECT_THROW(large.init({1, int64_t{1} << 30}, arena, kernels::shared_threads(1)),
               std::bad_alloc);
}

TEST(LayerErrors, AnIndexThatIsNoneNamesItsPlace) {
  Prepared p(std::make_unique<Embedding>(5, 2), {4});
  p.x = {0, 4, 1, 2};
  p.forward();
  for (const float wrong : {5.0f, -1.0f, 1.5f, std::numeric_limits<float>::infinity()}) {
    p.x[2] = wrong;
    EXPECT_THAT(error_of([&] { p.forward(); }),
                testing::AllOf(HasSubstr("Embedding(5x2): expected indices"),
                               HasSubstr("from 0 to 4"), HasSubstr("at position 2")));
  }
  p.x[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of([&] { p.forward(); }), HasSubstr("given nan at position 2"));
  p.x[2] = 1;
  p.forward();
  p.backward();
}

}  // namespace
}  // namespace nsop::layers
