#include "harness/judge/nightly/revision_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/builds/foreign.h"
#include "harness/judge/gate/arms.h"
#include "harness/judge/gate/identical.h"
#include "harness/judge/gate/measured.h"
#include "harness/judge/gate/plan.h"
#include "harness/judge/gate/probe.h"
#include "harness/run/lock.h"
#include "harness/run/plan/programs.h"
#include "harness/run/scratch.h"

namespace nsop::judge {
namespace {

GateSide side_of(const Built& built, const ArmWorkers& workers) {
  GateSide side = gate_side(built, workers);
  side.label = built.commit;
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
    r.first.decision.intervals.fill({1, 1, 1});
    r.allocs = r.bytes = stats::compare_exact(0, 0);
    r.note = "identical objects: kernels, core and engine";
    result.rows.push_back(std::move(r));
  }
  return result;
}

}  // namespace

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
  arm.built = options_.place.foreign.adapter.empty()
                  ? build_revision(options_.place, commit, layouts, note_)
                  : build_foreign(options_.place, commit, note_);
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
  GatePlan plan = gate_plan_of(gate);
  plan.base = side_of(base.built, base.workers);
  plan.head = side_of(head.built, head.workers);
  plan.command = fmt::format("nsop gate --base {} --head {}", base.built.commit, head.built.commit);
  plan.probe = probe;
  plan.rows = rows;
  GateRunFacts facts{"confirm", gate.seed, options_.tool_version, {}};
  for (const GateRow& row : rows) {
    facts.cases[row.key.case_text] = cases_.at(row.key.case_text);
  }
  std::vector<const ArmWorkers*> measured = {&base.workers, &head.workers};
  const ArmWorkers controls{{reference_}};
  if (foreign()) measured.push_back(&controls);
  return begin_gate(store_, plan, facts, measured);
}

GateResult RevisionLab::measure(const Arm& base, const Arm& head, const std::vector<GateRow>& rows,
                                const GateOptions& gate) {
  const run::MeasuringLock lock(run::measuring_lock_path(), options_.lock_wait_s, note_);
  const run::ScratchFolder scratch;
  run::OracleCache oracle = run::open_oracle(reference_, scratch.path());
  run::OracleCache own(base.workers.layouts[0].timing, "", "", scratch.path());
  const Controls controls{reference_, oracle};
  WorkerMeasurer measurer(base.workers, head.workers, cases_, foreign() ? own : oracle,
                          scratch.path(), false, foreign() ? &controls : nullptr);
  const HostProbe probe = probe_host(rows, measurer, read_conditions());
  if (probe.noisy) {
    const std::string how = probe.failure.empty()
                                ? fmt::format("paired SD {:.1f} %", 100 * probe.paired_sd)
                                : probe.failure;
    note_(fmt::format("the machine is noisy ({}): expect inconclusive rows", how));
  }
  const std::string run_id = begin_run(base, head, rows, gate, probe);
  return measure_gate(rows, gate, measurer, store_, run_id, note_);
}

GateResult RevisionLab::compare(const std::string& base, const std::string& head,
                                const std::vector<RowKey>& rows, Purpose purpose) {
  GateOptions gate = options_.gate;
  gate.second_session = purpose == Purpose::kFinding;
  if (foreign()) gate.layouts = 1;  // programs are linked as they are
  const int layouts = link_orders_to_build(gate.layouts, gate.second_session);
  set_fresh_layouts(gate, layouts > gate.layouts);
  const std::string base_commit = commit_of(options_.place, base);
  const std::string head_commit = commit_of(options_.place, head);
  const Arm base_arm = arm(base_commit, layouts), head_arm = arm(head_commit, layouts);
  if (are_identical(base_arm.built, head_arm.built)) return same_objects(rows);
  std::vector<GateRow> all;
  run::WorkerClient reference(reference_.timing, {}, 1);
  std::optional<run::WorkerClient> own;  // of programs of other projects
  if (foreign()) own.emplace(head_arm.workers.layouts[0].timing, std::vector<int>(), 1);
  const auto add = [&](const RowKey& row, bool control) {
    run::WorkerClient& describer = own && !control ? *own : reference;
    if (!cases_.contains(row.case_text)) cases_[row.case_text] = describer.describe(row.case_text);
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
