// The runs of a tracking log.
#pragma once

#include <string>
#include <vector>

#include "harness/core/suite/suite.h"
#include "harness/report/base/data/run_data.h"
#include "harness/store/store.h"

namespace nsop::report {

// The lines of the suite's log as judge::logged_runs finds them, the run itself last. `project` is
// the folder with CHANGELOG.md and nsop-releases.toml; both may be missing. A release has the
// changes that the changelog lists under its name; the run, unless it is one, what is unreleased.
// Throws Error (usage) for a name that no run has and for a text that is no list of releases.
std::vector<Release> releases_of(const store::Store& store, const std::string& project,
                                 const Suite& suite, const RunData& run);

}  // namespace nsop::report
