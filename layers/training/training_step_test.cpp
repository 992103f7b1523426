// A whole training step, from the forward pass to the update, allocates nothing.
#include <gtest/gtest.h>

#include "layers/activations.h"
#include "layers/conv.h"
#include "layers/core/sequential.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/reshape.h"
#include "layers/testing/layer_support.h"
#include "layers/training/clip.h"
#include "layers/training/loss.h"
#include "layers/training/optimizer.h"
#include "layers/training/schedule.h"

namespace nsop::layers {
namespace {

int64_t allocations_of_steps(const OptimizerRule& rule, LossKind kind, int threads) {
  Sequential net;
  net.add<Conv2D>(1, 4, ConvOptions{.pad = 1}).add<BatchNorm>(4).add<ReLU>();
  net.add<MaxPool2D>().add<Dropout>(0.25).add<Flatten>();
  net.add<Dense>(16, 64).add<LayerNorm>(Shape{64}).add<GELU>().add<Dense>(64, 4);
  net.init({32, 1, 4, 4}, threads);
  Random random(1);
  net.init_parameters(random);
  Loss loss({kind, LossReduction::kMean, 1});
  loss.init(net.output_shape(), threads);
  Optimizer optimizer(rule);
  optimizer.init(net.parameters(), threads);
  GradientClipper clipper(net.parameters(), threads);
  const Schedule rate = Schedule::cosine(0.01, 100).after_warm_up(2);
  const std::vector<float> x = random_values(32 * 16, 1);
  const std::vector<float> t(static_cast<size_t>(element_count(loss.target_shape())), 1);
  std::vector<float> dy(32 * 4);
  const int64_t before = allocation_count();
  for (int step = 0; step < 5; ++step) {
    loss.run(net.forward(x), t, dy);
    net.backward(dy);
    clipper.clip_value(0.5);
    clipper.clip_norm(1);
    optimizer.step(rate.at(step));
  }
  return allocation_count() - before;
}

TEST(TrainingStep, AllocatesNothing) {
  for (const int threads : {1, 2}) {
    for (const OptimizerRule& rule :
         std::vector<OptimizerRule>{Sgd{.momentum = 0.9}, Adam{}, AdamW{}, Rmsprop{}, Adagrad{}}) {
      for (const LossKind kind : {LossKind::kMse, LossKind::kHuber, LossKind::kCrossEntropy,
                                  LossKind::kBinaryCrossEntropy}) {
        EXPECT_EQ(allocations_of_steps(rule, kind, threads), 0)
            << Optimizer(rule).name() << ' ' << static_cast<int>(kind) << ' ' << threads;
      }
    }
  }
}

}  // namespace
}  // namespace nsop::layers
