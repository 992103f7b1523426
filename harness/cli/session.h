// What several verbs need: places of workers, suites, stored runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/core/host/host.h"
#include "harness/core/suite/suite.h"
#include "harness/report/gate/report.h"
#include "harness/report/model.h"
#include "harness/run/plan/programs.h"
#include "harness/store/store.h"

namespace nsop::cli {

// Where the workers of a session are.
run::ProgramPlaces program_places(const Settings& settings);
run::PeerPlaces peer_places(const Settings& settings);

// The suites with these names, or all of them when there are none. Throws Error (usage) with a
// suggestion for an unknown name.
std::vector<Suite> named_suites(const Settings& settings, const std::vector<std::string>& names);

// A stored run with everything that a diff or a report needs.
report::RunData load_run(const store::Store& store, const std::string& run_id);

// A stored gate, judged again from its invocations. Throws Error: (usage) for a run that is no
// gate, (bad data) for one whose plan is damaged.
report::GateRecord load_gate(const store::Store& store, const std::string& run_id);

// The newest complete run of the host that measured what its machine can do at most.
std::optional<std::string> run_with_limits(const store::Store& store, const std::string& host_id);

// Opens the database for reading; a missing one is an Error (usage) that says how to fill it.
store::Store open_for_reading(const Settings& settings);

}  // namespace nsop::cli
