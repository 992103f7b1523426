#include "harness/cli/gate_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/session.h"
#include "harness/judge/gate/verdict.h"
#include "harness/report/base/format.h"
#include "harness/stats/robust.h"

namespace nsop::cli {
namespace {

double median_or_0(const std::vector<double>& values) {
  return values.empty() ? 0 : stats::median(values);
}

report::GateState state_of(const judge::GateResult& result, bool identical) {
  if (identical) return report::GateState::kIdentical;
  switch (judge::outcome_of(result)) {
    case judge::GateOutcome::kWorse:
      return report::GateState::kWorse;
    case judge::GateOutcome::kVoid:
      return report::GateState::kVoid;
    case judge::GateOutcome::kUnjudged:
      return report::GateState::kUnjudged;
    case judge::GateOutcome::kUndecided:
      return report::GateState::kUndecided;
    case judge::GateOutcome::kPassed:
      break;
  }
  return report::GateState::kPassed;
}

report::GatePresence presence_of(judge::RowKind kind) {
  switch (kind) {
    case judge::RowKind::kLost:
      return report::GatePresence::kLost;
    case judge::RowKind::kNew:
      return report::GatePresence::kNew;
    case judge::RowKind::kIdentical:
      return report::GatePresence::kIdentical;
    case judge::RowKind::kBoth:
      break;
  }
  return report::GatePresence::kBoth;
}

// The status of what failed in a session, the head's first; empty: nothing did.
std::string failure_of(const judge::SessionRow& session) {
  if (session.reason.empty()) return {};
  return status_text(session.head != Status::kOk ? session.head : session.base);
}

report::GateRowView row_view(const judge::GateRowResult& row) {
  report::GateRowView view;
  view.key = row.row.key;
  view.control = row.row.canary;
  view.presence = presence_of(row.row.kind);
  view.source = row.row.source;
  view.verdict = row.verdict;
  view.note = row.note;
  view.declared = row.is_declared;
  view.failure = failure_of(row.first);
  view.head_ran = row.first.head == Status::kOk && (!row.second || row.second->head == Status::kOk);
  if (view.failure.empty() && row.second) view.failure = failure_of(*row.second);
  view.base_wall_ns = median_or_0(row.first.base_wall_ns);
  view.head_wall_ns = median_or_0(row.first.head_wall_ns);
  view.rounds = static_cast<int>(row.first.rounds.size());
  view.first = row.first.decision;
  if (row.second) view.second = row.second->decision;
  view.base_allocs = row.base_allocs;
  view.head_allocs = row.head_allocs;
  view.allocs = row.allocs;
  view.bytes = row.bytes;
  return view;
}

// An imported run carries only the builds that its invocations name.
report::GateArmView arm_view(const store::Store& store, const judge::GateSide& side,
                             const std::vector<Invocation>& invocations) {
  report::GateArmView arm{side.label, side.commit, {}};
  for (const std::string& id : side.build_ids) {
    const bool measured = std::any_of(invocations.begin(), invocations.end(),
                                      [&](const Invocation& i) { return i.build_id == id; });
    if (measured) arm.builds.push_back(store.build(id));
  }
  return arm;
}

}  // namespace

std::string probe_text(const judge::HostProbe& probe) {
  if (!probe.failure.empty()) return probe.failure;
  if (probe.paired_sd == 0) return {};
  return fmt::format(
      "paired SD {}, {} of the repetitions preempted, {:.1f} % of the time stolen, load {:.1f}",
      report::share_text(probe.paired_sd), report::share_text(probe.preempted_share),
      probe.steal_percent, probe.load1);
}

report::GateView load_gate(const store::Store& store, const std::string& run_id) {
  report::GateView view;
  view.run = store.run(run_id);
  if (view.run.profile != "gate") {
    throw usage_error(
        fmt::format("run {} is no gate; `nsop list runs` shows which are", short_id(run_id)));
  }
  const judge::GatePlan plan = judge::parse_gate_plan(view.run.plan_json);
  const std::vector<Invocation> invocations = store.invocations(run_id);
  const judge::GateResult result = judge::replay_gate(plan, invocations);
  view.host = store.host(view.run.host_id);
  view.base = arm_view(store, plan.base, invocations);
  view.head = arm_view(store, plan.head, invocations);
  view.merge_base = plan.merge_base;
  view.state = state_of(result, plan.identical);
  view.void_reason = result.void_reason;
  view.layouts = plan.layouts;
  view.fresh_layouts = plan.fresh_layouts;
  view.second_session = plan.second_session;
  view.policy = plan.policy;
  view.false_discovery_rate = plan.false_discovery_rate;
  view.command = plan.command;
  view.probe = probe_text(plan.probe);
  view.probe_noisy = plan.probe.noisy;
  for (const judge::GateRowResult& row : result.rows) view.rows.push_back(row_view(row));
  return view;
}

}  // namespace nsop::cli
