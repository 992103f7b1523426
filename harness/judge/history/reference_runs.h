// Runs that say how fast a fixed reference commit was while an old commit was measured beside it:
// which runs were measured so, afterwards (`nsop backfill`), and in which state of the machine.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/store/store.h"

namespace nsop::judge {

// The profile of such a run; its origin is `confirm`, so that it is no night itself.
constexpr const char* kReferenceProfile = "reference";

// A run with the reference's values, of one session.
struct ReferenceRun {
  std::string run_id;
  std::string reference;  // its commit
  std::string night;      // id of the run that has the values of the old commit
};

// Makes a run the reference's of the night: its origin, profile and plan.
void make_reference_run(Run& run, const std::string& reference, const std::string& night);

// All of the host, whatever their state, newest first; what its plan doesn't name is left out.
std::vector<ReferenceRun> reference_runs(const store::Store& store, const std::string& host_id);

// The runs of the host that were measured beside a reference: their place in a history is that of
// their commit, not that of their time.
std::set<std::string> backfilled_runs(const store::Store& store, const std::string& host_id);

}  // namespace nsop::judge
