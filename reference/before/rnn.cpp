// rnn by textbook loops, with fresh tensors in every step, as the plain lstm does it.
#include <cmath>
#include <memory>

#include "reference/before/recurrent_parts.h"

namespace nsop::reference::before {
namespace {

using Sizes = RecurrentSizes;

// The states after every step.
std::vector<Floats> sequence(const Sizes& s, const Inputs& in) {
  std::vector<Floats> states;
  const float* h = in[4];
  for (int64_t t = 0; t < s.steps; ++t) {
    const Floats from_x = product(s, in[0] + t * s.batch * s.in, in[1], s.in);
    const Floats from_h = product(s, h, in[2], s.hidden);
    Floats next(s.state());
    for (int64_t j = 0; j < s.state(); ++j) {
      next[j] = std::tanh(from_x[j] + in[3][j % s.hidden] + from_h[j]);
    }
    states.push_back(std::move(next));
    h = states.back().data();
  }
  return states;
}

void backward(const Sizes& s, const std::vector<Floats>& states, const Inputs& in,
              std::vector<Floats>& out) {
  Floats dx(s.steps * s.batch * s.in), dw(s.in * s.columns), du(s.hidden * s.columns);
  Floats db(s.columns), dh(s.state());
  for (int64_t t = s.steps - 1; t >= 0; --t) {
    const float* h = t == 0 ? in[4] : states[t - 1].data();
    Floats d(s.state());
    for (int64_t j = 0; j < s.state(); ++j) {
      d[j] = (dh[j] + in[5][t * s.state() + j]) * (1 - states[t][j] * states[t][j]);
    }
    const Floats dx_step = input_gradient(s, d, in[1], s.in);
    for (size_t j = 0; j < dx_step.size(); ++j) dx[t * s.batch * s.in + j] = dx_step[j];
    dh = input_gradient(s, d, in[2], s.hidden);
    add_weight_gradient(s, in[0] + t * s.batch * s.in, d, s.in, dw);
    add_weight_gradient(s, h, d, s.hidden, du);
    add_bias_gradient(s, d, db);
  }
  out = {std::move(dx), std::move(dw), std::move(du), std::move(db), std::move(dh)};
}

Passes bind(const Case& c) {
  const Sizes s(c, 1);
  if (c.str("pass") == "backward") {
    const auto states = std::make_shared<std::vector<Floats>>();
    return {[=](const Inputs& in, std::vector<Floats>& out) { backward(s, *states, in, out); },
            [=](const Inputs& in) { *states = sequence(s, in); }};
  }
  const auto forward = [s](const Inputs& in, std::vector<Floats>& out) {
    Floats y;
    for (const Floats& h : sequence(s, in)) y.insert(y.end(), h.begin(), h.end());
    out[0] = std::move(y);
  };
  return {forward, {}};
}

const VariantRow row{elementwise("rnn", "Textbook loops, fresh tensors in every step.",
                                 std::function<Passes(const Case&)>(bind))};

}  // namespace
}  // namespace nsop::reference::before
