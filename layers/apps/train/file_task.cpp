#include "layers/apps/train/file_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "harness/core/error.h"
#include "layers/activations.h"
#include "layers/dense.h"
#include "layers/norm.h"
#include "layers/reshape.h"

namespace nsop::layers {
namespace {

constexpr float kMostClasses = 10000;
constexpr size_t kWidest = size_t{1} << 40;  // more than memory holds anywhere

void require(bool holds, const char* what, double given, const char* expected) {
  if (!holds) throw usage_error(fmt::format("{}: expected {}, given {}", what, expected, given));
}

void check(const FileTask& from) {
  const bool arrays = !from.examples.empty() && !from.targets.empty();
  const bool half = from.examples.empty() != from.targets.empty();
  if (half || arrays == !from.csv.empty()) {
    throw usage_error("expected either --csv FILE, or --examples FILE with --targets FILE");
  }
  require(from.test_share > 0 && from.test_share < 1, "test share", from.test_share,
          "a number between 0 and 1");
  require(from.batch >= 2, "batch", static_cast<double>(from.batch),
          "at least 2, by whose mean and variance inputs are normalised");
  require(from.epochs >= 1, "epochs", from.epochs, "at least 1");
  require(from.rate > 0 && std::isfinite(from.rate), "rate", from.rate, "a number above 0");
  require(from.goal <= 1, "goal", from.goal, "a number of at most 1");
  for (const size_t width : from.hidden) {
    require(width >= 1 && width <= kWidest, "hidden", static_cast<double>(width),
            "sizes of at least 1 and at most 2^40");
  }
}

Dataset read(const FileTask& from) {
  if (!from.csv.empty())
    return load_csv(from.csv, {.header = from.header, .separator = from.separator});
  return load_npy(from.examples, from.targets);
}

const std::string& target_file(const FileTask& from) {
  return from.csv.empty() ? from.targets : from.csv;
}

// How many values the network must give.
size_t outputs_of(const FileTask& from, const Dataset& data) {
  const auto [least, most] = std::ranges::minmax(data.targets);
  const std::string& path = target_file(from);
  if (least == most) throw bad_data(fmt::format("{}: every target is {}", path, least));
  if (from.numbers) return data.target_size();
  if (data.target_size() != 1) {
    throw bad_data(fmt::format("{}: {} targets per example, expected one class number", path,
                               data.target_size()));
  }
  for (size_t i = 0; i < data.targets.size(); ++i) {
    const float t = data.targets[i];
    if (t >= 0 && t < kMostClasses && t == std::floor(t)) continue;
    throw bad_data(
        fmt::format("{}: target of example {} is {}, expected a class number from 0 to {}; targets "
                    "that are numbers to be met need --numbers",
                    path, i, t, kMostClasses - 1));
  }
  return static_cast<size_t>(most) + 1;
}

// One example has no variance to normalise inputs by.
void require_some_to_train(const Dataset& train, const std::string& path) {
  if (train.size() >= 2) return;
  throw usage_error(fmt::format(
      "{}: {} example is left to train with, expected at least 2; more examples or a smaller test "
      "share are needed",
      path, train.size()));
}

// Without it there is nothing to explain.
void require_variance(const Dataset& test, const std::string& path) {
  const size_t width = test.target_size();
  for (size_t i = width; i < test.targets.size(); ++i) {
    if (test.targets[i] != test.targets[i - width]) return;
  }
  throw bad_data(
      fmt::format("{}: all {} test examples have the same target; a larger test share is needed",
                  path, test.size()));
}

// The targets as a data set whose examples they are.
Dataset targets_of(Dataset& data) {
  std::vector<float> none(data.size());
  return {{static_cast<int64_t>(data.target_size())}, {}, std::move(data.targets), std::move(none)};
}

void normalise_targets(Task& task) {
  Dataset train = targets_of(task.train), test = targets_of(task.test);
  const Normalizer normalizer(train);
  normalizer.apply(train);
  normalizer.apply(test);
  task.train.targets = std::move(train.examples);
  task.test.targets = std::move(test.examples);
  task.target_mean = normalizer.mean();
  task.target_scale = normalizer.scale();
}

// Replaces the output z of the last layer, of weights [out, in] and biases [out], by
// z * factor[i] + offset[i].
void change_outputs(const Sequential& network, const std::vector<double>& factor,
                    const std::vector<double>& offset) {
  const std::vector<Parameter>& parameters = network.parameters();
  const Floats weight = parameters[parameters.size() - 2].value;
  const Floats bias = parameters.back().value;
  const size_t in = weight.size() / bias.size();
  for (size_t i = 0; i < weight.size(); ++i) {
    weight[i] = static_cast<float>(weight[i] * factor[i / in]);
  }
  for (size_t i = 0; i < bias.size(); ++i) {
    bias[i] = static_cast<float>(bias[i] * factor[i] + offset[i]);
  }
}

Sequential make_network(const std::vector<size_t>& hidden, size_t in, size_t out) {
  Sequential net;
  net.add<Flatten>().add<BatchNorm>(in);
  for (const size_t width : hidden) {
    net.add<Dense>(in, width).add<ReLU>();
    in = width;
  }
  net.add<Dense>(in, out);
  return net;
}

}  // namespace

Task make_file_task(const FileTask& from, uint64_t seed) {
  check(from);
  const Dataset data = read(from);
  const size_t out = outputs_of(from, data);
  Task task;
  task.name = target_file(from);
  task.about = fmt::format("{} examples of {}", data.size(), shape_text(data.example_shape));
  task.test_share = from.test_share;
  std::tie(task.test, task.train) = split_dataset(data, from.test_share, seed);
  require_some_to_train(task.train, target_file(from));
  if (from.numbers) {
    require_variance(task.test, target_file(from));
    normalise_targets(task);
  }
  task.network = [hidden = from.hidden, in = data.example_size(), out] {
    return make_network(hidden, in, out);
  };
  task.loss.kind = from.numbers ? LossKind::kMse : LossKind::kCrossEntropy;
  task.rule = AdamW{};
  task.rate = from.rate;
  task.batch = std::min(from.batch, task.train.size());
  task.epochs = from.epochs;
  task.goal = from.goal;
  return task;
}

void give_numbers(const Task& task, const Sequential& network) {
  std::vector<double> factor;
  for (const double scale : task.target_scale) factor.push_back(1 / scale);
  if (!factor.empty()) change_outputs(network, factor, task.target_mean);
}

void give_distances(const Task& task, const Sequential& network) {
  std::vector<double> offset;
  for (size_t i = 0; i < task.target_mean.size(); ++i) {
    offset.push_back(-task.target_mean[i] * task.target_scale[i]);
  }
  if (!offset.empty()) change_outputs(network, task.target_scale, offset);
}

}  // namespace nsop::layers
