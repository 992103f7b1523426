// gru by textbook loops, with a fresh tensor for each intermediate, as the plain lstm does it.
#include <cmath>
#include <memory>

#include "reference/before/recurrent_parts.h"

namespace nsop::reference::before {
namespace {

using Sizes = RecurrentSizes;

constexpr int64_t kGates = 3;  // r, z, n

float sigmoid(float v) { return 1.0F / (1.0F + std::exp(-v)); }

// What one step leaves: the activated gates, the part of n that comes from the state, and the
// state.
struct Saved {
  Floats r, z, n, state_n, h;
};

Saved step(const Sizes& s, const float* x, const Inputs& in, const float* h) {
  const Floats from_x = product(s, x, in[1], s.in);
  const Floats from_h = product(s, h, in[2], s.hidden);
  const float *bw = in[3], *bu = in[4];
  Saved t{Floats(s.state()), Floats(s.state()), Floats(s.state()), Floats(s.state()),
          Floats(s.state())};
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t j = 0; j < s.hidden; ++j) {
      const int64_t at = b * s.hidden + j, gate = b * s.columns + j;
      const int64_t r = gate, z = gate + s.hidden, n = gate + 2 * s.hidden;
      t.r[at] = sigmoid(from_x[r] + bw[j] + from_h[r] + bu[j]);
      t.z[at] = sigmoid(from_x[z] + bw[s.hidden + j] + from_h[z] + bu[s.hidden + j]);
      t.state_n[at] = from_h[n] + bu[2 * s.hidden + j];
      t.n[at] = std::tanh(from_x[n] + bw[2 * s.hidden + j] + t.r[at] * t.state_n[at]);
      t.h[at] = (1 - t.z[at]) * t.n[at] + t.z[at] * h[at];
    }
  }
  return t;
}

std::vector<Saved> sequence(const Sizes& s, const Inputs& in) {
  std::vector<Saved> steps;
  const float* h = in[5];
  for (int64_t t = 0; t < s.steps; ++t) {
    steps.push_back(step(s, in[0] + t * s.batch * s.in, in, h));
    h = steps.back().h.data();
  }
  return steps;
}

// Gradients of the parts of the gates from the input and from the state; dh becomes what goes past
// the products to the state before.
struct PartGradients {
  Floats from_x, from_h;
};
PartGradients part_gradients(const Sizes& s, const Saved& t, const float* h, Floats& dh) {
  PartGradients d{Floats(s.batch * s.columns), Floats(s.batch * s.columns)};
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t j = 0; j < s.hidden; ++j) {
      const int64_t at = b * s.hidden + j, gate = b * s.columns + j;
      const float dn = dh[at] * (1 - t.z[at]) * (1 - t.n[at] * t.n[at]);
      d.from_x[gate] = dn * t.state_n[at] * t.r[at] * (1 - t.r[at]);
      d.from_x[gate + s.hidden] = dh[at] * (h[at] - t.n[at]) * t.z[at] * (1 - t.z[at]);
      d.from_x[gate + 2 * s.hidden] = dn;
      d.from_h[gate] = d.from_x[gate];
      d.from_h[gate + s.hidden] = d.from_x[gate + s.hidden];
      d.from_h[gate + 2 * s.hidden] = dn * t.r[at];
      dh[at] *= t.z[at];
    }
  }
  return d;
}

void backward(const Sizes& s, const std::vector<Saved>& saved, const Inputs& in,
              std::vector<Floats>& out) {
  Floats dx(s.steps * s.batch * s.in), dw(s.in * s.columns), du(s.hidden * s.columns);
  Floats dbw(s.columns), dbu(s.columns), dh(s.state());
  for (int64_t t = s.steps - 1; t >= 0; --t) {
    const float* h = t == 0 ? in[5] : saved[t - 1].h.data();
    for (int64_t j = 0; j < s.state(); ++j) dh[j] += in[6][t * s.state() + j];
    const PartGradients d = part_gradients(s, saved[t], h, dh);
    const Floats dx_step = input_gradient(s, d.from_x, in[1], s.in);
    for (size_t j = 0; j < dx_step.size(); ++j) dx[t * s.batch * s.in + j] = dx_step[j];
    const Floats dh_step = input_gradient(s, d.from_h, in[2], s.hidden);
    for (int64_t j = 0; j < s.state(); ++j) dh[j] += dh_step[j];
    add_weight_gradient(s, in[0] + t * s.batch * s.in, d.from_x, s.in, dw);
    add_weight_gradient(s, h, d.from_h, s.hidden, du);
    add_bias_gradient(s, d.from_x, dbw);
    add_bias_gradient(s, d.from_h, dbu);
  }
  out = {std::move(dx),  std::move(dw),  std::move(du),
         std::move(dbw), std::move(dbu), std::move(dh)};
}

Passes bind(const Case& c) {
  const Sizes s(c, kGates);
  if (c.str("pass") == "backward") {
    const auto saved = std::make_shared<std::vector<Saved>>();
    return {[=](const Inputs& in, std::vector<Floats>& out) { backward(s, *saved, in, out); },
            [=](const Inputs& in) { *saved = sequence(s, in); }};
  }
  const auto forward = [s](const Inputs& in, std::vector<Floats>& out) {
    const std::vector<Saved> steps = sequence(s, in);
    Floats y(s.steps * s.state());
    for (int64_t t = 0; t < s.steps; ++t) {
      for (int64_t j = 0; j < s.state(); ++j) y[t * s.state() + j] = steps[t].h[j];
    }
    out[0] = std::move(y);
  };
  return {forward, {}};
}

const VariantRow row{elementwise("gru", "Textbook loops, a fresh tensor for each intermediate.",
                                 std::function<Passes(const Case&)>(bind))};

}  // namespace
}  // namespace nsop::reference::before
