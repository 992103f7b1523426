#include "layers/learning/trainer.h"

#include <algorithm>

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

double Trainer::accuracy() {
  const ConstFloats outputs = testing_.forward(task_.test.examples);
  const size_t count = task_.test.size();
  const size_t width = outputs.size() / count;
  size_t right = 0;
  for (size_t i = 0; i < count; ++i) {
    right += is_right(outputs.subspan(i * width, width), task_.test.targets[i]);
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

}  // namespace nsop::layers
