// Runs of a machine beside the run before, as the site compares them.
#pragma once

#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/store/store.h"

namespace nsop::report {

// Each host's newest runs against an earlier one: the newest of those with which they share most
// suites, or of those that measured none either; a line as a gate's, with `of` set to `runs`.
// `runs` are those that are shown, newest first; `all` are the suites of the project.
std::vector<Json> run_pairs_json(const store::Store& store,
                                 const std::vector<store::RunSummary>& runs,
                                 const std::vector<Suite>& all);

}  // namespace nsop::report
