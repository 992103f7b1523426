// The runs of a tracking log.
#pragma once

#include <string>
#include <vector>

#include "harness/core/suite/suite.h"
#include "harness/report/base/run_data.h"
#include "harness/store/store.h"

namespace nsop::report {

// Those that the suite names, or all baselines of the run's host that are no newer than it, by
// time; the run itself is the last one. A release has the changes that the changelog (a path; the
// file may be missing) lists under its name; the run, unless it is a baseline, what is unreleased.
// Throws Error (usage) for a name that no run has.
std::vector<Release> releases_of(const store::Store& store, const std::string& changelog,
                                 const Suite& suite, const RunData& run);

}  // namespace nsop::report
