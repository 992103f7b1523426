// Optimizers: from the gradients of parameters to their next values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "layers/core/layer.h"

namespace nsop::layers {

// The formulas are in kernels/elementwise/optimizer.h, the defaults are PyTorch's. weight_decay
// is added to the gradient, but for AdamW, which shrinks the weights themselves (Loshchilov &
// Hutter 2019, arXiv:1711.05101).
struct Sgd {
  double momentum = 0;
  bool nesterov = false;  // needs a momentum
  double weight_decay = 0;
};
struct Adam {  // Kingma & Ba 2015, arXiv:1412.6980
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
};
struct AdamW {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
};
struct Rmsprop {  // Tieleman & Hinton 2012, lecture 6.5 of Neural networks for machine learning
  double alpha = 0.99;
  double eps = 1e-8;
  double momentum = 0;
  double weight_decay = 0;
};
struct Adagrad {  // Duchi, Hazan & Singer 2011
  double eps = 1e-10;
  double weight_decay = 0;
};

using OptimizerRule = std::variant<Sgd, Adam, AdamW, Rmsprop, Adagrad>;

class Optimizer {
 public:
  // Throws Error (usage) for a number outside of its range: decay rates and momentum in [0, 1),
  // eps above 0 (Adagrad and the like divide by it), weight decay at least 0.
  explicit Optimizer(const OptimizerRule& rule);

  // From now on steps these parameters, which with their gradients must stay where they are; takes
  // all memory for the state, which starts as zeros. Throws Error (usage) for less than one thread.
  void init(const std::vector<Parameter>& parameters, int threads = 1);

  // One update with the current gradients. Allocates nothing. Throws Error (usage) before init()
  // and for a learning rate that isn't a finite number of at least 0.
  void step(double learning_rate);

  int64_t steps() const;  // done so far; stands still at 2^24

  // What must be saved beside the model to go on training as if nothing had happened:
  // `optimizer.steps`, and per parameter such as `optimizer.m.0.weight`.
  const std::vector<Buffer>& state() const { return state_; }

  // Of the one block that holds the state.
  size_t memory_bytes() const { return arena_.bytes(); }

  std::string name() const;  // `Adam`

 private:
  struct Slot {
    Parameter parameter;
    Floats first, second;  // state, empty where the rule has none
  };

  void plan(const std::vector<Parameter>& parameters, Arena& arena);

  OptimizerRule rule_;
  ThreadPool* thread_pool_ = nullptr;
  Arena arena_;
  std::vector<Slot> slots_;
  std::vector<Buffer> state_;  // the first one counts the steps
};

}  // namespace nsop::layers
