#include "layers/apps/train/task.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "layers/activations.h"
#include "layers/apps/train/digits.h"
#include "layers/conv.h"
#include "layers/dense.h"
#include "layers/dropout.h"
#include "layers/norm.h"
#include "layers/pool2d.h"
#include "layers/reshape.h"

namespace nsop::layers {
namespace {

Task xor_task() {
  Task task;
  task.about = "exclusive or of two bits; the four cases are all there is";
  task.train = {{2}, {1}, {0, 0, 0, 1, 1, 0, 1, 1}, {0, 1, 1, 0}};
  task.test = task.train;
  task.network = [] {
    Sequential net;
    net.add<Dense>(2, 8).add<Tanh>().add<Dense>(8, 1);
    return net;
  };
  task.loss.kind = LossKind::kBinaryCrossEntropy;
  task.rule = Adam{};
  task.rate = 0.05;
  task.batch = 4;
  task.epochs = 200;
  task.goal = 1;
  return task;
}

// Two arms of an Archimedean spiral, one turn and a half each, the second the first turned by half
// a turn; the target is the arm.
Dataset make_spirals(size_t count, uint64_t seed) {
  Dataset data{{2}, {1}, {}, {}};
  Random random(seed);
  for (size_t i = 0; i < count; ++i) {
    const double arm = static_cast<double>(i % 2);
    const double along = std::sqrt(random.uniform(0.01, 1));  // even over the length
    const double angle = std::numbers::pi * (3 * along + arm);
    data.examples.push_back(static_cast<float>(along * std::cos(angle) + 0.02 * random.normal()));
    data.examples.push_back(static_cast<float>(along * std::sin(angle) + 0.02 * random.normal()));
    data.targets.push_back(static_cast<float>(arm));
  }
  return data;
}

Task spirals_task() {
  Task task;
  task.about = "to which of two entangled spirals a point belongs";
  task.train = make_spirals(400, 1);
  task.test = make_spirals(400, 2);
  task.network = [] {
    Sequential net;
    net.add<Dense>(2, 32).add<Tanh>().add<Dense>(32, 32).add<Tanh>().add<Dense>(32, 1);
    return net;
  };
  task.loss.kind = LossKind::kBinaryCrossEntropy;
  task.rule = AdamW{};
  task.rate = 0.02;
  task.batch = 40;
  task.epochs = 150;
  task.goal = 0.98;
  return task;
}

Task digits_task() {
  Task task;
  task.about = "which digit a noisy picture of 8 x 8 cells shows";
  task.train = make_digits(2000, 1);
  task.test = make_digits(500, 2);
  const Normalizer normalizer(task.train);
  normalizer.apply(task.train);
  normalizer.apply(task.test);
  task.network = [] {
    const ConvOptions same = {.pad = 1, .initializer = Initializer::kHe};
    Sequential net;
    net.add<Conv2D>(1, 8, same).add<BatchNorm>(8).add<ReLU>().add<MaxPool2D>();
    net.add<Conv2D>(8, 16, same).add<BatchNorm>(16).add<ReLU>().add<MaxPool2D>();
    net.add<Flatten>().add<Dropout>(0.25).add<Dense>(64, 10);
    return net;
  };
  task.loss.kind = LossKind::kCrossEntropy;
  task.rule = Sgd{.momentum = 0.9, .nesterov = true, .weight_decay = 1e-3};
  task.rate = 0.1;
  task.batch = 50;
  task.epochs = 8;
  task.goal = 0.97;
  return task;
}

struct Named {
  const char* name;
  Task (*make)();
};
constexpr std::array<Named, 3> kTasks = {
    {{"xor", xor_task}, {"spirals", spirals_task}, {"digits", digits_task}}};

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Named& named : kTasks) names.emplace_back(named.name);
  return names;
}

Task make_task(const std::string& name) {
  for (const Named& named : kTasks) {
    if (name != named.name) continue;
    Task task = named.make();
    task.name = name;
    return task;
  }
  throw usage_error(
      fmt::format("unknown task '{}', expected one of {}", name, join(task_names(), ", ")));
}

}  // namespace nsop::layers
