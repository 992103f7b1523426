// The variant `batched`: a network of this library's layers, two forward passes, one backward pass
// and one update per training call. Its maker is declared in dqn.h.
#include <algorithm>
#include <array>
#include <vector>

#include "layers/activations.h"
#include "layers/apps/dqn2048/dqn.h"
#include "layers/core/copy.h"
#include "layers/core/sequential.h"
#include "layers/dense.h"
#include "layers/training/optimizer.h"

namespace nsop::layers {
namespace {

// Weights lie as [in, out], which saves the products a transposition.
constexpr DenseOptions kOptions = {.bias = true, .out_by_in = false};
constexpr std::array<size_t, 4> kWidths = {kCells, kHidden, kHidden, kDirections};

Sequential make_network() {
  Sequential net;
  net.add<Dense>(kCells, kHidden, kOptions).add<ReLU>();
  net.add<Dense>(kHidden, kHidden, kOptions).add<ReLU>();
  net.add<Dense>(kHidden, kDirections, kOptions);
  return net;
}

// to [columns, rows] = from [rows, columns]
void transpose(std::span<const float> from, size_t rows, size_t columns, std::span<float> to) {
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

class BatchedTrainer final : public DqnTrainer {
 public:
  explicit BatchedTrainer(size_t rows) : rows_(rows), dq_(rows * kDirections) {
    const Shape batch{static_cast<int64_t>(rows), kCells};
    net_.init(batch);
    next_.init_sharing(batch, net_);
    one_.init_sharing({1, kCells}, net_);
    adam_.init(net_.parameters());
  }

  void reset(std::span<const float> parameters) override {
    for (size_t layer = 0; layer + 1 < kWidths.size(); ++layer) {
      const size_t in = kWidths[layer], out = kWidths[layer + 1];
      transpose(parameters.first(in * out), out, in, value(2 * layer));
      copy_floats(parameters.subspan(in * out, out), value(2 * layer + 1));
      parameters = parameters.subspan((in + 1) * out);
    }
    for (const Buffer& state : adam_.state()) clear_floats(state.value);
  }

  float train(const DqnBatch& batch) override {
    const auto next_q = next_.forward(batch.next_states);
    const auto q = net_.forward(batch.states);
    const float loss = output_gradient(batch, q, next_q);
    phases().end(DqnPhase::kForward);
    net_.backward(dq_);
    phases().end(DqnPhase::kBackward);
    adam_.step(kLearningRate);
    phases().end(DqnPhase::kUpdate);
    return loss;
  }

  void values(std::span<const float, kCells> state, std::span<float, kDirections> q) override {
    copy_floats(one_.forward(state), q);
  }

  void store(std::span<float> parameters) const override {
    for (size_t layer = 0; layer + 1 < kWidths.size(); ++layer) {
      const size_t in = kWidths[layer], out = kWidths[layer + 1];
      transpose(value(2 * layer), in, out, parameters.first(in * out));
      copy_floats(value(2 * layer + 1), parameters.subspan(in * out));
      parameters = parameters.subspan((in + 1) * out);
    }
  }

  std::vector<float> moments() const override {
    std::vector<float> all;
    for (const Buffer& b : std::span(adam_.state()).subspan(1)) {  // the first counts the steps
      all.insert(all.end(), b.value.begin(), b.value.end());
    }
    return all;
  }

  size_t workspace_bytes() const override {
    return net_.memory_bytes() + next_.memory_bytes() + one_.memory_bytes() + adam_.memory_bytes();
  }

 private:
  Floats value(size_t i) const { return net_.parameters()[i].value; }

  // dL/dq into dq_; returns the loss.
  float output_gradient(const DqnBatch& batch, ConstFloats q, ConstFloats next_q) {
    const auto count = static_cast<float>(dq_.size());
    float sum = 0;
    clear_floats(dq_);
    for (size_t i = 0; i < rows_; ++i) {
      const auto next = next_q.subspan(i * kDirections, kDirections);
      const float later =
          batch.done[i] != 0 ? 0 : static_cast<float>(kGamma) * std::ranges::max(next);
      const size_t at = i * kDirections + static_cast<size_t>(batch.actions[i]);
      const float error = q[at] - (batch.rewards[i] + later);
      sum += error * error;
      dq_[at] = 2 * error / count;
    }
    return sum / count;
  }

  size_t rows_;                       // of a batch
  Sequential net_ = make_network();   // trained, on a batch
  Sequential next_ = make_network();  // the same parameters, for the next states
  Sequential one_ = make_network();   // the same, for one state
  Optimizer adam_{Adam{.beta1 = kBeta1, .beta2 = kBeta2, .eps = kAdamEpsilon}};
  std::vector<float> dq_;
};

}  // namespace

std::unique_ptr<DqnTrainer> make_batched_trainer(size_t batch) {
  return std::make_unique<BatchedTrainer>(batch);
}

}  // namespace nsop::layers
