#include "harness/shards/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/store/record/parsed_run.h"

namespace nsop::shards {
namespace {

namespace fs = std::filesystem;

// What is timed of a gate, as a plan of a run: its cases have the same shards.
run::Plan plan_of(const judge::GateRowsPlan& gate) {
  run::Plan plan;
  plan.cases = gate.cases;
  for (const judge::GateRow& row : gate.rows) {
    if (!row.canary && gate.cases.contains(row.key.case_text)) {
      plan.rows.push_back({row.key, 0, "", {}, false});
    }
  }
  return plan;
}

ShardGate read_gate(const std::string& path, const Submission& submission, int index) {
  store::ParsedRun parsed = store::parse_run(read_file(path), path);
  ShardGate gate{std::move(parsed.run), {}, {}};
  gate.plan = judge::parse_gate_plan(gate.run.plan_json);
  const std::optional<run::PlanShard>& shard = gate.plan.shard;
  const bool is_ours = shard && shard->submission == submission.id && shard->index == index &&
                       shard->of == submission.shards;
  if (!is_ours) throw bad_data(path + ": this is not that shard of this submission");
  if (gate.run.state != RunState::kComplete) throw bad_data(path + ": the shard isn't complete");
  gate.result = judge::replay_gate(gate.plan, std::move(parsed.invocations));
  return gate;
}

// What is known of a shard that has no file.
std::string missing_text(const std::string& folder, int index) {
  return fs::exists(shard_database(folder, index)) ? "begun, not finished" : "not begun";
}

ShardReport report_of(const ShardGate& gate) {
  ShardReport report;
  report.index = gate.plan.shard->index;
  report.node = gate.plan.shard->node;
  report.host_id = gate.run.host_id;
  report.state = ShardState::kComplete;
  for (const judge::GateRowResult& row : gate.result.rows) {
    report.invocations += 2 * static_cast<int64_t>(row.first.rounds.size());
    if (row.second) report.invocations += 2 * static_cast<int64_t>(row.second->rounds.size());
  }
  if (!gate.result.void_reason.empty()) {
    report.state = ShardState::kAside;
    report.reason = fmt::format("{} is set aside: {}", report.node, gate.result.void_reason);
  }
  return report;
}

}  // namespace

size_t gate_cases(const judge::GateRowsPlan& plan) {
  return shards_of_cases(plan_of(plan), 1).size();
}

void keep_gate_shard(judge::GateRowsPlan& plan, const ShardNumber& shard) {
  const std::map<std::string, int> shards = shards_of_cases(plan_of(plan), shard.of);
  const auto is_here = [&](const judge::GateRow& row) {
    const auto found = shards.find(row.key.case_text);
    // A case that nobody can describe is lost, and said so once.
    return row.canary || (found == shards.end() ? shard.index == 1 : found->second == shard.index);
  };
  std::erase_if(plan.rows, [&](const judge::GateRow& row) { return !is_here(row); });
  const bool has_rows = std::any_of(plan.rows.begin(), plan.rows.end(),
                                    [](const judge::GateRow& row) { return !row.canary; });
  if (has_rows) return;
  throw usage_error(fmt::format("shard {} of {} has nothing to measure: there are {} cases",
                                shard.index, shard.of, shards.size()));
}

Gates read_gates(const std::string& folder, const Submission& submission) {
  Gates gates;
  gates.complete.resize(static_cast<size_t>(submission.shards));
  for (int index = 1; index <= submission.shards; ++index) {
    ShardReport report;
    report.index = index;
    const std::string path = shard_file(folder, index);
    if (!fs::exists(path)) {
      report.reason = missing_text(folder, index);
      gates.reports.push_back(std::move(report));
      continue;
    }
    try {
      ShardGate gate = read_gate(path, submission, index);
      report = report_of(gate);
      if (report.state == ShardState::kComplete) {
        gates.complete[static_cast<size_t>(index) - 1] = std::move(gate);
      }
    } catch (const Error& error) {
      if (error.code() != ExitCode::kBadData) throw;
      report.state = ShardState::kDamaged;
      report.reason = error.what();
    }
    gates.reports.push_back(std::move(report));
  }
  return gates;
}

void store_gates(const std::string& folder, const Gates& gates, store::Store& store) {
  for (size_t i = 0; i < gates.reports.size(); ++i) {
    if (!gates.complete[i]) continue;
    const std::string path = shard_file(folder, gates.reports[i].index);
    store::import_run(store, read_file(path), path);
  }
}

judge::GateResult joint_result(const Gates& gates) {
  judge::GateResult joint;
  for (const std::optional<ShardGate>& gate : gates.complete) {
    if (!gate) continue;
    for (const judge::GateRowResult& row : gate->result.rows) {
      if (!row.row.canary) joint.rows.push_back(row);
    }
    joint.seconds = std::max(joint.seconds, gate->result.seconds);
  }
  return joint;
}

}  // namespace nsop::shards
