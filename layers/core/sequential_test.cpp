#include "layers/core/sequential.h"

#include <gmock/gmock.h>

#include "layers/activations.h"
#include "layers/axis_layers.h"
#include "layers/conv.h"
#include "layers/dense.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/reshape.h"
#include "layers/testing/errors_support.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {
namespace {

using testing::ElementsAre;

// 2 -> 2, relu, 2 -> 1, all weights known.
Sequential small() {
  Sequential net;
  net.add<Dense>(2, 2).add<ReLU>().add<Dense>(2, 1);
  net.init({1, 2});
  std::ranges::copy(std::vector<float>{1, 2, 3, -4}, net.parameters()[0].value.begin());
  std::ranges::copy(std::vector<float>{0.5, 1}, net.parameters()[1].value.begin());
  std::ranges::copy(std::vector<float>{10, 100}, net.parameters()[2].value.begin());
  std::ranges::copy(std::vector<float>{7}, net.parameters()[3].value.begin());
  return net;
}

TEST(Sequential, ForwardAndBackwardByHand) {
  Sequential net = small();
  const std::vector<float> x = {1, 1};  // hidden 3.5, 0 -> relu 3.5, 0
  EXPECT_THAT(net.forward(x), ElementsAre(42));
  std::vector<float> dx(2);
  net.backward(std::vector<float>{2}, dx);
  EXPECT_THAT(dx, ElementsAre(20, 40));
  EXPECT_THAT(net.parameters()[0].gradient, ElementsAre(20, 20, 0, 0));
  EXPECT_THAT(net.parameters()[1].gradient, ElementsAre(20, 0));
  EXPECT_THAT(net.parameters()[2].gradient, ElementsAre(7, 0));
  EXPECT_THAT(net.parameters()[3].gradient, ElementsAre(2));
  net.backward(std::vector<float>{1});
  EXPECT_THAT(net.parameters()[3].gradient, ElementsAre(1)) << "overwritten, not added to";
}

// The same layers one by one, with memory of their own: not a bit differs.
TEST(Sequential, DoesWhatItsLayersDo) {
  const auto add_all = [](const auto& add) {
    add(std::make_unique<Conv2D>(2, 5, ConvOptions{.pad = 1}));
    add(std::make_unique<BatchNorm>(5));
    add(std::make_unique<SiLU>());
    add(std::make_unique<MaxPool2D>());
    add(std::make_unique<Flatten>());
    add(std::make_unique<Dense>(5 * 3 * 3, 7));
    add(std::make_unique<Softmax>());
  };
  const Shape in = {3, 2, 6, 7};
  Sequential net;
  add_all([&](std::unique_ptr<Layer> layer) { net.add(std::move(layer)); });
  net.init(in, 2);
  Random random(1);
  net.init_parameters(random);
  const std::vector<float> x = random_values(3 * 2 * 6 * 7, 1);
  const std::vector<float> dy = random_values(3 * 7, 2);
  std::vector<float> dx(x.size());
  const ConstFloats y = net.forward(x);
  net.backward(dy, dx);

  std::vector<Prepared> alone;
  add_all([&](std::unique_ptr<Layer> layer) {
    const size_t i = alone.size();
    const Shape shape = i == 0 ? in : alone.back().layer->output_shape();
    Prepared& p = alone.emplace_back(std::move(layer), shape, 2);
    p.layer->share(net.layer(i));
    p.x = i == 0 ? x : alone[i - 1].y;
    p.forward();
  });
  EXPECT_TRUE(std::ranges::equal(alone.back().y, y));
  for (size_t i = alone.size(); i-- > 0;) {
    alone[i].dy = i + 1 == alone.size() ? dy : alone[i + 1].dx;
    alone[i].backward();
    for (size_t j = 0; j < alone[i].layer->parameters().size(); ++j) {
      const Parameter& own = alone[i].layer->parameters()[j];
      EXPECT_TRUE(std::ranges::equal(own.gradient, net.layer(i).parameters()[j].gradient))
          << i << "." << own.name;
    }
  }
  EXPECT_EQ(alone.front().dx, dx);
}

TEST(Sequential, NamesParametersByPlace) {
  const Sequential net = small();
  std::vector<std::string> names;
  for (const Parameter& p : net.parameters()) names.push_back(p.name);
  EXPECT_THAT(names, ElementsAre("0.weight", "0.bias", "2.weight", "2.bias"));
  EXPECT_EQ(net.output_shape(), (Shape{1, 1}));
  EXPECT_GT(net.memory_bytes(), 0U);
}

TEST(Sequential, SharesParametersWithAnotherBatchSize) {
  Sequential one = small();
  Sequential many;
  many.add<Dense>(2, 2).add<ReLU>().add<Dense>(2, 1);
  many.init_sharing({3, 2}, one);
  EXPECT_THAT(many.forward(std::vector<float>{1, 1, 0, 0, 1, 0}), ElementsAre(42, 112, 422));
  one.parameters()[3].value[0] = 8;
  EXPECT_THAT(many.forward(std::vector<float>{1, 1, 0, 0, 1, 0}), ElementsAre(43, 113, 423));
  Sequential other;
  other.add<Dense>(2, 3).add<ReLU>().add<Dense>(3, 1);
  EXPECT_THAT(error_of([&] {
                other.init_sharing({1, 2}, one);
              }),
              testing::HasSubstr("Dense(2->3): can't share the parameters of Dense(2->2)"));
  EXPECT_THAT(error_of([&] { other.forward(std::vector<float>(2)); }),
              testing::HasSubstr("init() must come before forward()"));
}

TEST(Sequential, WrongShapesLeaveItUsable) {
  Sequential net = small();
  const std::vector<float> x = {1, 1};
  net.forward(x);
  EXPECT_EQ(error_of([&] {
              net.init({4, 3});
            }),
            "layer 0: Dense(2->2): expected input [..., 2], given 4x3");
  EXPECT_EQ(error_of([&] { net.init({}); }),
            "layer 0: Dense(2->2): expected input of extents that are at least 1, given no shape");
  EXPECT_EQ(error_of([&] {
              net.init({0, 2});
            }),
            "layer 0: Dense(2->2): expected input of extents that are at least 1, given 0x2");
  EXPECT_EQ(error_of([&] {
              net.init({1, 2}, 0);
            }),
            "Sequential: expected 1 to 4096 threads, given 0");
  EXPECT_EQ(error_of([&] { net.forward(std::vector<float>(3)); }),
            "Dense(2->2): expected input of 2 values (1x2), given 3");
  EXPECT_EQ(error_of([&] { net.backward(std::vector<float>(2)); }),
            "Sequential: expected a gradient of 1 values (1x1), given 2");
  EXPECT_THAT(net.forward(x), ElementsAre(42));
  net.backward(std::vector<float>{1});
  EXPECT_THAT(net.parameters()[3].gradient, ElementsAre(1));
}

TEST(Sequential, OrderOfCallsIsChecked) {
  Sequential net;
  EXPECT_THAT(error_of([&] { net.init({1, 2}); }), testing::HasSubstr("has no layers"));
  net.add<Dense>(2, 2);
  EXPECT_THAT(error_of([&] { net.forward(std::vector<float>(2)); }),
              testing::HasSubstr("init() must come before forward()"));
  net.init({1, 2});
  EXPECT_THAT(error_of([&] { net.backward(std::vector<float>(2)); }),
              testing::HasSubstr("forward() must come before backward()"));
}

}  // namespace
}  // namespace nsop::layers
