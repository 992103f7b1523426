#include "harness/worker/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace nsop::worker {

OpCase case_field(const Json& request) {
  const std::string line = text_field(request, "case");
  try {
    const Op* const op = find_op(case_op(line));
    if (op == nullptr) {
      throw Refusal("unknown_op", fmt::format("no op '{}' in this worker", case_op(line)));
    }
    return {*op, parse_case(line)};
  } catch (const Error& error) {
    throw Refusal("bad_case", error.what());
  }
}

const Variant& variant_field(const Json& request, const Op& op) {
  const std::string name = text_field(request, "variant");
  if (const Variant* const variant = find_variant(op.spec.name, name)) return *variant;
  std::vector<std::string> known;
  for (const Variant& variant : all_variants()) {
    if (variant.op == op.spec.name) known.push_back(variant.name);
  }
  std::ranges::sort(known);
  throw Refusal("unsupported", fmt::format("op '{}' has no variant '{}' here, only: {}",
                                           op.spec.name, name, join(known, ", ")));
}

std::string target_field(const Json& request, const Variant& variant) {
  const std::string wanted =
      request.contains("target") ? text_field(request, "target") : std::string("best");
  const std::vector<std::string> targets = variant.targets();
  if (targets.empty()) {
    throw Refusal("unsupported", fmt::format("'{}' has no target on this machine", variant.name));
  }
  if (wanted == "best") return targets.front();
  if (std::ranges::find(targets, wanted) != targets.end()) return wanted;
  throw Refusal("unsupported", fmt::format("'{}' has no target '{}' on this machine, only: {}",
                                           variant.name, wanted, join(targets, ", ")));
}

}  // namespace nsop::worker
