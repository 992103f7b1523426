// The variants `functional` and `pooled`: the same operations, with and without a pool of buffers.
// Their maker is declared in dqn.h.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "layers/apps/dqn2048/dqn.h"
#include "layers/apps/dqn2048/functional.h"

namespace nsop::layers {
namespace {

namespace fn = functional;

struct Extent {
  size_t rows, columns;
};
constexpr std::array<Extent, 6> kExtents = {{{kHidden, kCells},
                                             {1, kHidden},
                                             {kHidden, kHidden},
                                             {1, kHidden},
                                             {kDirections, kHidden},
                                             {1, kDirections}}};

using Parameters = std::vector<fn::Tensor>;  // w1, b1, w2, b2, w3, b3

fn::Tensor linear(const fn::Tensor& x, const fn::Tensor& w, const fn::Tensor& b) {
  return fn::add(fn::matmul(x, fn::transpose(w)), b);
}

fn::Tensor forward(const fn::Tensor& x, const Parameters& p) {
  const fn::Tensor first = fn::relu(linear(x, p[0], p[1]));
  const fn::Tensor second = fn::relu(linear(first, p[2], p[3]));
  return linear(second, p[4], p[5]);
}

class FunctionalTrainer final : public DqnTrainer {
 public:
  FunctionalTrainer(size_t updates, bool pooled, size_t batch)
      : updates_(updates), rows_(batch / updates), buffers_(pooled) {
    assert(updates == 1 || updates == batch);
  }

  void reset(std::span<const float> parameters) override {
    parameters_.clear();
    first_moments_.clear();
    second_moments_.clear();
    steps_ = 0;
    buffers_.forget_counts();
    for (const Extent& e : kExtents) {
      const size_t size = e.rows * e.columns;
      const std::vector<float> zeros(size);
      parameters_.push_back(fn::parameter(buffers_, e.rows, e.columns, parameters.first(size)));
      first_moments_.push_back(fn::tensor(buffers_, e.rows, e.columns, zeros));
      second_moments_.push_back(fn::tensor(buffers_, e.rows, e.columns, zeros));
      parameters = parameters.subspan(size);
    }
  }

  float train(const DqnBatch& batch) override {
    float sum = 0;
    for (size_t i = 0; i < updates_; ++i) {
      sum += train_rows(batch, i * rows_);
      phases().end(DqnPhase::kUpdate);  // here the graph is gone, too
    }
    return sum / static_cast<float>(updates_);
  }

  void values(std::span<const float, kCells> state, std::span<float, kDirections> q) override {
    const fn::Tensor x = fn::tensor(buffers_, 1, kCells, state);
    std::ranges::copy(forward(x, parameters_)->data(), q.begin());
  }

  void store(std::span<float> parameters) const override {
    auto to = parameters.begin();
    for (const fn::Tensor& p : parameters_) to = std::ranges::copy(p->data(), to).out;
  }

  std::vector<float> moments() const override {
    std::vector<float> all;
    for (const Parameters* each : {&first_moments_, &second_moments_}) {
      for (const fn::Tensor& t : *each) all.insert(all.end(), t->data().begin(), t->data().end());
    }
    return all;
  }

  std::map<std::string, double> metrics() const override {
    if (!buffers_.pooled()) return {};
    const fn::PoolCounts counts = buffers_.counts();
    return {{"pool_hits", static_cast<double>(counts.hits)},
            {"pool_misses", static_cast<double>(counts.misses)},
            {"pool_retained_bytes", static_cast<double>(counts.retained_bytes)}};
  }

 private:
  // Experiences [begin, begin + rows_): their loss and one update.
  float train_rows(const DqnBatch& batch, size_t begin) {
    const auto states = batch.states.subspan(begin * kCells, rows_ * kCells);
    const auto next = batch.next_states.subspan(begin * kCells, rows_ * kCells);
    const fn::Tensor q = forward(fn::tensor(buffers_, rows_, kCells, states), parameters_);
    const fn::Tensor next_q = forward(fn::tensor(buffers_, rows_, kCells, next), parameters_);
    const auto gamma = static_cast<float>(kGamma);
    std::vector<float> target(q->data().begin(), q->data().end());
    for (size_t i = 0; i < rows_; ++i) {
      const auto row = next_q->data().subspan(i * kDirections, kDirections);
      const float later = batch.done[begin + i] != 0 ? 0 : gamma * std::ranges::max(row);
      const auto taken = static_cast<size_t>(batch.actions[begin + i]);
      target[i * kDirections + taken] = batch.rewards[begin + i] + later;
    }
    const fn::Tensor error = fn::sub(q, fn::tensor(buffers_, rows_, kDirections, target));
    const fn::Tensor loss = fn::mean(fn::mul(error, error));
    phases().end(DqnPhase::kForward);
    const std::vector<fn::Tensor> gradients = fn::gradients(loss, parameters_);
    phases().end(DqnPhase::kBackward);
    update(gradients);
    return loss->data()[0];
  }

  // Adam (Kingma & Ba 2015, arXiv:1412.6980), every intermediate a tensor of its own.
  void update(const std::vector<fn::Tensor>& gradients) {
    const fn::NoGraph no_graph;
    ++steps_;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const fn::Tensor& g = gradients[i];
      first_moments_[i] = averaged(first_moments_[i], g, kBeta1);
      second_moments_[i] = averaged(second_moments_[i], fn::mul(g, g), kBeta2);
      const fn::Tensor size = fn::square_root(unbiased(second_moments_[i], kBeta2));
      const fn::Tensor direction =
          fn::divide(unbiased(first_moments_[i], kBeta1), fn::add_scalar(size, kAdamEpsilon));
      const fn::Tensor moved = fn::sub(parameters_[i], fn::scale(direction, kLearningRate));
      // A leaf of its own: what was computed of the old parameters can go.
      parameters_[i] = fn::parameter(buffers_, moved->rows(), moved->columns(), moved->data());
    }
  }

  static fn::Tensor averaged(const fn::Tensor& moment, const fn::Tensor& value, double beta) {
    return fn::add_normal(fn::scale(moment, beta), fn::scale(value, 1 - beta));
  }
  fn::Tensor unbiased(const fn::Tensor& moment, double beta) const {
    return fn::scale(moment, 1 / (1 - std::pow(beta, static_cast<double>(steps_))));
  }

  size_t updates_, rows_;
  fn::Buffers buffers_;  // before the tensors: it outlives them
  Parameters parameters_;
  std::vector<fn::Tensor> first_moments_, second_moments_;
  int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<DqnTrainer> make_functional_trainer(size_t updates, bool pooled, size_t batch) {
  return std::make_unique<FunctionalTrainer>(updates, pooled, batch);
}

}  // namespace nsop::layers
