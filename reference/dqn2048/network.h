// The Q-network of the DQN workload in double precision: textbook loops, autograd by hand, Adam.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/registry.h"

namespace nsop::reference {

constexpr int64_t kDqnInputs = 16, kDqnHidden = 64, kDqnValues = 4, kDqnBatch = 32;
constexpr int64_t kDqnParameters =
    kDqnHidden * (kDqnInputs + 1) + kDqnHidden * (kDqnHidden + 1) + kDqnValues * (kDqnHidden + 1);

struct DqnExperience {
  std::array<double, kDqnInputs> state{}, next{};
  int action = 0;
  double reward = 0;
  bool done = false;
};

class DqnNetwork {
 public:
  explicit DqnNetwork(std::span<const float> parameters);  // w1, b1, w2, b2, w3, b3
  std::array<double, kDqnValues> values(const std::array<double, kDqnInputs>& state) const;
  // One forward pass of states and next states, one update; returns the loss.
  double update(std::span<const DqnExperience> batch);
  // A training call with so many updates (1 or one per experience); returns the mean loss.
  double train(std::span<const DqnExperience> batch, int64_t updates);
  std::span<const double> parameters() const { return parameters_; }

 private:
  struct Activations {
    std::array<double, kDqnHidden> first{}, second{};
    std::array<double, kDqnValues> q{};
  };
  Activations forward(const std::array<double, kDqnInputs>& state) const;
  void backward(const DqnExperience& e, const Activations& a, double dq,
                std::span<double> sum) const;

  std::vector<double> parameters_, m_, v_;
  int64_t updates_ = 0;
};

// Initial parameters of uniform values in (0, 1): weights normal with standard deviation
// sqrt(2 / outputs), biases uniform in +-1 / sqrt(inputs).
void draw_dqn_parameters(std::span<float> uniform);

// Multiply-adds of one training call on so many experiences: forward passes of states and next
// states, one backward pass.
double dqn_train_macs(int64_t batch = kDqnBatch);

}  // namespace nsop::reference
