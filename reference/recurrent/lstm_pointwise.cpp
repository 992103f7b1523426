// lstm_pointwise: what an LSTM cell does after its matrix products. From the pre-activations of the
// gates i, f, g, o and the cell state c: c_next = sigmoid(f) c + sigmoid(i) tanh(g),
// h = sigmoid(o) tanh(c_next).
#include <algorithm>

#include "reference/recurrent/pointwise.h"

namespace nsop::reference {
namespace {

constexpr int64_t kGates = 4;

std::vector<InputSpec> inputs_of(const Case& c) {
  const CellShape s(c);
  const auto [lo, hi] = c.range("range");
  std::vector<InputSpec> in = {{"gates", s.gates(kGates), lo, hi}, {"c", s.state(), lo, hi}};
  if (s.forward) return in;
  for (const char* name : {"c_next", "dh", "dc_next"}) in.push_back({name, s.state(), lo, hi});
  return in;
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const CellShape s(c);
  if (s.forward) return {{"h", s.state()}, {"c_next", s.state()}};
  return {{"dgates", s.gates(kGates)}, {"dc", s.state()}};
}

// The activated gates of one unit.
struct Gates {
  Gates(const CellShape& s, std::span<const float> pre, int64_t b, int64_t h)
      : i(logistic(pre[s.gate_at(b, h, 0, kGates)])),
        f(logistic(pre[s.gate_at(b, h, 1, kGates)])),
        g(std::tanh(double{pre[s.gate_at(b, h, 2, kGates)]})),
        o(logistic(pre[s.gate_at(b, h, 3, kGates)])) {}
  double i, f, g, o;
};

template <class Fn>
void for_each_unit(const CellShape& s, Fn fn) {
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t h = 0; h < s.hidden; ++h) fn(b, h, b * s.hidden + h);
  }
}

// A backward pass is given the c_next that its gates and c lead to.
void save_state(const Case& c, std::span<Tensor> in) {
  const CellShape s(c);
  if (s.forward) return;
  for_each_unit(s, [&](int64_t b, int64_t h, int64_t at) {
    const Gates gate(s, in[0].data(), b, h);
    in[2].data()[at] = static_cast<float>(gate.f * in[1].data()[at] + gate.i * gate.g);
  });
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const CellShape s(c);
  for_each_unit(s, [&](int64_t b, int64_t h, int64_t at) {
    const Gates gate(s, in[0].data(), b, h);
    const double cell = in[1].data()[at];
    if (s.forward) {
      const double next = gate.f * cell + gate.i * gate.g;
      out[0].data[at] = gate.o * std::tanh(next);
      out[1].data[at] = next;
      return;
    }
    const double t = std::tanh(double{in[2].data()[at]});
    const double dh = in[3].data()[at];
    const double dnext = in[4].data()[at] + dh * gate.o * (1 - t * t);
    const auto dgate = [&](int64_t number) -> double& {
      return out[0].data[s.gate_at(b, h, number, kGates)];
    };
    dgate(0) = dnext * gate.g * gate.i * (1 - gate.i);
    dgate(1) = dnext * cell * gate.f * (1 - gate.f);
    dgate(2) = dnext * gate.i * (1 - gate.g * gate.g);
    dgate(3) = dh * t * gate.o * (1 - gate.o);
    out[1].data[at] = dnext * gate.f;
  });
}

// Activations are within 6 ULP of themselves and at most 1; every result is a sum of at most two
// products of them with values of the range, |value| <= R. 1 - t^2 has an absolute error of
// 13 ULP of 1, and what follows is a product of at most five factors.
std::vector<Tolerance> tolerances_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  const double largest = std::max({std::fabs(lo), std::fabs(hi), 1.0});
  if (CellShape(c).forward) {
    // tanh passes the error of c_next on, at most as it is.
    const Tolerance next = {.absolute = 8 * kUlp * (largest + 1), .relative = 4 * kUlp};
    return {{.absolute = next.absolute + 8 * kUlp, .relative = 4 * kUlp}, next};
  }
  const double dnext = 2 * largest;  // at most
  const Tolerance backward = {.absolute = 32 * kUlp * dnext * largest, .relative = 4 * kUlp};
  return {backward, backward};
}

Work work_of(const Case& c) {
  const CellShape s(c);
  return {.flops = static_cast<double>(s.batch * s.hidden) * (s.forward ? 24 : 40),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = cell_spec("lstm_pointwise", "Gates and state of an LSTM cell, and gradients."),
    .validate = [](const Case& c) { require_size(c.op(), "gates", CellShape(c).gates(kGates)); },
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = save_state,
    .oracle = oracle,
    .tolerance = {},
    .output_tolerances = tolerances_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
