// Stored runs as a report needs them.
#pragma once

#include <optional>
#include <string>

#include "harness/report/base/data/run_data.h"
#include "harness/store/store.h"

namespace nsop::report {

// The run with its host, its builds, its summarized rows and what it was to measure. Throws Error
// (usage) for a gate, which has two builds, and for published values, which are never judged.
RunData load_run(const store::Store& store, const std::string& run_id);

// The newest complete run of the host that measured what its machine can do at most.
std::optional<std::string> run_with_limits(const store::Store& store, const std::string& host_id);

// The newest run of its host with the machine's limits, for a run that did not measure them.
std::optional<RunData> limits_for(const store::Store& store, const Run& run);

}  // namespace nsop::report
