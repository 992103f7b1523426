#include "harness/report/stored/run.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/io/json_field.h"
#include "harness/core/text.h"
#include "harness/report/base/data/limits.h"
#include "harness/run/plan/plan.h"
#include "harness/stats/summary.h"

namespace nsop::report {
namespace {

// `8 shards: 1, 3 of 8 on n1; 2 on n2; shard 4 lacks (not begun)`, of what a merge says in the
// plan.
std::string nodes_text(const Json& plan) {
  if (!plan.contains("shards")) return "";
  std::map<std::string, std::vector<std::string>> by_node;
  std::vector<std::string> parts, lacking;
  for (const Json& shard : plan.at("shards")) {
    const auto index = std::to_string(json_field<int>(shard, "index"));
    const auto state = json_field<std::string>(shard, "state");
    if (state == "complete") {
      by_node[json_field<std::string>(shard, "node")].push_back(index);
    } else {
      const auto reason = json_field<std::string>(shard, "reason");
      lacking.push_back(
          fmt::format("shard {} is not in it ({})", index, reason.empty() ? state : reason));
    }
  }
  for (const auto& [node, indices] : by_node) {
    parts.push_back(fmt::format("{} measured {} {}", node, indices.size() == 1 ? "shard" : "shards",
                                join(indices, ", ")));
  }
  parts.insert(parts.end(), lacking.begin(), lacking.end());
  return fmt::format("{}; all variants of a case are of one node", join(parts, "; "));
}

}  // namespace

RunData load_run(const store::Store& store, const std::string& run_id) {
  RunData data;
  data.run = store.run(run_id);
  if (data.run.profile == "gate") {
    throw usage_error(
        fmt::format("run {} is a gate, which has two builds: `nsop report --gate {}` reports it; "
                    "`nsop list runs` shows other runs",
                    short_id(run_id), short_id(run_id)));
  }
  if (data.run.origin == "published") {
    throw usage_error(
        fmt::format("run {} holds published values: they stand beside ours in reports, and are "
                    "compared with nothing",
                    short_id(run_id)));
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
  data.nodes = nodes_text(parse_json(data.run.plan_json, "plan of run " + short_id(run_id)));
  return data;
}

std::optional<std::string> run_with_limits(const store::Store& store, const std::string& host_id) {
  for (const store::RunSummary& summary : store.runs()) {
    const Run& run = summary.run;
    const bool usable = run.host_id == host_id && run.state == RunState::kComplete &&
                        run.profile != "gate" && run.trust != "pr" &&
                        measured_limits(store.run(run.id));
    if (usable) return run.id;
  }
  return std::nullopt;
}

std::optional<RunData> limits_for(const store::Store& store, const Run& run) {
  if (measured_limits(run)) return std::nullopt;
  const std::optional<std::string> other = run_with_limits(store, run.host_id);
  return other ? std::optional(load_run(store, *other)) : std::nullopt;
}

}  // namespace nsop::report
