// lstm as the reports' "before": textbook loops, and a fresh tensor for each of the intermediates
// that the reports name: gatesTmp, hiddenContribution, biasFull, the four activated gates, cellNew,
// iGateG, cellNewTanh, outputNew. The reports have no backward pass; it is done alike.
#include <cmath>
#include <memory>

#include "reference/before/elementwise.h"

namespace nsop::reference::before {
namespace {

// x [steps,batch,in], w [in,4*hidden], u [hidden,4*hidden], states [batch,hidden]
struct Sizes {
  explicit Sizes(const Case& c)
      : steps(c.shape("in")[0]),
        batch(c.shape("in")[1]),
        in(c.shape("in")[2]),
        hidden(c.integer("hidden")) {}
  int64_t state() const { return batch * hidden; }
  int64_t steps, batch, in, hidden;
};

// rows [batch,inner], weights [inner,4*hidden] -> [batch,4*hidden]
Floats product(const Sizes& s, const float* rows, const float* weights, int64_t inner) {
  Floats y(s.batch * 4 * s.hidden);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t j = 0; j < 4 * s.hidden; ++j) {
      float sum = 0;
      for (int64_t i = 0; i < inner; ++i) {
        sum += rows[n * inner + i] * weights[i * 4 * s.hidden + j];
      }
      y[n * 4 * s.hidden + j] = sum;
    }
  }
  return y;
}

// Gate `number` of gates [batch,4*hidden] -> activated [batch,hidden]
template <class F>
Floats activated(const Sizes& s, const Floats& gates, int64_t number, F f) {
  Floats y(s.state());
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t h = 0; h < s.hidden; ++h) {
      y[n * s.hidden + h] = f(gates[(n * 4 + number) * s.hidden + h]);
    }
  }
  return y;
}

float sigmoid(float v) { return 1.0F / (1.0F + std::exp(-v)); }

// What one step leaves.
struct Saved {
  Floats i, f, g, o, c_tanh;
  Floats c, h;
};

Saved step(const Sizes& s, const float* x, const float* w, const float* u, const float* b,
           const float* h, const float* c) {
  const Floats gates_tmp = product(s, x, w, s.in);
  const Floats hidden_contribution = product(s, h, u, s.hidden);
  Floats bias_full(s.batch * 4 * s.hidden);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t j = 0; j < 4 * s.hidden; ++j) bias_full[n * 4 * s.hidden + j] = b[j];
  }
  Floats gates(s.batch * 4 * s.hidden);
  for (size_t j = 0; j < gates.size(); ++j) {
    gates[j] = gates_tmp[j] + hidden_contribution[j] + bias_full[j];
  }
  Saved t;
  t.i = activated(s, gates, 0, sigmoid);
  t.f = activated(s, gates, 1, sigmoid);
  t.g = activated(s, gates, 2, [](float v) { return std::tanh(v); });
  t.o = activated(s, gates, 3, sigmoid);
  Floats i_gate_g(s.state());
  for (int64_t j = 0; j < s.state(); ++j) i_gate_g[j] = t.i[j] * t.g[j];
  t.c = Floats(s.state());
  for (int64_t j = 0; j < s.state(); ++j) t.c[j] = t.f[j] * c[j] + i_gate_g[j];
  t.c_tanh = Floats(s.state());
  for (int64_t j = 0; j < s.state(); ++j) t.c_tanh[j] = std::tanh(t.c[j]);
  t.h = Floats(s.state());
  for (int64_t j = 0; j < s.state(); ++j) t.h[j] = t.o[j] * t.c_tanh[j];
  return t;
}

std::vector<Saved> sequence(const Sizes& s, const Inputs& in) {
  std::vector<Saved> steps;
  const float* h = in[4];
  const float* c = in[5];
  for (int64_t t = 0; t < s.steps; ++t) {
    steps.push_back(step(s, in[0] + t * s.batch * s.in, in[1], in[2], in[3], h, c));
    h = steps.back().h.data();
    c = steps.back().c.data();
  }
  return steps;
}

