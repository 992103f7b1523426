// gru_pointwise: what a GRU cell does after its matrix products. From the parts of the gates r, z,
// n that come from the input (gx) and from the state (gh), both with their biases:
// r = sigmoid(gx_r + gh_r), z = sigmoid(gx_z + gh_z), n = tanh(gx_n + r gh_n),
// h_next = (1 - z) n + z h.
#include <algorithm>

#include "reference/recurrent/pointwise.h"

namespace nsop::reference {
namespace {

constexpr int64_t kGates = 3;

std::vector<InputSpec> inputs_of(const Case& c) {
  const CellShape s(c);
  const auto [lo, hi] = c.range("range");
  std::vector<InputSpec> in = {
      {"gx", s.gates(kGates), lo, hi}, {"gh", s.gates(kGates), lo, hi}, {"h", s.state(), lo, hi}};
  if (!s.forward) in.push_back({"dh_next", s.state(), lo, hi});
  return in;
}

std::vector<OutputSpec> outputs_of(const Case& c) {
  const CellShape s(c);
  if (s.forward) return {{"h_next", s.state()}};
  return {{"dgx", s.gates(kGates)}, {"dgh", s.gates(kGates)}, {"dh", s.state()}};
}

void oracle(const Case& c, std::span<const Tensor> in, std::span<TensorF64> out) {
  const CellShape s(c);
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t u = 0; u < s.hidden; ++u) {
      const int64_t at = b * s.hidden + u;
      const auto gate_at = [&](int64_t gate) { return s.gate_at(b, u, gate, kGates); };
      const auto gx = [&](int64_t gate) -> double { return in[0].data()[gate_at(gate)]; };
      const auto gh = [&](int64_t gate) -> double { return in[1].data()[gate_at(gate)]; };
      const double r = logistic(gx(0) + gh(0));
      const double z = logistic(gx(1) + gh(1));
      const double n = std::tanh(gx(2) + r * gh(2));
      const double h = in[2].data()[at];
      if (s.forward) {
        out[0].data[at] = (1 - z) * n + z * h;
        continue;
      }
      const double d = in[3].data()[at];
      const double dn = d * (1 - z) * (1 - n * n);
      const double dr = dn * gh(2) * r * (1 - r);
      const double dz = d * (h - n) * z * (1 - z);
      out[0].data[gate_at(0)] = out[1].data[gate_at(0)] = dr;
      out[0].data[gate_at(1)] = out[1].data[gate_at(1)] = dz;
      out[0].data[gate_at(2)] = dn;
      out[1].data[gate_at(2)] = dn * r;
      out[2].data[at] = d * z;
    }
  }
}

// Activations are at most 1 and within 6 ULP of themselves; the rounding of a gate's sum, 2 R u
// with |values| <= R, passes through them at most as it is (n's sum has the error of r times R,
// too). Every result is a product of at most five such factors, one of which may be a difference
// of values up to R.
std::vector<Tolerance> tolerances_of(const Case& c) {
  const auto [lo, hi] = c.range("range");
  const double largest = std::max({std::fabs(lo), std::fabs(hi), 1.0});
  const double activation = kUlp * (8 + 8 * largest);
  const Tolerance forward = {.absolute = activation * (largest + 2), .relative = 4 * kUlp};
  if (CellShape(c).forward) return {forward};
  const Tolerance backward = {.absolute = 4 * activation * (largest + 1) * largest,
                              .relative = 4 * kUlp};
  return {backward, backward, backward};
}

Work work_of(const Case& c) {
  const CellShape s(c);
  return {.flops = static_cast<double>(s.batch * s.hidden) * (s.forward ? 20 : 34),
          .macs = 0,
          .bytes = compulsory_bytes(inputs_of(c), outputs_of(c))};
}

const OpRow row{Op{
    .spec = cell_spec("gru_pointwise", "Gates and state of a GRU cell, and gradients."),
    .validate = [](const Case& c) { require_size(c.op(), "gx", CellShape(c).gates(kGates)); },
    .inputs = inputs_of,
    .outputs = outputs_of,
    .shape_inputs = {},
    .oracle = oracle,
    .tolerance = {},
    .output_tolerances = tolerances_of,
    .work = work_of,
}};

}  // namespace
}  // namespace nsop::reference
