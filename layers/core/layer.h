// What every layer is: shapes are fixed and memory is taken by init(); forward() and backward()
// then allocate nothing. Tensors are contiguous float32, row-major.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/core/tensor/tensor.h"
#include "kernels/runtime/thread_pool.h"
#include "layers/core/arena.h"
#include "layers/core/random.h"

namespace nsop::layers {

using kernels::ThreadPool;
using ConstFloats = std::span<const float>;
using Floats = std::span<float>;

// What training changes. The memory belongs to the arena that the layer was initialised with.
struct Parameter {
  std::string name;  // `weight`, `bias`; of a network `2.weight`
  Shape shape;
  Floats value;
  Floats gradient;  // of the latest backward(), which overwrites it
};

// State beside the parameters that belongs to a trained model, such as running statistics.
struct Buffer {
  std::string name;
  Shape shape;
  Floats value;
};

// Of channels, kernels, strides, paddings and dilations: no arithmetic on them overflows.
constexpr size_t kLargestSize = size_t{1} << 20;

class Layer {
 public:
  virtual ~Layer() = default;

  // Kind and configuration: `Dense(64->128)`. Errors begin with it.
  virtual std::string name() const = 0;

  // The shape of the output for inputs of shape `in`. Throws Error (usage) with the layer, the
  // expected and the given shape when they don't fit or have more than 2^40 values.
  Shape output_shape(const Shape& in) const;

  // Fixes the shape and takes parameters (zeros, but for scales, which are ones), gradients, saved
  // state and workspace from the arena; the pool and the arena must outlive the layer's use. Run
  // twice, with a measuring arena and with one of its plan. The target of the kernels
  // (kernels/runtime/target.h) must stay what it is now. Throws like output_shape(), and then
  // changes nothing.
  void init(const Shape& in, Arena& arena, ThreadPool& thread_pool);

  // Gives parameters their starting values; does nothing where there are none.
  virtual void init_parameters(Random& random);

  // y = f(x). Throws Error (usage) when a size differs from init()'s, or before init().
  void forward(ConstFloats x, Floats y);

  // From dy, the gradient of the output: writes the gradient of the input to dx unless dx is empty,
  // and overwrites the gradients of the parameters. x and y are what the latest forward() read and
  // wrote. dx may not overlap the others unless is_view(). Throws like forward().
  void backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx);

  std::vector<Parameter>& parameters() { return parameters_; }
  std::vector<Buffer>& buffers() { return buffers_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }

  // What else decides how training goes on, such as a place in a stream of random numbers: saved to
  // go on from, but no part of a trained model.
  const std::vector<Buffer>& training_state() const { return training_state_; }

  // From now on uses the values of the parameters and buffers of `other`, a layer of the same kind
  // and configuration that must outlive this one; gradients stay its own. After init() of both.
  // Throws Error (usage) when names or shapes differ.
  void share(const Layer& other);

  // Training (at the start) or inference; matters to dropout and batch normalisation only.
  void set_training(bool training) { training_ = training; }
  bool training() const { return training_; }

  const Shape& input_shape() const { return in_; }
  const Shape& output_shape() const { return out_; }

  // May y be x and dx be dy, the data staying as it is? (A change of shape alone.)
  virtual bool is_view() const { return false; }

 protected:
  // As output_shape(); `in` has at least one extent and none below 1.
  virtual Shape infer(const Shape& in) const = 0;
  // Takes memory and fixes what depends on input_shape(). Spans that it gets are empty in the
  // measuring pass: store them, don't look at them.
  virtual void plan(Arena& arena) = 0;
  virtual void do_forward(ConstFloats x, Floats y) = 0;
  virtual void do_backward(ConstFloats x, ConstFloats y, ConstFloats dy, Floats dx) = 0;

  // For plan(): adds a parameter with its gradient, or a buffer.
  void add_parameter(const std::string& name, const Shape& shape, Arena& arena, float value = 0);
  void add_buffer(const std::string& name, const Shape& shape, Arena& arena, float value = 0);
  // Memory that is the layer's own.
  void add_training_state(const std::string& name, Floats value);

  ConstFloats value(size_t parameter) const { return parameters_[parameter].value; }
  Floats gradient(size_t parameter) const { return parameters_[parameter].gradient; }
  Floats buffer(size_t i) const { return buffers_[i].value; }
  ThreadPool& thread_pool() const { return *thread_pool_; }

  // Throws the Error about an input of the wrong shape; `expected` is such as `[batch, 64]`.
  [[noreturn]] void refuse(const std::string& expected, const Shape& given) const;

 private:
  void check(const char* what, size_t given, const Shape& shape) const;

  Shape in_;
  Shape out_;
  size_t in_size_ = 0;
  size_t out_size_ = 0;
  ThreadPool* thread_pool_ = nullptr;
  bool training_ = true;
  std::vector<Parameter> parameters_;
  std::vector<Buffer> buffers_;
  std::vector<Buffer> training_state_;
};

}  // namespace nsop::layers