// The gradients of the gates before activation [batch,4*hidden]; dc becomes that of the state
// before.
Floats gate_gradients(const Sizes& s, const Saved& t, const float* c, const Floats& dh,
                      Floats& dc) {
  Floats dc_new(s.state());
  for (int64_t j = 0; j < s.state(); ++j) {
    dc_new[j] = dc[j] + dh[j] * t.o[j] * (1 - t.c_tanh[j] * t.c_tanh[j]);
  }
  Floats d(s.batch * 4 * s.hidden);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t h = 0; h < s.hidden; ++h) {
      const int64_t j = n * s.hidden + h;
      d[(n * 4 + 0) * s.hidden + h] = dc_new[j] * t.g[j] * t.i[j] * (1 - t.i[j]);
      d[(n * 4 + 1) * s.hidden + h] = dc_new[j] * c[j] * t.f[j] * (1 - t.f[j]);
      d[(n * 4 + 2) * s.hidden + h] = dc_new[j] * t.i[j] * (1 - t.g[j] * t.g[j]);
      d[(n * 4 + 3) * s.hidden + h] = dh[j] * t.c_tanh[j] * t.o[j] * (1 - t.o[j]);
    }
  }
  for (int64_t j = 0; j < s.state(); ++j) dc[j] = dc_new[j] * t.f[j];
  return d;
}

// d [batch,4*hidden], weights [inner,4*hidden] -> [batch,inner]
Floats input_gradient(const Sizes& s, const Floats& d, const float* weights, int64_t inner) {
  Floats dx(s.batch * inner);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t i = 0; i < inner; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < 4 * s.hidden; ++j) {
        sum += d[n * 4 * s.hidden + j] * weights[i * 4 * s.hidden + j];
      }
      dx[n * inner + i] = sum;
    }
  }
  return dx;
}

// dw [inner,4*hidden] += rows^T d
void add_weight_gradient(const Sizes& s, const float* rows, const Floats& d, int64_t inner,
                         Floats& dw) {
  for (int64_t i = 0; i < inner; ++i) {
    for (int64_t j = 0; j < 4 * s.hidden; ++j) {
      float sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) sum += rows[n * inner + i] * d[n * 4 * s.hidden + j];
      dw[i * 4 * s.hidden + j] += sum;
    }
  }
}

void backward(const Sizes& s, const std::vector<Saved>& saved, const Inputs& in,
              std::vector<Floats>& out) {
  Floats dx(s.steps * s.batch * s.in);
  Floats dw(s.in * 4 * s.hidden);
  Floats du(s.hidden * 4 * s.hidden);
  Floats db(4 * s.hidden);
  Floats dh(s.state());
  Floats dc(in[7], in[7] + s.state());
  for (int64_t t = s.steps - 1; t >= 0; --t) {
    const float* h = t == 0 ? in[4] : saved[t - 1].h.data();
    const float* c = t == 0 ? in[5] : saved[t - 1].c.data();
    for (int64_t j = 0; j < s.state(); ++j) dh[j] += in[6][t * s.state() + j];
    const Floats d = gate_gradients(s, saved[t], c, dh, dc);
    const Floats dx_step = input_gradient(s, d, in[1], s.in);
    for (size_t j = 0; j < dx_step.size(); ++j) dx[t * s.batch * s.in + j] = dx_step[j];
    dh = input_gradient(s, d, in[2], s.hidden);
    add_weight_gradient(s, in[0] + t * s.batch * s.in, d, s.in, dw);
    add_weight_gradient(s, h, d, s.hidden, du);
    for (int64_t n = 0; n < s.batch; ++n) {
      for (int64_t j = 0; j < 4 * s.hidden; ++j) db[j] += d[n * 4 * s.hidden + j];
    }
  }
  out = {std::move(dx), std::move(dw), std::move(du), std::move(db), std::move(dh), std::move(dc)};
}

Passes bind(const Case& c) {
  const Sizes s(c);
  if (c.str("pass") == "backward") {
    const auto saved = std::make_shared<std::vector<Saved>>();
    return {[=](const Inputs& in, std::vector<Floats>& out) { backward(s, *saved, in, out); },
            [=](const Inputs& in) { *saved = sequence(s, in); }};
  }
  const auto forward = [s](const Inputs& in, std::vector<Floats>& out) {
    std::vector<Saved> steps = sequence(s, in);
    Floats y(s.steps * s.state());
    for (int64_t t = 0; t < s.steps; ++t) {
      for (int64_t j = 0; j < s.state(); ++j) y[t * s.state() + j] = steps[t].h[j];
    }
    out[0] = std::move(y);
    out[1] = std::move(steps.back().c);
  };
  return {forward, {}};
}

const VariantRow row{elementwise("lstm", "Textbook loops, a fresh tensor for each intermediate.",
                                 std::function<Passes(const Case&)>(bind))};

}  // namespace
}  // namespace nsop::reference::before
