// A chain of layers whose memory is planned once.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "layers/core/layer.h"

namespace nsop::layers {

// Between init() calls nothing is allocated: activations are kept for the backward pass, gradients
// of activations take turns in two buffers, the workspace is the largest that a layer needs.
class Sequential {
 public:
  Sequential() = default;
  Sequential(Sequential&&) = default;
  Sequential& operator=(Sequential&&) = default;

  // Appends a layer; takes effect at the next init().
  template <class L, class... Args>
  Sequential& add(Args&&... args) {
    return add(std::make_unique<L>(std::forward<Args>(args)...));
  }
  Sequential& add(std::unique_ptr<Layer> layer);

  // Plans for inputs of this shape and takes the memory; parameters start as zeros (scales as
  // ones), old values are gone. Throws Error (usage) about the first layer that the shape doesn't
  // fit, in which case the network stays as it was.
  void init(const Shape& in, int threads = 1);
  // The same, for a second shape (such as another batch size) of a network with the same layers:
  // its parameters and buffers have the values of `owner`, which must outlive this network and not
  // be initialised again. Gradients are this one's own. Throws Error (usage) when layers differ, or
  // keep state of another shape; then init() must come again.
  void init_sharing(const Shape& in, const Sequential& owner, int threads = 1);

  void init_parameters(Random& random);
  void set_training(bool training);

  // The output, valid until the next forward() or init(). x must stay as it is until backward().
  // Throws Error (usage) when the size differs from init()'s; the network stays usable.
  ConstFloats forward(ConstFloats x);

  // Gradients of the latest forward() into the parameters, and of its input into dx unless that is
  // empty. Throws Error (usage) without a forward() before, or when sizes don't fit.
  void backward(ConstFloats dy, Floats dx = {});

  // Of all layers, in order, named `<position>.<name>`: `0.weight`. Empty before init().
  std::vector<Parameter>& parameters() { return parameters_; }
  std::vector<Buffer>& buffers() { return buffers_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  const std::vector<Buffer>& training_state() const { return training_state_; }

  size_t size() const { return layers_.size(); }
  Layer& layer(size_t i) { return *layers_[i]; }
  const Layer& layer(size_t i) const { return *layers_[i]; }

  const Shape& input_shape() const { return in_; }
  const Shape& output_shape() const { return out_; }
  // Of the one block that holds everything.
  size_t memory_bytes() const { return arena_.bytes(); }

 private:
  struct Planned {
    std::vector<Floats> activations;  // one per layer: its output
    Floats gradients[2];
  };

  std::vector<Shape> shapes_for(const Shape& in) const;
  Planned take(const std::vector<Shape>& shapes, Arena& arena, ThreadPool& thread_pool);
  void collect_parameters();
  void require_initialised(const char* what) const;

  std::vector<std::unique_ptr<Layer>> layers_;
  size_t planned_layers_ = 0;
  Shape in_;
  Shape out_;
  Arena arena_;
  Planned planned_;
  std::vector<Parameter> parameters_;
  std::vector<Buffer> buffers_;
  std::vector<Buffer> training_state_;
  ConstFloats x_;  // of the latest forward()
};

}  // namespace nsop::layers
