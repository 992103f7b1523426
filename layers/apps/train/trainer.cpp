#include "layers/apps/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "harness/core/error.h"
#include "kernels/runtime/target.h"
#include "layers/core/quoted.h"
#include "layers/training/model_file.h"

namespace nsop::layers {
namespace {

constexpr double kMaxNorm = 5;  // of the gradients of all parameters

Shape batch_shape(const Dataset& data, size_t batch) {
  Shape shape = {static_cast<int64_t>(batch)};
  shape.insert(shape.end(), data.example_shape.begin(), data.example_shape.end());
  return shape;
}

Sequential initialised(const Task& task, uint64_t seed, int threads) {
  Sequential net = task.network();
  net.init(batch_shape(task.train, task.batch), threads);
  Random random(seed);
  net.init_parameters(random);
  return net;
}

// Is the answer in a row of outputs right?
bool is_right(ConstFloats outputs, float target) {
  if (std::ranges::any_of(outputs, [](float v) { return std::isnan(v); })) return false;
  if (outputs.size() == 1) return (outputs[0] > 0) == (target > 0.5f);
  const auto largest = std::ranges::max_element(outputs) - outputs.begin();
  return static_cast<float>(largest) == target;
}

}  // namespace

Trainer::Trainer(const Task& task, uint64_t seed, int threads)
    : task_(task),
      threads_(threads),
      origin_(origin_of(task, seed)),
      training_(initialised(task, seed, threads)),
      testing_(task.network()),
      loss_(task.loss),
      optimizer_(task.rule),
      clipper_(training_.parameters(), threads),
      loader_(task.train, {.batch = task.batch, .seed = seed}),
      schedule_(Schedule::cosine(task.rate, static_cast<int64_t>(loader_.batches()) * task.epochs)),
      gradient_(static_cast<size_t>(element_count(training_.output_shape()))) {
  testing_.init_sharing(batch_shape(task.test, task.test.size()), training_, threads);
  testing_.set_training(false);
  loss_.init(training_.output_shape(), threads);
  optimizer_.init(training_.parameters(), threads);
}

Epoch Trainer::run_epoch() {
  if (epoch_ > 0) loader_.start_epoch();
  auto step = static_cast<int64_t>(loader_.batches()) * epoch_;
  Epoch epoch{++epoch_};
  Batch batch;
  for (; loader_.next(batch); ++step) {
    epoch.loss += loss_.run(training_.forward(batch.examples), batch.targets, gradient_);
    training_.backward(gradient_);
    clipper_.clip_norm(kMaxNorm);
    epoch.rate = schedule_.at(step);
    optimizer_.step(epoch.rate);
  }
  epoch.loss /= static_cast<double>(loader_.batches());
  epoch.accuracy = accuracy();
  return epoch;
}

void Trainer::save_checkpoint(const std::string& path) const {
  Origin metadata = origin_;
  for (const auto& [key, value] : conditions()) metadata[key] = value;
  metadata["epoch"] = std::to_string(epoch_);
  save_model(path, tensors_of(training_, optimizer_), metadata);
}

std::vector<std::pair<std::string, std::string>> Trainer::conditions() const {
  const auto origin = [&](const char* key) { return std::pair(std::string(key), origin_.at(key)); };
  const std::string recipe = fmt::format("batches of {} from {} examples, rate {}, {} epochs",
                                         task_.batch, task_.train.size(), task_.rate, task_.epochs);
  return {origin("task"),
          origin("seed"),
          {"recipe", recipe},
          origin("train_sha256"),
          {"threads", std::to_string(threads_)},
          {"target", kernels::current_target()}};
}

void Trainer::resume(const std::string& path) {
  const auto metadata = read_metadata(path);
  const auto given = [&](const std::string& key) {
    const auto at = metadata.find(key);
    return at == metadata.end() ? "none" : at->second;
  };
  const auto refuse = [&](const std::string& key, const std::string& expected) {
    throw bad_data(fmt::format("{}: a checkpoint of {} {}, expected {}", path, key,
                               quoted(given(key)), expected));
  };
  for (const auto& [key, expected] : conditions()) {
    if (given(key) != expected) refuse(key, expected);
  }
  const std::string epoch = given("epoch");
  int done = 0;
  const auto [end, error] = std::from_chars(epoch.data(), epoch.data() + epoch.size(), done);
  if (error != std::errc() || end != epoch.data() + epoch.size() || done < 1 ||
      done > task_.epochs) {
    refuse("epoch", fmt::format("1 to {}", task_.epochs));
  }
  load_model(path, tensors_of(training_, optimizer_));
  epoch_ = done;
  for (int i = 1; i < epoch_; ++i) loader_.start_epoch();
}

double Trainer::explained_variance(ConstFloats outputs) const {
  const std::vector<float>& targets = task_.test.targets;
  const size_t width = task_.test.target_size();
  std::vector<double> means(width);
  for (size_t i = 0; i < targets.size(); ++i) {
    means[i % width] += targets[i] / static_cast<double>(task_.test.size());
  }
  double missed = 0, all = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    missed += std::pow(outputs[i] - targets[i], 2);
    all += std::pow(targets[i] - means[i % width], 2);
  }
  return 1 - missed / all;
}

double Trainer::accuracy() {
  const ConstFloats outputs = testing_.forward(task_.test.examples);
  if (task_.loss.kind == LossKind::kMse) return explained_variance(outputs);
  const size_t count = task_.test.size();
  const size_t width = outputs.size() / count;
  size_t right = 0;
  for (size_t i = 0; i < count; ++i) {
    right += is_right(outputs.subspan(i * width, width), task_.test.targets[i]);
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

}  // namespace nsop::layers
