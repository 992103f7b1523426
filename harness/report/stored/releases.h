// The runs of a tracking log.
#pragma once

#include <vector>

#include "harness/cli/session.h"

namespace nsop::cli {

// Those that the suite names, or all baselines of the run's host that are no newer than it, by
// time; the run itself is the last one. A release has the changes that CHANGELOG.md lists under its
// name; the run, unless it is a baseline, what is unreleased. Throws Error (usage) for a name that
// no run has.
std::vector<report::Release> releases_of(const store::Store& store, const Settings& settings,
                                         const Suite& suite, const report::RunData& run);

}  // namespace nsop::cli
