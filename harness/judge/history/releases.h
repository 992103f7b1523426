// The runs that a report speaks of beside its own, the one before and the runs of a tracking log;
// and which run may be named as a baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/suite/releases.h"
#include "harness/core/suite/suite.h"
#include "harness/store/store.h"

namespace nsop::judge {

struct LoggedRun {
  std::string name;    // of the release or baseline, as it was asked for, or `this run`
  std::string reason;  // of the baseline
  std::string commit;  // of the release, as the project lists it; empty: of none
  std::string run_id;  // empty: a release that no run on this host measured for the suite
};

// The lines of the suite's log, the run itself last: the runs that the suite names, by time; or the
// releases that the project lists, in its order, each by the newest complete run of its commit on
// the run's host that measured the suite, and then all other baselines of that host that are no
// newer than the run, by time. A run of a listed release has that name, and nothing after it has a
// line. Throws Error (usage) for a name that no run has.
std::vector<LoggedRun> logged_runs(const store::Store& store, const Suite& suite,
                                   const std::vector<NamedCommit>& listed, const Run& run);

// The releases that the project lists and that no run on the host measured for the suite, in the
// order of the list. `project`: the folder with nsop-releases.toml. Throws Error (usage) where that
// lists none.
std::vector<NamedCommit> lacking_releases(const store::Store& store, const std::string& project,
                                          const std::string& suite, const std::string& host_id);

// The newest complete run before on the same host with the same profile that was to measure the
// suite, or, of a run that names no suites, the newest of all; nothing where there is none. Runs
// that were measured afterwards, in the place of an old commit, neither have one nor are one.
std::optional<std::string> previous_run(const store::Store& store, const Run& run,
                                        const std::string& suite);

// Throws Error (usage) for a run that can't be a baseline: one that isn't complete, and a gate,
// which has two builds.
void must_be_baseline(const Run& run);

}  // namespace nsop::judge
