#include "layers/learning/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/core/error.h"
#include "layers/model_file.h"

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
  if (outputs.size() == 1) return (outputs[0] > 0) == (target > 0.5f);
  const auto largest = std::ranges::max_element(outputs) - outputs.begin();
  return static_cast<float>(largest) == target;
}

}  // namespace

Trainer::Trainer(const Task& task, uint64_t seed, int threads)
    : task_(task),
      seed_(seed),
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
  Epoch epoch{++epoch_};
  Batch batch;
  while (loader_.next(batch)) {
    epoch.loss += loss_.run(training_.forward(batch.examples), batch.targets, gradient_);
    training_.backward(gradient_);
    clipper_.clip_norm(kMaxNorm);
    epoch.rate = schedule_.at(optimizer_.steps());
    optimizer_.step(epoch.rate);
  }
  epoch.loss /= static_cast<double>(loader_.batches());
  epoch.accuracy = accuracy();
  return epoch;
}

void Trainer::save_checkpoint(const std::string& path) const {
  save_model(path, tensors_of(training_, optimizer_),
             {{"task", task_.name}, {"seed", std::to_string(seed_)}});
}

void Trainer::resume(const std::string& path) {
  const auto metadata = read_metadata(path);
  for (const auto& [key, expected] :
       {std::pair<std::string, std::string>("task", task_.name), {"seed", std::to_string(seed_)}}) {
    const auto at = metadata.find(key);
    const std::string given = at == metadata.end() ? "none" : at->second;
    if (given == expected) continue;
    throw bad_data(
        fmt::format("{}: a checkpoint of {} {}, expected {}", path, key, given, expected));
  }
  load_model(path, tensors_of(training_, optimizer_));
  epoch_ = static_cast<int>(optimizer_.steps() / static_cast<int64_t>(loader_.batches()));
  for (int i = 1; i < epoch_; ++i) loader_.start_epoch();
}

double Trainer::explained_variance(ConstFloats outputs) const {
  const std::vector<float>& targets = task_.test.targets;
  const double count = static_cast<double>(targets.size());
  const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) / count;
  double missed = 0, all = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    missed += std::pow(outputs[i] - targets[i], 2);
    all += std::pow(targets[i] - mean, 2);
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
