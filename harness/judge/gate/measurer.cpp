#include "harness/judge/gate/measurer.h"

#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/gate/plan.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::judge {

LinkOrders share_link_orders(size_t count, bool second_session) {
  if (!second_session || count < 2 * stats::kFewestClusters)
    return {static_cast<int>(count), false};
  return {static_cast<int>(count / 2), true};
}

int link_orders_to_build(int layouts, bool second_session) {
  return second_session && layouts > 1 ? 2 * layouts : layouts;
}

ArmWorkers open_arm(const Built& built) {
  ArmWorkers arm;
  for (const std::string& program : built.workers) {
    std::vector<std::string> command = {program};
    command.insert(command.end(), built.arguments.begin(), built.arguments.end());
    arm.layouts.push_back(run::open_worker(command, built.preload));
  }
  return arm;
}

WorkerMeasurer::WorkerMeasurer(const ArmWorkers& base, const ArmWorkers& head,
                               const std::map<std::string, run::CaseDescription>& cases,
                               run::OracleCache& oracle, std::string scratch, bool instructions,
                               const Controls* controls)
    : base_(base),
      head_(head),
      cases_(cases),
      oracle_(oracle),
      scratch_(std::move(scratch)),
      instructions_(instructions),
      controls_(controls),
      allowed_cpus_(read_conditions().allowed_cpus) {}

Invocation WorkerMeasurer::measure(const RowKey& row, Arm arm, int layout, Phase phase) {
  run::throw_if_interrupted();
  const bool apart = controls_ != nullptr && is_control(row);
  const run::Worker& worker =
      apart ? controls_->worker
            : (arm == Arm::kBase ? base_ : head_).layouts.at(static_cast<size_t>(layout));
  run::OracleCache& oracle = apart ? controls_->oracle : oracle_;
  run::MeasureOptions options;
  options.instructions = instructions_;
  try {
    const run::InvokeContext context{worker,
                                     cases_.at(row.case_text),
                                     oracle.get(row.case_text, run::kFirstSeed),
                                     oracle.get(row.case_text, run::kSecondSeed),
                                     oracle,
                                     run::worker_cpus(allowed_cpus_, row.threads),
                                     scratch_,
                                     options};
    run::LoadedFacts& facts = facts_[{row, worker.build.id}];
    return phase == Phase::kCount ? run::count_row(row, context, &facts)
                                  : run::time_row(row, context, &facts);
  } catch (const run::WorkerFailure& failure) {  // of the reference
    Invocation invocation;
    invocation.id = new_uuid();
    invocation.phase = phase;
    invocation.build_id = worker.build.id;
    invocation.row = row;
    invocation.status = Status::kError;
    invocation.reason = std::string("reference: ") + failure.what();
    invocation.at_utc = utc_now();
    return invocation;
  }
}

Invocation WorkerMeasurer::time(const RowKey& row, Arm arm, int layout) {
  return measure(row, arm, layout, Phase::kTime);
}

Invocation WorkerMeasurer::count(const RowKey& row, Arm arm) {
  return measure(row, arm, 0, Phase::kCount);
}

double WorkerMeasurer::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace nsop::judge
