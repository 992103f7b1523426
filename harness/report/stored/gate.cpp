#include "harness/report/stored/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/core/error.h"

namespace nsop::report {
namespace {

// An imported run carries only the builds that its invocations name.
std::vector<Build> builds_of(const store::Store& store, const judge::GateSide& side,
                             const std::vector<Invocation>& invocations) {
  std::vector<Build> builds;
  for (const std::string& id : side.build_ids) {
    const bool measured = std::any_of(invocations.begin(), invocations.end(),
                                      [&](const Invocation& i) { return i.build_id == id; });
    if (measured) builds.push_back(store.build(id));
  }
  return builds;
}

}  // namespace

GateRecord load_gate(const store::Store& store, const std::string& run_id) {
  GateRecord gate;
  gate.run = store.run(run_id);
  if (gate.run.profile != "gate") {
    throw usage_error(
        fmt::format("run {} is no gate; `nsop list runs` shows which are", short_id(run_id)));
  }
  gate.plan = judge::parse_gate_plan(gate.run.plan_json);
  const std::vector<Invocation> invocations = store.invocations(run_id);
  gate.result = judge::replay_gate(gate.plan, invocations);
  gate.host = store.host(gate.run.host_id);
  gate.base_builds = builds_of(store, gate.plan.base, invocations);
  gate.head_builds = builds_of(store, gate.plan.head, invocations);
  return gate;
}

}  // namespace nsop::report
