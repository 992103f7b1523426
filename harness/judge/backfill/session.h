// One session of a backfill: an old commit and the reference, measured alternately.
#pragma once

#include <string>

#include "harness/core/error.h"
#include "harness/judge/builds/revisions.h"
#include "harness/run/job.h"
#include "harness/run/measure.h"
#include "harness/run/runner.h"
#include "harness/store/store.h"

namespace nsop::judge {

// What is the same in all sessions.
struct BackfillSetup {
  BuildPlace place;
  std::string reference;     // its commit
  run::JobOptions options;   // as the plan was made from
  run::Plan plan;            // rows of ours, as today's suites ask for them
  run::Worker oracle;        // gives inputs and expected outputs
  std::string tool_version;  // of this program
  double lock_wait_s = 0;    // for another measuring process
  std::string folder{};      // that keeps a file per night, too; empty: none
};

// The plan with the rows of our own worker only: other libraries don't change with our commits.
// Throws Error (usage) when none is left.
run::Plan own_rows(run::Plan plan);

// A commit that can't be measured: it doesn't build, its worker doesn't speak the protocol or names
// another commit, or it has none of the rows.
class Unmeasurable : public Error {
 public:
  explicit Unmeasurable(const std::string& why) : Error(ExitCode::kEnvironment, why) {}
};

// The worker of a commit, built or taken from those that are kept. Throws Unmeasurable, and Error
// (environment) for what no commit can help.
run::Worker open_commit(const BuildPlace& place, const std::string& commit, const BuildNote& note);

// Measures the rows by the commit's worker and, those that it has, by the reference's: in each
// round both, one after the other, the commit first in even rounds and last in odd ones. Stores two
// runs that begin in the same second: the commit's, which is a night, and the reference's (see
// reference_runs.h). Both are complete or, after an interrupt, aborted. Returns the id of the
// commit's. Throws Unmeasurable before anything is stored; Error (of the store, of the lock) and
// run::Interrupted.
std::string measure_beside(const BackfillSetup& setup, const run::Worker& commit,
                           const run::Worker& reference, store::Store& store,
                           run::Observer& observer, const BuildNote& note);

}  // namespace nsop::judge
