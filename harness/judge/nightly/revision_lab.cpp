#include "harness/judge/nightly/revision_lab.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/builds/row_code.h"
#include "harness/judge/gate/clock_watch.h"
#include "harness/judge/gate/identical.h"
#include "harness/judge/gate/probe.h"
#include "harness/judge/gate/stored.h"
#include "harness/run/interrupt.h"
#include "harness/run/lock.h"
#include "harness/run/runner.h"

namespace nsop::judge {
namespace {

bool identical(const Built& a, const Built& b) {
  return !a.objects_sha256.empty() && a.objects_sha256 == b.objects_sha256;
}

GateSide side_of(const Built& built, const ArmWorkers& workers) {
  GateSide side{built.commit, built.commit, {}};
  for (const run::Worker& worker : workers.layouts) side.build_ids.push_back(worker.build.id);
  return side;
}

// What comparing a build with itself would say.
GateResult same_objects(const std::vector<RowKey>& rows) {
  GateResult result;
  for (const RowKey& row : rows) {
    GateRowResult r;
    r.row.key = row;
    r.verdict = r.first.decision.verdict = stats::Verdict::kSame;
    r.first.decision.rounds = 1;
    r.first.decision.lo = r.first.decision.hi = 1;
    r.allocs = r.bytes = stats::compare_exact(0, 0);
    r.note = "identical objects: kernels, core and engine";
    result.rows.push_back(std::move(r));
  }
  return result;
}

}  // namespace

std::vector<RowKey> control_rows() {
  return {{"relu pass=forward n=1000 range=-3:3", "elementwise", "x86-64", 1},
          {"matmul m=64 n=64 k=64 trans=nn", "elementwise", "x86-64", 1}};
}

RevisionLab::RevisionLab(const LabOptions& options, const run::Worker& reference,
                         store::Store& store, std::function<void(const std::string&)> note)
    : options_(options), reference_(reference), store_(store), note_(std::move(note)) {}

const RevisionLab::Arm& RevisionLab::arm(const std::string& commit, int layouts) {
  const auto known = arms_.find(commit);
  if (known != arms_.end() &&
      known->second.workers.layouts.size() >= static_cast<size_t>(layouts)) {
    return known->second;
  }
  Arm arm;
  arm.built = build_revision(options_.place, commit, layouts, note_);
  try {
    arm.workers = open_arm(arm.built);
  } catch (const run::WorkerFailure& failure) {
    throw Error(ExitCode::kInconclusive, fmt::format("commit {} can't be measured: {}",
                                                     short_commit(commit), failure.what()));
  }
  return arms_[commit] = std::move(arm);
}

std::string RevisionLab::begin_run(const Arm& base, const Arm& head,
                                   const std::vector<GateRow>& rows, const GateOptions& gate,
                                   const HostProbe& probe) {
  Run run;
  run.id = new_uuid();
  run.host_id = read_host().id;
  run.conditions = read_conditions();
  run.origin = "confirm";
  run.profile = "gate";
  run.seed = gate.seed;
  for (const GateRow& row : rows) {
    run.facts[row.key.case_text] = cases_.at(row.key.case_text).facts;
  }
  GatePlan plan;
  plan.base = side_of(base.built, base.workers);
  plan.head = side_of(head.built, head.workers);
  plan.layouts = gate.layouts;
  plan.fresh_layouts = gate.fresh_layouts;
  plan.second_session = gate.second_session;
  plan.false_discovery_rate = gate.false_discovery_rate;
  plan.policy = gate.policy;
  plan.command = fmt::format("nsop gate --base {} --head {}", base.built.commit, head.built.commit);
  plan.probe = probe;
  plan.rows = rows;
  run.plan_json = gate_plan_text(plan);
  run.started_utc = utc_now();
  run.tool_version = options_.tool_version;
  store_.put_host(read_host());
  for (const Arm* arm : {&base, &head}) {
    for (const run::Worker& worker : arm->workers.layouts) store_.put_build(worker.build);
  }
  store_.begin_run(run);
  return run.id;
}

GateResult RevisionLab::measure(const Arm& base, const Arm& head, const std::vector<GateRow>& rows,
                                const GateOptions& gate) {
  const run::MeasuringLock lock(run::measuring_lock_path(), options_.lock_wait_s, note_);
  const run::ScratchFolder scratch;
  run::OracleCache oracle(reference_.timing, reference_.build.reference_sha256,
                          run::default_oracle_folder(), scratch.path());
  WorkerMeasurer measurer(base.workers, head.workers, cases_, oracle, scratch.path());
  const HostProbe probe = probe_host(rows, measurer, read_conditions());
  if (probe.noisy) {
    const std::string how = probe.failure.empty()
                                ? fmt::format("paired SD {:.1f} %", 100 * probe.paired_sd)
                                : probe.failure;
    note_(fmt::format("the machine is noisy ({}): what stays open is undecided", how));
  }
  const std::string run_id = begin_run(base, head, rows, gate, probe);
  const ClockWatch clock;
  try {
    GateResult result = run_gate(rows, gate, measurer, [&](judge::Arm, Invocation invocation) {
      invocation.run_id = run_id;
      store_.append(invocation);
    });
    store_.end_run(run_id, RunState::kComplete, utc_now());
    if (const std::string jump = clock.jump(); !jump.empty()) note_(jump);
    return result;
  } catch (const run::Interrupted&) {
    run::clear_interrupt();
    store_.end_run(run_id, RunState::kAborted, utc_now());
    throw;
  }
}

GateResult RevisionLab::compare(const std::string& base, const std::string& head,
                                const std::vector<RowKey>& rows, Purpose purpose) {
  GateOptions gate = options_.gate;
  gate.second_session = purpose == Purpose::kFinding;
  const int layouts = link_orders_to_build(gate.layouts, gate.second_session);
  set_fresh_layouts(gate, layouts > gate.layouts);
  const std::string base_commit = commit_of(options_.place, base);
  const std::string head_commit = commit_of(options_.place, head);
  const Arm base_arm = arm(base_commit, layouts), head_arm = arm(head_commit, layouts);
  if (identical(base_arm.built, head_arm.built)) return same_objects(rows);
  std::vector<GateRow> all;
  run::WorkerClient reference(reference_.timing, {}, 1);
  const auto add = [&](const RowKey& row, bool control) {
    if (!cases_.contains(row.case_text)) cases_[row.case_text] = reference.describe(row.case_text);
    all.push_back({row, control});
  };
  for (const RowKey& row : control_rows()) add(row, true);
  for (const RowKey& row : rows) add(row, false);
  mark_identical(all, base_arm.built.rows, head_arm.built.rows);
  note_(fmt::format("measuring {} against {}: {} row{}", short_commit(head_commit),
                    short_commit(base_commit), rows.size(), rows.size() == 1 ? "" : "s"));
  GateResult result = measure(base_arm, head_arm, all, gate);
  ++comparisons_;
  seconds_ += result.seconds;
  return result;
}

std::vector<std::string> RevisionLab::line(const std::string& good, const std::string& bad) {
  return first_parents(options_.place, good, bad);
}

std::string RevisionLab::subject(const std::string& commit) {
  return subject_of(options_.place, commit);
}

}  // namespace nsop::judge
