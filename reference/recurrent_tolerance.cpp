// The errors are followed step by step. `size` is a bound on values, `error` one on their errors:
//
//   a gate before activation:  p   = (rounding of its two sums) + spread * (error of the state)
//   the state after a step:    +=    reach * (p + 8 ULP of 1), kept where the cell remembers
//   the gradient of a gate:    |g| <= |gradient of the state| * reach; its error comes from the
//                                     gradient's own and from activations that are off by p
//   the gradient of the state before: the sum over all gates of g times a weight
//
// Activations have slopes of at most 1 and are within 8 ULP of 1 themselves. `spread` says what a
// sum of H terms w * e makes of errors of up to e: taken as independent and five times smaller in
// the mean, five times the root of H * mean(w^2) * (e/5)^2, that is sqrt(H) rms(w) e.
#include "reference/recurrent_tolerance.h"

#include <algorithm>
#include <cmath>

namespace nsop::reference {
namespace {

constexpr double kActivation = 8 * kUlp;  // error of a sigmoid or tanh

double largest(Uniform values) { return std::max(std::fabs(values.lo), std::fabs(values.hi)); }

struct Bound {
  double size = 0;
  double error = 0;
};

class Errors {
 public:
  Errors(const RecurrentShape& s, const Cell& cell, Uniform values)
      : s_(s), cell_(cell), values_(values), weights_(recurrent_weights(s, values)) {
    const double state = std::max(largest(values), 1.0);
    gate_rounding_ =
        accumulation_tolerance(static_cast<double>(s.in), values, weights_).absolute +
        accumulation_tolerance(static_cast<double>(s.hidden), {state, state}, weights_).absolute +
        4 * kUlp * largest(weights_);
    spread_ = std::sqrt(static_cast<double>(s.hidden)) * weights_.root_mean_square();
    reach_ = reach_of(state);
    follow_forward(state);
  }

  std::vector<Tolerance> forward() const {
    Tolerance y = {.absolute = h_.back(), .relative = 4 * kUlp};
    if (!cell_.has_c) return {y};
    return {y, {.absolute = c_.back(), .relative = 4 * kUlp}};
  }

  std::vector<Tolerance> backward() const {
    Bound dh;
    Bound dc = {.size = cell_.has_c ? largest(values_) : 0};
    Bound gate;  // the largest of all steps
    const double back = std::sqrt(static_cast<double>(s_.gates)) * spread_;
    for (int64_t step = s_.steps - 1; step >= 0; --step) {
      dh.size += largest(values_);
      Bound& state = cell_.has_c ? dc : dh;
      if (cell_.has_c) dc = {dc.size + dh.size, dc.error + dh.error};
      const Bound g = {reach_ * state.size,
                       reach_ * (state.error + 5 * state.size * (gate_[step] + kActivation))};
      gate = {std::max(gate.size, g.size), std::max(gate.error, g.error)};
      const bool keeps_h = cell_.gates == 3;
      dh = {(keeps_h ? dh.size : 0) + back * g.size,
            (keeps_h ? dh.error : 0) + back * g.error + product_rounding(s_.gates * s_.hidden, g)};
      if (cell_.has_c) dc.error += dc.size * (gate_[step] + kActivation);
    }
    return outputs(gate, dh, dc);
  }

 private:
  // How far the errors of a cell's gates reach into its state. LSTM, f c + i g: |c| + 2. GRU,
  // (1-z) tanh(gx + r gh) + z h: |gh| + |h| + 2, gh being a sum of H products.
  double reach_of(double state) const {
    if (cell_.has_c) return state + static_cast<double>(s_.steps) + 2;
    if (cell_.gates == 1) return 1;
    const auto terms = static_cast<double>(s_.hidden);
    const double sum = 5 * std::sqrt(terms) * weights_.root_mean_square() +
                       terms * std::fabs(weights_.mean()) + largest(weights_);
    return sum * state + state + 2;
  }

  void follow_forward(double state) {
    double kept = 0;
    double h = 0;
    for (int64_t step = 0; step < s_.steps; ++step) {
      const double p = gate_rounding_ + spread_ * h;
      const double step_error = reach_ * (p + kActivation);
      kept = (cell_.gates > 1 ? kept : 0) + step_error + kUlp * (state + static_cast<double>(step));
      h = cell_.has_c ? kept + p + 2 * kActivation : kept;
      gate_.push_back(p);
      h_.push_back(h);
      c_.push_back(kept);
    }
  }

  double product_rounding(int64_t terms, const Bound& gate) const {
    return accumulation_tolerance(static_cast<double>(terms), weights_, {-gate.size, gate.size})
        .absolute;
  }

  // A gradient of weights sums over steps and batch; errors of the same sequence may go together.
  Tolerance of_weights(Uniform factor, const Bound& gate, double factor_error) const {
    const auto steps = static_cast<double>(s_.steps);
    const double rows = steps * static_cast<double>(s_.batch);
    const double together = steps * std::sqrt(static_cast<double>(s_.batch));
    return {.absolute = accumulation_tolerance(rows, factor, {-gate.size, gate.size}).absolute +
                        together * (largest(factor) * gate.error + factor_error * gate.size),
            .relative = 4 * kUlp};
  }

  std::vector<Tolerance> outputs(const Bound& gate, const Bound& dh, const Bound& dc) const {
    const double back =
        std::sqrt(static_cast<double>(s_.gates * s_.hidden)) * weights_.root_mean_square();
    const double dx = product_rounding(s_.gates * s_.hidden, gate) + back * gate.error;
    const double state = std::max(largest(values_), 1.0);
    std::vector<Tolerance> all = {{.absolute = dx, .relative = 4 * kUlp},
                                  of_weights(values_, gate, 0),
                                  of_weights({-state, state}, gate, h_.back())};
    all.resize(all.size() + (cell_.two_biases ? 2 : 1), of_weights({1, 1}, gate, 0));
    all.push_back({.absolute = dh.error, .relative = 4 * kUlp});
    if (cell_.has_c) all.push_back({.absolute = dc.error, .relative = 4 * kUlp});
    return all;
  }

  const RecurrentShape& s_;
  const Cell& cell_;
  Uniform values_, weights_;
  double gate_rounding_ = 0;
  double spread_ = 0;
  double reach_ = 0;
  std::vector<double> gate_, h_, c_;  // errors after each step
};

}  // namespace

Uniform recurrent_weights(const RecurrentShape& s, Uniform values) {
  return values.scaled(1 / std::sqrt(static_cast<double>(s.hidden)));
}

std::vector<Tolerance> recurrent_tolerances(const RecurrentShape& s, const Cell& cell,
                                            Uniform values) {
  const Errors errors(s, cell, values);
  return s.forward ? errors.forward() : errors.backward();
}

}  // namespace nsop::reference
