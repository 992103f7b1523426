#include "harness/cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "harness/core/host/host.h"
#include "harness/report/base/limits.h"
#include "harness/report/forms/forms.h"
#include "harness/run/plan/named_suites.h"

namespace nsop::cli {
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

run::PeerPlaces peer_places(const Settings& settings) {
  const std::string preload = settings.bin + "/libnsop_alloc.so";
  // An interpreter is asked once per module: that takes a tenth of a second.
  auto known = std::make_shared<std::map<std::string, std::string>>();
  return {settings.bin, settings.peers, std::filesystem::exists(preload) ? preload : "",
          [settings, known](const std::string& module) {
            const auto it = known->find(module);
            if (it != known->end()) return it->second;
            return (*known)[module] = find_python_with(settings, module);
          }};
}

run::ProgramPlaces program_places(const Settings& settings) {
  return {settings.worker, settings.preload, settings.reference, peer_places(settings)};
}

std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names) {
  return run::named_suites(load_suites(settings.suites, report::suite_forms()), names);
}

report::RunData load_run(const store::Store& store, const std::string& run_id) {
  report::RunData data;
  data.run = store.run(run_id);
  if (data.run.profile == "gate") {
    throw usage_error(
        fmt::format("run {} is a gate, which has two builds: `nsop report --gate {}` reports it; "
                    "`nsop list runs` shows other runs",
                    short_id(run_id), short_id(run_id)));
  }
  data.host = store.host(data.run.host_id);
  const std::vector<Invocation> invocations = store.invocations(run_id);
  std::set<std::string> builds;
  for (const Invocation& invocation : invocations) {
    if (builds.insert(invocation.build_id).second) {
      data.builds.push_back(store.build(invocation.build_id));
    }
  }
  data.rows = stats::summarize(invocations);
  if (data.run.plan_json.empty()) return data;  // imported
  for (const run::PlanRow& row : run::plan_from_json(data.run.plan_json).rows) {
    data.planned.emplace(row.key.case_text, row.key.threads);
  }
  return data;
}

report::GateRecord load_gate(const store::Store& store, const std::string& run_id) {
  report::GateRecord gate;
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

std::optional<std::string> run_with_limits(const store::Store& store, const std::string& host_id) {
  for (const store::RunSummary& summary : store.runs()) {
    const Run& run = summary.run;
    const bool usable = run.host_id == host_id && run.state == RunState::kComplete &&
                        run.profile != "gate" && report::measured_limits(run);
    if (usable) return run.id;
  }
  return std::nullopt;
}

store::Store open_for_reading(const Settings& settings) {
  return store::open_existing(settings.db);
}

}  // namespace nsop::cli
