#include "harness/worker/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "harness/core/registrations.h"
#include "harness/core/registry.h"
#include "harness/core/text.h"

namespace nsop::worker {
namespace {

std::vector<const Op*> sorted_ops() {
  std::vector<const Op*> ops;
  for (const Op& op : all_ops()) ops.push_back(&op);
  std::ranges::sort(ops, {}, [](const Op* op) { return op->spec.name; });
  return ops;
}

std::vector<const Variant*> sorted_variants() {
  std::vector<const Variant*> variants;
  for (const Variant& variant : all_variants()) variants.push_back(&variant);
  std::ranges::sort(variants, {}, [](const Variant* v) { return std::tie(v->op, v->name); });
  return variants;
}

const char* role_text(Role role) {
  switch (role) {
    case Role::kBefore:
      return "before";
    case Role::kPeer:
      return "peer";
    case Role::kProbe:
      return "probe";
    case Role::kOurs:
      break;
  }
  return "ours";
}

}  // namespace

Json ops_json() {
  Json ops = Json::array();
  for (const Op* op : sorted_ops()) ops.push_back(to_json(op->spec));
  return ops;
}

Json variants_json() {
  Json variants = Json::array();
  for (const Variant* v : sorted_variants()) {
    variants.push_back({{"op", v->op},
                        {"name", v->name},
                        {"role", role_text(v->role)},
                        {"summary", v->summary},
                        {"targets", v->targets()}});
  }
  return variants;
}

std::string listing_text() {
  std::string text;
  for (const Op* op : sorted_ops()) {
    std::vector<std::string> keys;
    for (const ParamSpec& param : op->spec.params) keys.push_back(param.name);
    text += fmt::format("{}: {}\n  keys: {}\n", op->spec.name, op->spec.summary,
                        keys.empty() ? "none" : join(keys, " "));
    for (const Variant* v : sorted_variants()) {
      if (v->op != op->spec.name) continue;
      text += fmt::format("  {} ({}): {} [{}]\n", v->name, role_text(v->role), v->summary,
                          join(v->targets(), " "));
    }
  }
  return text;
}

Json registrations_json() {
  Json all = Json::array();
  for (const Registration& r : registrations()) {
    all.push_back({{"op", r.op}, {"variant", r.variant}, {"addresses", r.addresses}});
  }
  return all;
}

}  // namespace nsop::worker
