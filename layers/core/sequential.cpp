#include "layers/core/sequential.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "layers/core/threads.h"

namespace nsop::layers {

Sequential& Sequential::add(std::unique_ptr<Layer> layer) {
  layers_.push_back(std::move(layer));
  return *this;
}

// The shape of the input and of each layer's output.
std::vector<Shape> Sequential::shapes_for(const Shape& in) const {
  if (layers_.empty()) throw usage_error("Sequential: has no layers; add() some before init()");
  std::vector<Shape> shapes = {in};
  for (size_t i = 0; i < layers_.size(); ++i) {
    try {
      shapes.push_back(layers_[i]->output_shape(shapes.back()));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("layer {}: {}", i, error.what()));
    }
  }
  return shapes;
}

Sequential::Planned Sequential::take(const std::vector<Shape>& shapes, Arena& arena,
                                     ThreadPool& thread_pool) {
  Planned planned;
  size_t largest = 0;
  for (size_t i = 0; i < layers_.size(); ++i) {
    layers_[i]->init(shapes[i], arena, thread_pool);
    const auto out = static_cast<size_t>(element_count(shapes[i + 1]));
    const bool view = i > 0 && layers_[i]->is_view();
    planned.activations.push_back(view ? planned.activations.back() : arena.take(out));
    if (i + 1 < layers_.size()) largest = std::max(largest, out);
  }
  for (Floats& gradients : planned.gradients) gradients = arena.take(largest);
  return planned;
}

void Sequential::init(const Shape& in, int threads) {
  const std::vector<Shape> shapes = shapes_for(in);
  ThreadPool& thread_pool = checked_threads(threads, "Sequential");
  planned_layers_ = 0;  // until all is done: memory may run out
  Arena measuring;
  take(shapes, measuring, thread_pool);
  arena_ = Arena(measuring.plan());
  planned_ = take(shapes, arena_, thread_pool);
  in_ = in;
  out_ = shapes.back();
  planned_layers_ = layers_.size();
  x_ = {};
  collect_parameters();
}

void Sequential::init_sharing(const Shape& in, const Sequential& owner, int threads) {
  owner.require_initialised("init_sharing() with it");
  if (owner.size() != size()) {
    throw usage_error(fmt::format("Sequential: can't share the parameters of {} layers with {}",
                                  owner.size(), size()));
  }
  init(in, threads);
  planned_layers_ = 0;  // until all share
  for (size_t i = 0; i < layers_.size(); ++i) layers_[i]->share(*owner.layers_[i]);
  planned_layers_ = layers_.size();
  collect_parameters();
}

void Sequential::collect_parameters() {
  parameters_.clear();
  buffers_.clear();
  training_state_.clear();
  for (size_t i = 0; i < layers_.size(); ++i) {
    const std::string prefix = std::to_string(i) + ".";
    for (Parameter p : layers_[i]->parameters()) {
      p.name = prefix + p.name;
      parameters_.push_back(p);
    }
    for (Buffer b : layers_[i]->buffers()) {
      b.name = prefix + b.name;
      buffers_.push_back(b);
    }
    for (Buffer b : layers_[i]->training_state()) {
      b.name = prefix + b.name;
      training_state_.push_back(b);
    }
  }
}

void Sequential::init_parameters(Random& random) {
  require_initialised("init_parameters()");
  for (const auto& layer : layers_) layer->init_parameters(random);
}

void Sequential::set_training(bool training) {
  for (const auto& layer : layers_) layer->set_training(training);
}

void Sequential::require_initialised(const char* what) const {
  if (planned_layers_ == 0 || planned_layers_ != layers_.size()) {
    throw usage_error(fmt::format("Sequential: init() must come before {}", what));
  }
}

ConstFloats Sequential::forward(ConstFloats x) {
  require_initialised("forward()");
  ConstFloats from = x;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0 && layers_[i]->is_view()) continue;  // its output is where its input is
    layers_[i]->forward(from, planned_.activations[i]);
    from = planned_.activations[i];
  }
  x_ = x;
  return from;
}

void Sequential::backward(ConstFloats dy, Floats dx) {
  require_initialised("backward()");
  if (x_.empty()) throw usage_error("Sequential: forward() must come before backward()");
  const auto expected = static_cast<size_t>(element_count(out_));
  if (dy.size() != expected) {
    throw usage_error(fmt::format("Sequential: expected a gradient of {} values ({}), given {}",
                                  expected, shape_text(out_), dy.size()));
  }
  ConstFloats from = dy;
  size_t turn = 0;
  for (size_t i = layers_.size(); i-- > 0;) {
    if (i > 0 && layers_[i]->is_view()) continue;
    const ConstFloats x = i == 0 ? x_ : ConstFloats(planned_.activations[i - 1]);
    const Floats to = i == 0 ? dx : planned_.gradients[turn++ % 2].first(x.size());
    layers_[i]->backward(x, planned_.activations[i], from, to);
    from = to;
  }
}

}  // namespace nsop::layers
