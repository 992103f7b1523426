#include "reference/dqn2048/network.h"

#include <algorithm>
#include <cmath>

namespace nsop::reference {
namespace {

struct Layer {
  int64_t inputs, outputs, weights, bias;  // offsets of the last two
};
constexpr Layer kFirst{kDqnInputs, kDqnHidden, 0, kDqnInputs* kDqnHidden};
constexpr Layer kSecond{kDqnHidden, kDqnHidden, kFirst.bias + kDqnHidden,
                        kFirst.bias + kDqnHidden + kDqnHidden* kDqnHidden};
constexpr Layer kThird{kDqnHidden, kDqnValues, kSecond.bias + kDqnHidden,
                       kSecond.bias + kDqnHidden + kDqnHidden* kDqnValues};

// y [outputs] = W x + b
void linear(const Layer& l, std::span<const double> p, std::span<const double> x,
            std::span<double> y) {
  for (int64_t o = 0; o < l.outputs; ++o) {
    double sum = p[l.bias + o];
    for (int64_t i = 0; i < l.inputs; ++i) sum += p[l.weights + o * l.inputs + i] * x[i];
    y[o] = sum;
  }
}

void rectify(std::span<double> values) {
  for (double& v : values) v = std::max(v, 0.0);
}

// Adds dW and db to `sum`; dx [inputs] unless it is empty.
void linear_backward(const Layer& l, std::span<const double> p, std::span<const double> x,
                     std::span<const double> dy, std::span<double> sum, std::span<double> dx) {
  for (int64_t o = 0; o < l.outputs; ++o) {
    sum[l.bias + o] += dy[o];
    for (int64_t i = 0; i < l.inputs; ++i) sum[l.weights + o * l.inputs + i] += dy[o] * x[i];
  }
  for (size_t i = 0; i < dx.size(); ++i) {
    dx[i] = 0;
    for (int64_t o = 0; o < l.outputs; ++o) dx[i] += p[l.weights + o * l.inputs + i] * dy[o];
    if (x[i] <= 0) dx[i] = 0;  // x is the result of a ReLU
  }
}

// The x with P(normal <= x) = u, by bisection.
double normal_quantile(double u) {
  double lo = -9, hi = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (lo + hi) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < u ? lo : hi) = middle;
  }
  return (lo + hi) / 2;
}

}  // namespace

DqnNetwork::DqnNetwork(std::span<const float> parameters)
    : parameters_(parameters.begin(), parameters.end()),
      m_(parameters.size(), 0.0),
      v_(parameters.size(), 0.0) {}

DqnNetwork::Activations DqnNetwork::forward(const std::array<double, kDqnInputs>& state) const {
  Activations a;
  linear(kFirst, parameters_, state, a.first);
  rectify(a.first);
  linear(kSecond, parameters_, a.first, a.second);
  rectify(a.second);
  linear(kThird, parameters_, a.second, a.q);
  return a;
}

std::array<double, kDqnValues> DqnNetwork::values(
    const std::array<double, kDqnInputs>& state) const {
  return forward(state).q;
}

void DqnNetwork::backward(const DqnExperience& e, const Activations& a, double dq,
                          std::span<double> sum) const {
  std::array<double, kDqnValues> dy{};
  std::array<double, kDqnHidden> dsecond{}, dfirst{};
  dy[static_cast<size_t>(e.action)] = dq;
  linear_backward(kThird, parameters_, a.second, dy, sum, dsecond);
  linear_backward(kSecond, parameters_, a.first, dsecond, sum, dfirst);
  linear_backward(kFirst, parameters_, e.state, dfirst, sum, {});
}

double DqnNetwork::update(std::span<const DqnExperience> batch) {
  std::vector<double> gradient(parameters_.size(), 0.0);
  const double count = static_cast<double>(batch.size() * kDqnValues);
  double loss = 0;
  for (const DqnExperience& e : batch) {
    const Activations a = forward(e.state);
    const double later = e.done ? 0 : 0.99 * std::ranges::max(forward(e.next).q);
    const double error = a.q[static_cast<size_t>(e.action)] - (e.reward + later);
    loss += error * error / count;
    backward(e, a, 2 * error / count, gradient);
  }
  ++updates_;
  const double correct_m = 1 - std::pow(0.9, updates_), correct_v = 1 - std::pow(0.999, updates_);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    m_[i] = 0.9 * m_[i] + 0.1 * gradient[i];
    v_[i] = 0.999 * v_[i] + 0.001 * gradient[i] * gradient[i];
    parameters_[i] -= 1e-3 * (m_[i] / correct_m) / (std::sqrt(v_[i] / correct_v) + 1e-8);
  }
  return loss;
}

double DqnNetwork::train(std::span<const DqnExperience> batch, int64_t updates) {
  const size_t each = batch.size() / static_cast<size_t>(updates);
  double sum = 0;
  for (size_t i = 0; i < batch.size(); i += each) sum += update(batch.subspan(i, each));
  return sum / static_cast<double>(updates);
}

void draw_dqn_parameters(std::span<float> uniform) {
  for (const Layer& l : {kFirst, kSecond, kThird}) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(l.outputs));
    for (int64_t i = 0; i < l.inputs * l.outputs; ++i) {
      float& w = uniform[l.weights + i];
      w = static_cast<float>(deviation * normal_quantile(w));
    }
    const double half = 1 / std::sqrt(static_cast<double>(l.inputs));
    for (int64_t o = 0; o < l.outputs; ++o) {
      float& b = uniform[l.bias + o];
      b = static_cast<float>((2 * double{b} - 1) * half);
    }
  }
}

double dqn_train_macs(int64_t batch) {
  const double forward =
      kDqnInputs * kDqnHidden + kDqnHidden * kDqnHidden + kDqnHidden * kDqnValues;
  const double data = kDqnHidden * kDqnHidden + kDqnHidden * kDqnValues;
  return static_cast<double>(batch) * (2 * forward + forward + data);
}

}  // namespace nsop::reference
