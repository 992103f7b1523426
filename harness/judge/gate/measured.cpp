#include "harness/judge/gate/measured.h"

#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/gate/clock_watch.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::judge {
namespace {

Run gate_run(const GatePlan& plan, const GateRunFacts& facts) {
  Run run;
  run.id = new_uuid();
  run.host_id = this_host().id;
  run.conditions = read_conditions();
  run.origin = facts.origin;
  run.profile = "gate";
  run.seed = facts.seed;
  for (const auto& [text, description] : facts.cases) run.facts[text] = description.facts;
  run.plan_json = gate_plan_text(plan);
  run.started_utc = utc_now();
  run.tool_version = facts.tool_version;
  return run;
}

}  // namespace

GatePlan gate_plan_of(const GateOptions& options) {
  GatePlan plan;
  plan.layouts = options.layouts;
  plan.fresh_layouts = options.fresh_layouts;
  plan.second_session = options.second_session;
  plan.false_discovery_rate = options.false_discovery_rate;
  plan.policy = options.policy;
  return plan;
}

std::string begin_gate(store::Store& store, const GatePlan& plan, const GateRunFacts& facts,
                       const std::vector<const ArmWorkers*>& arms) {
  const Run run = gate_run(plan, facts);
  store.put_host(this_host());
  for (const ArmWorkers* arm : arms) {
    for (const run::Worker& worker : arm->layouts) store.put_build(worker.build);
  }
  store.begin_run(run);
  return run.id;
}

std::string store_identical(store::Store& store, const GatePlan& plan, const GateRunFacts& facts) {
  const std::string run_id = begin_gate(store, plan, facts, {});
  store.end_run(run_id, RunState::kComplete, utc_now());
  return run_id;
}

GateResult measure_gate(const std::vector<GateRow>& rows, const GateOptions& options,
                        Measurer& measurer, store::Store& store, const std::string& run_id,
                        const BuildNote& note, const GateProgressSink& progress) {
  const ClockWatch clock;
  try {
    GateResult result = run_gate(
        rows, options, measurer,
        [&](Arm, Invocation invocation) {
          invocation.run_id = run_id;
          store.append(invocation);
        },
        progress);
    store.end_run(run_id, RunState::kComplete, utc_now());
    if (const std::string jump = clock.jump(); !jump.empty()) note(jump);
    return result;
  } catch (const run::Interrupted&) {
    run::clear_interrupt();
    store.end_run(run_id, RunState::kAborted, utc_now());
    throw;
  }
}

}  // namespace nsop::judge
