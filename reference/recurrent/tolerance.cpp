// Values and errors are followed step by step as root mean squares, errors taken as independent of
// each other, as in accumulation_tolerance(). With K = gates * hidden:
//
//   a gate before activation:   p^2  = (rounding of its two sums)^2 + (spread h)^2, where a sum of
//   H
//                                      terms w e makes spread e = sqrt(H) rms(w) e of errors e
//   the state after a step:     c^2 += (slope p)^2 + (reach a)^2, a = 2 ULP of 1 being the error of
//                                      an activation; kept where the cell remembers
//   the gradient of a gate:     g    = share * d, d being the gradient of the state; it errs
//                                      as d does, and by activations that are off by p / 2 + a
//   the gradient of the state before: the sum over K gates of g w: sqrt(K) rms(w) g, and of weights
//                                      that have a mean, K |mean(w)| g more
//
// `reach` is by how much activations are multiplied in a step's result, `slope` the same for their
// arguments, with 1/4 for a sigmoid and 1 for tanh; `share` is the mean over the gates of a
// gradient.
//
//   LSTM, f c + i g:                  reach |c| + 2,        slope sqrt(c^2 + 17) / 4
//   GRU, (1-z) tanh(gx + r gh) + z h: reach |gh| + |h| + 2, slope sqrt(gh^2 + (1+h)^2 + 16) / 4
//   RNN, tanh:                        both 1
//
// The largest of some millions of errors is about five times their root mean square; the tolerance
// is eight times.
#include "reference/recurrent/tolerance.h"

#include <algorithm>
#include <cmath>

namespace nsop::reference {
namespace {

constexpr double kActivation = 2 * kUlp;
constexpr double kSigmas = 8;
constexpr double kToleranceSigmas = 5;  // what accumulation_tolerance() holds at least

struct Bound {
  double size = 0;
  double error = 0;
};

double joined(double a, double b) { return std::hypot(a, b); }
Bound joined(Bound a, Bound b) { return {joined(a.size, b.size), joined(a.error, b.error)}; }

// Values of this root mean square, around zero.
Uniform of_size(double size) { return {-std::sqrt(3.0) * size, std::sqrt(3.0) * size}; }

double rounding_of(int64_t terms, Uniform a, Uniform b) {
  return accumulation_tolerance(static_cast<double>(terms), a, b).absolute / kToleranceSigmas;
}

class Errors {
 public:
  Errors(const RecurrentShape& s, const Cell& cell, Uniform values)
      : s_(s),
        cell_(cell),
        values_(values),
        weights_(recurrent_weights(s, values)),
        columns_(static_cast<double>(s.columns())),
        state_(std::max(values.root_mean_square(), 0.6)) {
    const double hidden = static_cast<double>(s.hidden);
    spread_ = std::sqrt(hidden) * weights_.root_mean_square();
    gate_rounding_ = joined(rounding_of(s.in, values, weights_),
                            rounding_of(s.hidden, {state_, state_}, weights_)) +
                     kUlp * weights_.root_mean_square();
    bound_cell(spread_ * state_ + hidden * std::fabs(weights_.mean()) * state_);
    follow_forward();
  }

  std::vector<Tolerance> forward() const {
    if (!cell_.has_c) return {tolerance(h_)};
    return {tolerance(h_), tolerance(c_)};
  }

  std::vector<Tolerance> backward() const {
    const Bound dy = {values_.root_mean_square(), 0};
    Bound dh;
    Bound dc = cell_.has_c ? dy : Bound();
    Bound gate;  // the largest of all steps
    for (int64_t step = s_.steps - 1; step >= 0; --step) {
      dh = joined(dh, dy);
      if (cell_.has_c) dc = joined(dc, dh);
      const Bound state = cell_.has_c ? dc : dh;
      const double off = p_[step] / 2 + kActivation;
      const Bound g = {share_ * state.size, joined(share_ * state.error, state.size * off)};
      gate = {std::max(gate.size, g.size), std::max(gate.error, g.error)};
      const Bound kept = {dh.size, joined(dh.error, dh.size * off)};
      dh = joined(through_weights(g), cell_.gates == 3 ? kept : Bound());
      if (cell_.has_c) dc.error = joined(dc.error, dc.size * off);
    }
    return outputs(gate, dh, dc);
  }

 private:
  static Tolerance tolerance(double error) {
    return {.absolute = kSigmas * error, .relative = 4 * kUlp};
  }

  // gh: the size of a gate's part from the state.
  void bound_cell(double gh) {
    if (cell_.has_c) {
      const double c = state_ + std::sqrt(static_cast<double>(s_.steps));
      reach_ = c + 2;
      slope_ = std::sqrt(c * c + 17) / 4;
      share_ = std::sqrt((c * c + 2) / 16 + 0.25) / 2;
    } else if (cell_.gates == 3) {
      reach_ = gh + state_ + 2;
      slope_ = std::sqrt(gh * gh + (1 + state_) * (1 + state_) + 16) / 4;
      share_ = std::sqrt((gh * gh + (1 + state_) * (1 + state_)) / 16 + 0.5) / std::sqrt(3.0);
    }
  }

  void follow_forward() {
    for (int64_t step = 0; step < s_.steps; ++step) {
      const double p = joined(gate_rounding_, spread_ * h_);
      c_ = joined(cell_.gates > 1 ? c_ : 0, joined(slope_ * p, reach_ * kActivation));
      h_ = cell_.has_c ? joined(c_, joined(p / 4, 2 * kActivation)) : c_;
      p_.push_back(p);
    }
  }

  Bound through_weights(const Bound& g) const {
    const double random = std::sqrt(columns_) * weights_.root_mean_square();
    return {(random + columns_ * std::fabs(weights_.mean())) * g.size,
            joined(random * g.error, rounding_of(s_.columns(), weights_, of_size(g.size)))};
  }

  // A gradient of weights sums over steps and batch; errors of the same sequence may go together.
  Tolerance of_weights(Uniform factor, const Bound& gate, double factor_error) const {
    const auto steps = static_cast<double>(s_.steps);
    const double together = steps * std::sqrt(static_cast<double>(s_.batch));
    const double size = factor.root_mean_square();
    return tolerance(joined(rounding_of(s_.steps * s_.batch, factor, of_size(gate.size)),
                            together * joined(size * gate.error, factor_error * gate.size)));
  }

  std::vector<Tolerance> outputs(const Bound& gate, const Bound& dh, const Bound& dc) const {
    std::vector<Tolerance> all = {tolerance(through_weights(gate).error),
                                  of_weights(values_, gate, 0),
                                  of_weights(of_size(state_), gate, h_)};
    all.resize(all.size() + (cell_.two_biases ? 2 : 1), of_weights({1, 1}, gate, 0));
    all.push_back(tolerance(dh.error));
    if (cell_.has_c) all.push_back(tolerance(dc.error));
    return all;
  }

  const RecurrentShape& s_;
  const Cell& cell_;
  Uniform values_, weights_;
  double columns_;
  double state_;  // size of h
  double spread_ = 0;
  double gate_rounding_ = 0;
  double reach_ = 1;
  double slope_ = 1;
  double share_ = 1;
  std::vector<double> p_;  // of each step
  double h_ = 0;           // after the last
  double c_ = 0;
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
