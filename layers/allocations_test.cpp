// No layer allocates in forward() and backward().
#include <gtest/gtest.h>

#include "kernels/testing/count_new_support.h"
#include "layers/activations.h"
#include "layers/axis_layers.h"
#include "layers/conv.h"
#include "layers/core/sequential.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/reshape.h"
#include "layers/testing/layer_cases_support.h"
#include "layers/testing/layer_support.h"

namespace nsop::layers {

int64_t allocation_count() { return kernels::allocations; }

namespace {

TEST(Allocations, AreCounted) {
  const int64_t before = allocation_count();
  const std::vector<float> some(10);
  EXPECT_EQ(allocation_count(), before + 1);
  EXPECT_EQ(some.size(), 10U);
}

class LayerAllocations : public EveryLayer {};
INSTANTIATE_TEST_SUITE_P(Layers, LayerAllocations, testing::ValuesIn(layer_kinds()),
                         layer_kind_name);
INSTANTIATE_TEST_SUITE_P(Rows, LayerAllocations, testing::ValuesIn(registered_kinds()),
                         layer_kind_name);

void check_allocations(const LayerCase& c) {
  for (const int threads : {1, 2}) {
    Prepared p(c.make(), c.in, threads);
    if (c.indices > 0) std::ranges::fill(p.x, 0.0f);
    const int64_t before = allocation_count();
    for (const bool training : {true, false}) {
      p.layer->set_training(training);
      p.forward();
      p.backward();
      p.layer->backward(p.x, p.y, p.dy, {});
    }
    EXPECT_EQ(allocation_count(), before) << threads;
  }
}

TEST_P(LayerAllocations, NoneInForwardAndBackward) { for_each_case(check_allocations); }

TEST(Allocations, NoneInAStepOfANetwork) {
  for (const int threads : {1, 2}) {
    Sequential net;
    net.add<Conv2D>(3, 16, ConvOptions{.pad = 1}).add<BatchNorm>(16).add<ReLU>();
    net.add<MaxPool2D>().add<Dropout>(0.25).add<Conv2D>(16, 16).add<GELU>().add<Flatten>();
    net.add<Dense>(16 * 3 * 3, 64).add<LayerNorm>(Shape{64}).add<Tanh>().add<Dense>(64, 10);
    net.add<LogSoftmax>();
    net.init({8, 3, 10, 10}, threads);
    Random random(1);
    net.init_parameters(random);
    const std::vector<float> x = random_values(8 * 3 * 10 * 10, 1);
    const std::vector<float> dy = random_values(8 * 10, 2);
    std::vector<float> dx(x.size());
    const int64_t before = allocation_count();
    for (int i = 0; i < 3; ++i) {
      net.set_training(i < 2);
      net.forward(x);
      net.backward(dy);
      net.backward(dy, dx);
    }
    EXPECT_EQ(allocation_count(), before) << threads;
  }
}

}  // namespace
}  // namespace nsop::layers
