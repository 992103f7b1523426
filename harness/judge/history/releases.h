// The runs of a tracking log.
#pragma once

#include <string>
#include <vector>

#include "harness/store/store.h"

namespace nsop::judge {

struct LoggedRun {
  std::string name;    // of the baseline, as it was asked for, or `this run`
  std::string reason;  // of the baseline
  std::string run_id;
};

// Those that are named or, for no names, all baselines of the run's host that are no newer than it,
// by time; the run itself is the last one. Throws Error (usage) for a name that no run has.
std::vector<LoggedRun> logged_runs(const store::Store& store, const std::vector<std::string>& names,
                                   const Run& run);

}  // namespace nsop::judge
