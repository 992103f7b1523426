// A gate that is measured into the store.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/judge/gate/measurer.h"
#include "harness/judge/gate/session.h"
#include "harness/judge/gate/stored.h"
#include "harness/run/plan/plan.h"
#include "harness/store/store.h"

namespace nsop::judge {

// What is kept of a gate beside its plan.
struct GateRunFacts {
  std::string origin;  // `gate`, or `confirm` for one that a nightly check or a search made
  uint64_t seed = 0;
  std::string tool_version;
  std::map<std::string, run::CaseDescription> cases;
};

// The plan of a gate with these options; sides, rows and what is said of them are left to fill in.
GatePlan gate_plan_of(const GateOptions& options);

// Stores this host, the builds of the arms and a new run that goes by the plan; returns its id.
std::string begin_gate(store::Store& store, const GatePlan& plan, const GateRunFacts& facts,
                       const std::vector<const ArmWorkers*>& arms);

// Nothing is measured, because both builds are the same objects, but the finding is kept, so that
// it can be reported. Returns the id of the complete run.
std::string store_identical(store::Store& store, const GatePlan& plan, const GateRunFacts& facts);

// Measures the rows, stores every invocation as it ends, and ends the run. `note` is told when
// somebody set the clock meanwhile. Throws run::Interrupted after the run was stored as aborted.
GateResult measure_gate(
    const std::vector<GateRow>& rows, const GateOptions& options, Measurer& measurer,
    store::Store& store, const std::string& run_id, const BuildNote& note,
    const GateProgressSink& progress = [](const RowKey&, const GateProgress&) {});

}  // namespace nsop::judge
