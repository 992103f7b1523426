#include "reference/spec/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/spec/spec.h"

namespace nsop::reference {
namespace {

using IsStored = std::function<bool(const std::string& tensor)>;

const StoredType& type_of(const Case& c) { return stored_type(c.str("type")); }
bool is_half(const Case& c) { return c.str("type") != "f32"; }

// Values beyond the largest of a type would be infinite before the op begins.
void require_range(const Case& c) {
  if (!is_half(c) || !c.has("range")) return;
  const auto [lo, hi] = c.range("range");
  const double largest = std::max(std::fabs(lo), std::fabs(hi));
  require(largest <= type_of(c).largest, c.op(),
          fmt::format("range={} is beyond what {} holds, expected at most {:g}", c.str("range"),
                      c.str("type"), type_of(c).largest));
}

void round_inputs(const Op& op, const IsStored& is_stored, const Case& c,
                  std::span<Tensor> inputs) {
  const std::vector<InputSpec> specs = op.inputs(c);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!is_stored(specs[i].name)) continue;
    for (float& value : inputs[i].data()) {
      value = static_cast<float>(rounded_to(type_of(c), value));
    }
  }
}

// What the type doesn't hold is infinite, as rounded_to() has it; all else stays exact.
void overflow_outputs(const Op& op, const IsStored& is_stored, const Case& c,
                      std::span<TensorF64> out) {
  const std::vector<OutputSpec> specs = op.outputs(c);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!is_stored(specs[i].name)) continue;
    for (double& value : out[i].data) {
      const double stored = rounded_to(type_of(c), value);
      if (std::isinf(stored)) value = stored;
    }
  }
}

// |stored - exact| <= |stored - computed| + |computed - exact|, where computed is within `t` of the
// exact value and rounding it to the type moves it by at most u * |computed| or, among denormals,
// by half their unit.
Tolerance rounded(Tolerance t, const StoredType& type) {
  const double u = type.unit_roundoff();
  return {.absolute = t.absolute * (1 + u) + type.denormal / 2,
          .relative = t.relative * (1 + u) + u};
}

std::vector<Tolerance> tolerances(const Op& op, const IsStored& is_stored, const Case& c) {
  std::vector<Tolerance> all = tolerances_of(op, c);
  if (!is_half(c)) return all;
  const std::vector<OutputSpec> specs = op.outputs(c);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (is_stored(specs[i].name)) all[i] = rounded(all[i], type_of(c));
  }
  return all;
}

Work work(const Op& op, const IsStored& is_stored, const Case& c) {
  Work out = op.work(c);
  const double saved = kFloatBytes - type_of(c).bytes;
  const auto less = [&](const auto& spec) {
    if (is_stored(spec.name)) out.bytes -= saved * static_cast<double>(element_count(spec.shape));
  };
  for (const InputSpec& spec : op.inputs(c)) less(spec);
  for (const OutputSpec& spec : op.outputs(c)) less(spec);
  return out;
}

}  // namespace

double StoredType::unit_roundoff() const { return std::ldexp(1.0, -digits); }

const StoredType& stored_type(const std::string& name) {
  static const std::array all = {
      StoredType{"f32", 24, 0x1.fffffep127, 0x1p-149, 4},
      StoredType{"bf16", 8, 0x1.fep127, 0x1p-133, 2},
      StoredType{"f16", 11, 65504, 0x1p-24, 2},
  };
  const auto* const found = std::find_if(all.begin(), all.end(),
                                         [&](const StoredType& type) { return type.name == name; });
  assert(found != all.end());
  return *found;
}

double rounded_to(const StoredType& type, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double unit = std::ldexp(1.0, std::ilogb(value) - (type.digits - 1));
  const double step = std::max(unit, type.denormal);
  const double nearest = std::nearbyint(value / step) * step;  // of two the even one
  if (std::fabs(nearest) <= type.largest) return nearest;
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

Op with_types(const Op& op, IsStored is_stored) {
  assert(!op.oracle_given);
  if (!is_stored) is_stored = [](const std::string&) { return true; };
  Op out = op;
  out.spec.params.push_back({.name = "type",
                             .kind = ParamKind::kChoice,
                             .choices = {kTypes.begin(), kTypes.end()},
                             .absent = kTypes.front()});
  out.validate = [op](const Case& c) {
    require_range(c);
    if (op.validate) op.validate(c);
  };
  out.shape_inputs = [op, is_stored](const Case& c, std::span<Tensor> inputs) {
    if (is_half(c)) round_inputs(op, is_stored, c, inputs);
    if (op.shape_inputs) op.shape_inputs(c, inputs);
    if (is_half(c)) round_inputs(op, is_stored, c, inputs);  // what was made of them, too
  };
  out.oracle = [op, is_stored](const Case& c, std::span<const Tensor> in,
                               std::span<TensorF64> outputs) {
    op.oracle(c, in, outputs);
    if (is_half(c)) overflow_outputs(op, is_stored, c, outputs);
  };
  out.output_tolerances = [op, is_stored](const Case& c) { return tolerances(op, is_stored, c); };
  out.work = [op, is_stored](const Case& c) { return work(op, is_stored, c); };
  return out;
}

}  // namespace nsop::reference
