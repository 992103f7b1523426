// Eigen: the expression that its documentation would have one write for each op, on plain tensors,
// into the caller's memory. Products run on as many threads as asked for; array expressions have no
// threads.
#include <fmt/format.h>

#include <set>
#include <string_view>

#include "reference/peers/eigen/table.h"
#include "reference/peers/peer.h"
#include "reference/spec/axis.h"

namespace nsop::reference::peers {
namespace {

// Best first; what this machine can run. Held to an instruction set or not: each has its own table.
const std::vector<const EigenTable*>& tables() {
  static const std::vector<const EigenTable*> usable = [] {
    std::vector<const EigenTable*> found;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      found.push_back(&kEigenAvx512);
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
      found.push_back(&kEigenAvx2);
    }
    return found;
  }();
  return usable;
}

std::string target_of(const EigenTable& table) {
  return fmt::format("{}-{}", NSOP_EIGEN_VERSION, table.target);
}

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const EigenTable* table : tables()) names.push_back(target_of(*table));
  return names;
}

const EigenTable& table_of(const std::string& target) {
  for (const EigenTable* table : tables()) {
    if (target_of(*table) == target) return *table;
  }
  return *tables().front();
}

// nullptr if there is none.
const EigenEntry* find_entry(const EigenTable& table, const Case& c) {
  const std::string_view pass = c.has("pass") ? c.str("pass") : std::string_view("forward");
  for (size_t i = 0; i < table.count; ++i) {
    const EigenEntry& entry = table.entries[i];
    if (entry.op == c.op() && entry.pass == pass) return &entry;
  }
  return nullptr;
}

bool is_product(const std::string& op) { return op == "matmul" || op == "dense"; }

void set_product(EigenArguments& a, const Case& c) {
  if (c.op() == "matmul") {
    a.m = c.integer("m");
    a.n = c.integer("n");
    a.k = c.integer("k");
    a.first_transposed = c.str("trans")[0] == 't';
    a.second_transposed = c.str("trans")[1] == 't';
  } else {
    a.m = c.shape("in")[0];
    a.k = c.shape("in")[1];
    a.n = c.integer("out");
    a.second_transposed = c.str("w") == "oi";
  }
}

bool is_reduction(const Case& c) { return c.has("axis"); }

// Eigen's matrices have two axes: of more, the first or the last can be reduced.
void set_reduction(EigenArguments& a, const Case& c) {
  const AxisShape s = axis_shape_of(c);
  if (s.outer == 1 && s.inner == 1) {
    a.m = s.length;
    a.n = 1;
  } else if (s.outer == 1) {
    a.m = s.length;
    a.n = s.inner;
    a.first_transposed = true;
  } else {
    a.m = s.outer;
    a.n = s.length;
  }
}

std::string reduction_unsupported(const Case& c) {
  const AxisShape s = axis_shape_of(c);
  if (s.outer > 1 && s.inner > 1) return "Eigen's matrices have no axis in the middle";
  if (s.outer > 1 && s.length == 1) return "an axis of one element is a copy";
  if (c.op().starts_with("norm") && (s.outer > 1 || s.inner > 1)) {
    return "Eigen's norms are measured on whole vectors only";
  }
  return {};
}

std::unique_ptr<Step> prepare(const StepRequest& request) {
  const Case& c = request.op_case;
  const EigenTable& table = table_of(request.target);
  const EigenEntry& entry = *find_entry(table, c);
  EigenArguments a;
  for (size_t i = 0; i < request.inputs.size(); ++i) a.in[i] = request.inputs[i].data().data();
  for (size_t i = 0; i < request.outputs.size(); ++i) a.out[i] = request.outputs[i].data().data();
  const bool folds = is_reduction(c) || c.op() == "dot";
  a.size = static_cast<int64_t>((folds ? request.inputs[0] : request.outputs[0]).size());
  if (is_reduction(c)) set_reduction(a, c);
  if (is_product(c.op())) set_product(a, c);
  if (c.has("lo")) a.lo = static_cast<float>(c.number("lo"));
  if (c.has("hi")) a.hi = static_cast<float>(c.number("hi"));
  if (c.has("alpha")) a.lo = static_cast<float>(c.number("alpha"));
  table.set_threads(request.threads);
  return call_step(request, fmt::format("{}; plain layout, no reorders", table.simd), 0,
                   [a, run = entry.run] { run(a); });
}

std::string unsupported(const Case& c, int threads) {
  if (threads > 1 && !is_product(c.op())) return "Eigen's array expressions run on one thread";
  for (const char* operand : {"a", "b", "c", "x"}) {
    if (c.has(operand) && c.str(operand) != "same") {
      return "Eigen's arrays don't broadcast like NumPy's";
    }
  }
  if (c.op() == "exp" && c.range("range").second > 88) {
    return "Eigen's exp overflows early (x > 88.3) with AVX-512";
  }
  if (is_reduction(c)) {
    const std::string reason = reduction_unsupported(c);
    if (!reason.empty()) return reason;
  }
  if (c.op() == "matmul") {
    if (c.flag("bias") || c.str("act") != "none" || c.integer("batch") != 1) {
      return "measured on single plain products only";
    }
  }
  if (!tables().empty() && find_entry(*tables().front(), c) == nullptr) {
    return fmt::format("Eigen has no pass={} of {}", c.str("pass"), c.op());
  }
  return {};
}

// One row per op that an entry is for.
const bool registered = [] {
  if (tables().empty()) return false;
  std::set<std::string> ops;
  const EigenTable& table = *tables().front();
  for (size_t i = 0; i < table.count; ++i) ops.insert(table.entries[i].op);
  for (const std::string& op : ops) {
    VariantRow(
        peer_variant(op, "eigen", "expression templates on Map", targets, unsupported, prepare));
  }
  return true;
}();

}  // namespace
}  // namespace nsop::reference::peers
