// The cases of each registered layer, from its row and the lines of reference/check_cases.txt: a
// layer that has a row and lines is tested like those whose cases are written by hand. Declared in
// layer_cases_support.h.
#include <algorithm>
#include <set>

#include "harness/core/files.h"
#include "harness/core/registry.h"
#include "harness/core/text.h"
#include "layers/core/variant.h"
#include "layers/testing/layer_cases_support.h"

namespace nsop::layers {
namespace {

constexpr int64_t kMostElements = 256;  // of all inputs: each is moved four times by the gradients
constexpr size_t kMostCases = 6;

std::vector<Case> forward_cases(const LayerRow& row) {
  const Op& op = *find_op(row.op);
  std::vector<Case> cases;
  for (const std::string& raw : split(read_file(NSOP_CHECK_CASES), '\n')) {
    const std::string line = trim(raw);
    if (line.empty() || line[0] == '#' || case_op(line) != row.op) continue;
    for (Case& c : expand_cases(line, op.spec)) {
      if (c.has("pass") && c.str("pass") != "forward") continue;
      if (row.unsupported(c).empty()) cases.push_back(std::move(c));
    }
  }
  return cases;
}

bool is_small(const Case& c) {
  int64_t elements = 0;
  for (const InputSpec& input : find_op(c.op())->inputs(c)) elements += element_count(input.shape);
  return elements <= kMostElements;
}

LayerCase layer_case(const LayerRow& row, const Case& c) {
  LayerCase made;
  made.make = [&row, c] { return row.make(c); };
  made.in = row.input(c);
  made.op_case = c.text();
  made.training = row.training(c);
  made.refused = {{}, made.in};
  made.refused.back().back() = 0;
  if (row.x == "index") made.indices = c.integer("vocab");
  made.registered = true;
  return made;
}

// Some of the small cases, from the first to the last line, no layer and shape twice.
LayerKind kind_of(const LayerRow& row) {
  std::vector<LayerCase> all;
  std::set<std::string> seen;
  for (const Case& c : forward_cases(row)) {
    if (!is_small(c)) continue;
    LayerCase made = layer_case(row, c);
    const std::string key = made.make()->name() + shape_text(made.in) + (made.training ? "t" : "");
    if (seen.insert(key).second) all.push_back(std::move(made));
  }
  LayerKind kind{row.op, {}};
  const size_t count = std::min(all.size(), kMostCases);
  for (size_t i = 0; i < count; ++i) {
    kind.cases.push_back(all[i * (all.size() - 1) / std::max<size_t>(count - 1, 1)]);
    kind.cases.back().name = kind.cases.back().op_case;
  }
  return kind;
}

}  // namespace

const std::vector<LayerKind>& registered_kinds() {
  static const std::vector<LayerKind> kinds = [] {
    std::vector<LayerKind> result;
    for (const auto& row : layer_rows()) {
      // What depends on random numbers of its own has no oracle of x alone.
      if (!find_op(row->op)->oracle_given) result.push_back(kind_of(*row));
    }
    return result;
  }();
  return kinds;
}

std::string oracle_name(const Case& op_case, const std::string& layer_name) {
  const auto inputs = find_op(op_case.op())->inputs(op_case);
  for (const auto& row : layer_rows()) {
    if (row->op != op_case.op()) continue;
    for (const auto& [in_op, in_layer] : row->parameters) {
      const auto is_it = [&in_op = in_op](const InputSpec& input) { return input.name == in_op; };
      if (in_layer == layer_name && std::ranges::any_of(inputs, is_it)) return in_op;
    }
  }
  return layer_name;
}

}  // namespace nsop::layers
