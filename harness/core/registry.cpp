#include "harness/core/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/registrations.h"
#include "harness/core/tensor/random.h"
#include "harness/core/text.h"

namespace nsop {
namespace {

// Function-local, because rows register during static initialisation in no particular order.
std::vector<Op>& ops() {
  static std::vector<Op> rows;
  return rows;
}
std::vector<Variant>& variants() {
  static std::vector<Variant> rows;
  return rows;
}

// Aborts when the op (whose variant is empty) or the variant of an op is registered already.
void expect_new(const std::pair<std::string, std::string>& op_and_variant, const char* file) {
  static std::map<std::pair<std::string, std::string>, const char*> files;
  const auto [row, is_new] = files.emplace(op_and_variant, file);
  if (is_new) return;
  const auto& [op, variant] = op_and_variant;
  const std::string what = variant.empty() ? fmt::format("op '{}'", op)
                                           : fmt::format("variant '{}' of '{}'", variant, op);
  fmt::print(stderr, "nsop: {} is registered twice, in {} and in {}: rename or remove one\n", what,
             row->second, file);
  std::abort();
}

// A seed of its own for every (case, input, seed), so that inputs don't depend on their order.
uint64_t stream_seed(const std::string& case_text, const std::string& input, uint64_t seed) {
  const std::string digest = sha256_hex(fmt::format("{}\n{}\n{}", case_text, input, seed));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

void fill(std::span<float> values, const InputSpec& spec, uint64_t seed) {
  SplitMix64 generator(seed);
  const double span = spec.hi - spec.lo;
  for (float& value : values) {
    double v = 0;
    // Zeros and denormals flatter some machines and slow others down.
    do {
      v = spec.lo + span * generator.uniform();
    } while (std::fabs(v) < 1e-6 * span);
    value = static_cast<float>(v);
  }
}

}  // namespace

const std::vector<Op>& all_ops() { return ops(); }
const std::vector<Variant>& all_variants() { return variants(); }

const Op* find_op(std::string_view name) {
  const auto it =
      std::find_if(ops().begin(), ops().end(), [&](const Op& op) { return op.spec.name == name; });
  return it == ops().end() ? nullptr : &*it;
}

const Variant* find_variant(std::string_view op, std::string_view name) {
  const auto it = std::find_if(variants().begin(), variants().end(),
                               [&](const Variant& v) { return v.op == op && v.name == name; });
  return it == variants().end() ? nullptr : &*it;
}

Case parse_case(std::string_view line) {
  const std::string name = case_op(line);
  const Op* op = find_op(name);
  if (op == nullptr) {
    std::vector<std::string> names;
    for (const Op& o : ops()) names.push_back(o.spec.name);
    std::sort(names.begin(), names.end());
    const auto hit = nearest(name, names);
    throw usage_error(fmt::format("unknown op '{}'{} (ops: {})", name,
                                  hit ? fmt::format("; did you mean '{}'?", *hit) : "",
                                  join(names, ", ")));
  }
  Case result = Case::parse(line, op->spec);
  if (op->validate) op->validate(result);
  return result;
}

std::vector<Tensor> make_inputs(const Op& op, const Case& op_case, uint64_t seed) {
  std::vector<Tensor> tensors;
  for (const InputSpec& spec : op.inputs(op_case)) {
    tensors.emplace_back(spec.shape);
    fill(tensors.back().data(), spec, stream_seed(op_case.text(), spec.name, seed));
  }
  if (op.shape_inputs) op.shape_inputs(op_case, tensors);
  return tensors;
}

std::vector<Tolerance> tolerances_of(const Op& op, const Case& op_case) {
  if (op.output_tolerances) return op.output_tolerances(op_case);
  return std::vector<Tolerance>(op.outputs(op_case).size(), op.tolerance(op_case));
}

std::vector<TensorF64> expected_outputs(const Op& op, const Case& op_case,
                                        std::span<const Tensor> inputs,
                                        std::span<const Tensor> produced) {
  std::vector<TensorF64> expected;
  for (const OutputSpec& output : op.outputs(op_case)) {
    const auto count = static_cast<size_t>(element_count(output.shape));
    expected.push_back({output.shape, std::vector<double>(count, 0.0)});
  }
  if (op.oracle_given) {
    op.oracle_given(op_case, inputs, produced, expected);
  } else {
    op.oracle(op_case, inputs, expected);
  }
  return expected;
}

OpRow::OpRow(Op op, const char* file) {
  expect_new({op.spec.name, ""}, file);
  trace_registration(op.spec.name, "");
  ops().push_back(std::move(op));
}
VariantRow::VariantRow(Variant variant, const char* file) {
  expect_new({variant.op, variant.name}, file);
  trace_registration(variant.op, variant.name);
  variant.unsupported = [types = variant.types, own = std::move(variant.unsupported)](
                            const Case& c, int threads) -> std::string {
    const std::string type = c.has("type") ? c.str("type") : "f32";
    if (std::find(types.begin(), types.end(), type) == types.end()) return "has no type " + type;
    return own ? own(c, threads) : "";
  };
  // The frozen code of reference/before names the processors for which it was written.
  const std::vector<std::string> frozen = {"x86-64"};
  if (variant.role == Role::kBefore && variant.targets && variant.targets() == frozen) {
    variant.targets = [] { return std::vector<std::string>{kBaselineTarget}; };
  }
  variants().push_back(std::move(variant));
}

}  // namespace nsop
