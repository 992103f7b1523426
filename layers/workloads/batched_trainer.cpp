// The variant `batched`: two forward passes, one backward pass, one update, on memory of its own.
#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/tensor.h"
#include "kernels/dense.h"
#include "kernels/relu.h"
#include "layers/workloads/dqn.h"

namespace nsop::layers {
namespace {

using kernels::DenseShape;

constexpr std::array<DenseShape, 3> kLayers = {{{kBatch, kCells, kHidden, true},
                                                {kBatch, kHidden, kHidden, true},
                                                {kBatch, kHidden, kDirections, true}}};

class BatchedTrainer final : public DqnTrainer {
 public:
  BatchedTrainer() {
    size_t floats = 0;
    for (const DenseShape& layer : kLayers) {
      floats = std::max(floats, kernels::dense_workspace_floats(layer, 1));
    }
    workspace_ = Tensor({static_cast<int64_t>(floats)});
  }

  void reset(std::span<const float> parameters) override {
    std::ranges::copy(parameters, parameters_.data().begin());
    std::ranges::fill(m_.data(), 0.0F);
    std::ranges::fill(v_.data(), 0.0F);
    updates_ = 0;
  }

  float train(const DqnBatch& batch) override {
    forward(batch.next_states, kBatch);
    std::ranges::copy(q_.data(), next_q_.data().begin());
    forward(batch.states, kBatch);
    const float loss = output_gradient(batch);
    backward(batch.states);
    update();
    return loss;
  }

  void values(std::span<const float, kCells> state, std::span<float, kDirections> q) override {
    forward(state, 1);
    std::ranges::copy(q_.data().first<kDirections>(), q.begin());
  }

  void store(std::span<float> parameters) const override {
    std::ranges::copy(parameters_.data(), parameters.begin());
  }

 private:
  struct Part {
    std::span<float> weights, bias;
  };
  static Part part(Tensor& all, size_t layer) {
    size_t at = 0;
    for (size_t l = 0; l < layer; ++l) at += (kLayers[l].in + 1) * kLayers[l].out;
    const size_t size = kLayers[layer].in * kLayers[layer].out;
    return {all.data().subspan(at, size), all.data().subspan(at + size, kLayers[layer].out)};
  }

  void dense(size_t layer, size_t rows, std::span<const float> x, std::span<float> y) {
    DenseShape shape = kLayers[layer];
    shape.batch = rows;
    const Part p = part(parameters_, layer);
    kernels::dense_forward(shape, x, p.weights, p.bias, y, workspace_.data(), pool_);
  }

  void forward(std::span<const float> x, size_t rows) {
    const auto first = first_.data().first(rows * kHidden);
    const auto second = second_.data().first(rows * kHidden);
    dense(0, rows, x, first);
    kernels::relu_forward(first, first, pool_);
    dense(1, rows, first, second);
    kernels::relu_forward(second, second, pool_);
    dense(2, rows, second, q_.data().first(rows * kDirections));
  }

  // dq of the loss; returns the loss.
  float output_gradient(const DqnBatch& batch) {
    constexpr float kCount = kBatch * kDirections;
    float sum = 0;
    std::ranges::fill(dq_.data(), 0.0F);
    for (size_t i = 0; i < kBatch; ++i) {
      const auto next = next_q_.data().subspan(i * kDirections, kDirections);
      const float later =
          batch.done[i] != 0 ? 0 : static_cast<float>(kGamma) * std::ranges::max(next);
      const size_t at = i * kDirections + static_cast<size_t>(batch.actions[i]);
      const float error = q_.data()[at] - (batch.rewards[i] + later);
      sum += error * error;
      dq_.data()[at] = 2 * error / kCount;
    }
    return sum / kCount;
  }

  void backward(std::span<const float> states) {
    layer_backward(2, second_.data(), dq_.data(), dsecond_.data());
    kernels::relu_backward(second_.data(), dsecond_.data(), dsecond_.data(), pool_);
    layer_backward(1, first_.data(), dsecond_.data(), dfirst_.data());
    kernels::relu_backward(first_.data(), dfirst_.data(), dfirst_.data(), pool_);
    const Part d = part(gradient_, 0);
    kernels::dense_backward_weights(kLayers[0], states, dfirst_.data(), d.weights, d.bias,
                                    workspace_.data(), pool_);
  }

  void layer_backward(size_t layer, std::span<const float> x, std::span<const float> dy,
                      std::span<float> dx) {
    const Part d = part(gradient_, layer);
    kernels::dense_backward(kLayers[layer], x, part(parameters_, layer).weights, dy, dx, d.weights,
                            d.bias, workspace_.data(), pool_);
  }

  void update() {
    ++updates_;
    const auto step = static_cast<double>(updates_);
    const auto correct_m = static_cast<float>(1 / (1 - std::pow(kBeta1, step)));
    const auto correct_v = static_cast<float>(1 / (1 - std::pow(kBeta2, step)));
    constexpr auto kB1 = static_cast<float>(kBeta1), kB2 = static_cast<float>(kBeta2);
    constexpr auto kN1 = static_cast<float>(1 - kBeta1), kN2 = static_cast<float>(1 - kBeta2);
    constexpr auto kRate = static_cast<float>(kLearningRate);
    constexpr auto kTiny = static_cast<float>(kAdamEpsilon);
    for (size_t i = 0; i < kDqnParameters; ++i) {
      const float g = gradient_.data()[i];
      float& m = m_.data()[i];
      float& v = v_.data()[i];
      m = kB1 * m + kN1 * g;
      v = kB2 * v + kN2 * (g * g);
      parameters_.data()[i] -= kRate * (m * correct_m) / (std::sqrt(v * correct_v) + kTiny);
    }
  }

  static Tensor floats(size_t count) { return Tensor({static_cast<int64_t>(count)}); }

  kernels::Pool& pool_ = kernels::serial_pool();
  Tensor workspace_;
  Tensor parameters_ = floats(kDqnParameters), gradient_ = floats(kDqnParameters);
  Tensor m_ = floats(kDqnParameters), v_ = floats(kDqnParameters);
  Tensor first_ = floats(kBatch * kHidden), second_ = floats(kBatch * kHidden);
  Tensor dfirst_ = floats(kBatch * kHidden), dsecond_ = floats(kBatch * kHidden);
  Tensor q_ = floats(kBatch * kDirections), next_q_ = floats(kBatch * kDirections);
  Tensor dq_ = floats(kBatch * kDirections);
  int64_t updates_ = 0;
};

}  // namespace

std::unique_ptr<DqnTrainer> make_batched_trainer() { return std::make_unique<BatchedTrainer>(); }

}  // namespace nsop::layers
