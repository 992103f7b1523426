#include "reference/spec/weighted.h"

#include <utility>

namespace nsop::reference {

ParamSpec weighted_pass_param() {
  return pass_param({"forward", "backward", "backward_data", "backward_weights"});
}

ParamSpec param(std::string name, ParamKind kind, std::optional<std::string> absent) {
  return {.name = std::move(name), .kind = kind, .choices = {}, .absent = std::move(absent)};
}

std::vector<InputSpec> weighted_inputs(const Weighted& s, const Case& op_case) {
  const auto [lo, hi] = op_case.range("range");
  const InputSpec x{"x", s.x, lo, hi};
  const InputSpec w{"w", s.w, lo, hi};
  const InputSpec b{"b", s.b, lo, hi};
  const InputSpec dy{"dy", s.y, lo, hi};
  if (s.forward()) return s.bias ? std::vector{x, w, b} : std::vector{x, w};
  if (s.wants_data() && s.wants_weights()) return {x, w, dy};
  if (s.wants_data()) return {w, dy};
  return {x, dy};
}

std::vector<OutputSpec> weighted_outputs(const Weighted& s) {
  if (s.forward()) return {{"y", s.y}};
  std::vector<OutputSpec> outputs;
  if (s.wants_data()) outputs.push_back({"dx", s.x});
  if (s.wants_weights()) outputs.push_back({"dw", s.w});
  if (s.wants_weights() && s.bias) outputs.push_back({"db", s.b});
  return outputs;
}

void run_oracle(const Weighted& s, const WeightedOracle& parts, std::span<const Tensor> in,
                std::span<TensorF64> out) {
  const auto input = [&](size_t i) { return in[i].data(); };
  if (s.forward()) {
    return parts.forward(input(0), input(1), s.bias ? input(2) : WeightedOracle::In(), out[0].data);
  }
  const std::span<const float> dy = in.back().data();
  size_t next = 0;
  if (s.wants_data()) parts.data(input(s.wants_weights() ? 1 : 0), dy, out[next++].data);
  if (s.wants_weights()) parts.weights(input(0), dy, out[next++].data);
  if (s.wants_weights() && s.bias) parts.bias(dy, out[next].data);
}

std::vector<Tolerance> in_order(const Weighted& s, const WeightedTolerances& tolerances) {
  const auto& [y, from_bias, dx, dw, db] = tolerances;
  if (s.forward()) return {s.bias ? wider(y, from_bias) : y};
  std::vector<Tolerance> result;
  if (s.wants_data()) result.push_back(dx);
  if (s.wants_weights()) result.push_back(dw);
  if (s.wants_weights() && s.bias) result.push_back(db);
  return result;
}

Work weighted_work(const Weighted& s, const Case& op_case, double macs) {
  const double all = (s.wants_data() && s.wants_weights() ? 2 : 1) * macs;
  return {.flops = 2 * all,
          .macs = all,
          .bytes = compulsory_bytes(weighted_inputs(s, op_case), weighted_outputs(s))};
}

}  // namespace nsop::reference
