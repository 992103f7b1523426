// What may be a night of a history: the build, the clock and the run.
#pragma once

#include <string>

#include "harness/core/sample.h"
#include "harness/judge/builds/revisions.h"
#include "harness/judge/history/nights.h"
#include "harness/judge/history/past.h"
#include "harness/store/store.h"

namespace nsop::judge {

// A night is of a commit. Throws Error: (inconclusive) for a build with uncommitted changes, which
// no commit names; (usage) for one of another commit than the one that is checked out, which would
// be measured without anybody noticing, unless the worker was named (`is_own` false): then `note`
// is told, as of a build that names no commit.
void must_be_of_commit(const BuildPlace& place, const std::string& worker, bool is_own,
                       const Build& build, const BuildNote& note);

// Runs are put in order by their times: a clock that went back would put tonight before yesterday.
// Throws Error (inconclusive) when runs of the host began after `now`; only told of when a single
// one did, more than two days later: it was measured by a clock that was wrong then.
void must_be_latest(const Past& past, const std::string& host_id, const std::string& now,
                    const BuildNote& note);

// Did a night of the host begin in this second? Nights are in order by the second that they began
// in, so no two may begin in the same one.
bool began_in(const Past& past, const std::string& host_id, const std::string& now);

// A run that was measured before, as a night: of the build with most of its invocations. Throws
// Error: (inconclusive) for a run of another host, one that isn't complete, or a build with
// uncommitted changes; (usage) for a run of another origin or of a pull request, and an empty one.
Night stored_night(const store::Store& store, const std::string& run_id,
                   const std::string& host_id);

}  // namespace nsop::judge
