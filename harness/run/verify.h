// Are results right, whatever they cost? Every variant on every target against the oracle, and
// every worker against the protocol.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/run/plan/plan.h"
#include "harness/run/plan/programs.h"
#include "harness/run/workers/conformance.h"

namespace nsop::run {

// Every variant of the workers on every target that they have, for the cases of the requests that
// match the filter (empty: all). Throws Error (usage) when no row is left.
Plan verification_plan(std::vector<PlanRequest> requests, const Programs& programs,
                       const Profile& profile, const std::string& filter);

struct Verification {
  std::vector<Invocation> results;  // in the order of the plan's rows
  Conformance conformance;          // of all workers that can run a row, with their names
  // No worker breaks the protocol and no row of ours fails. What a peer computes is its own affair:
  // it is shown, but decides nothing.
  bool passed = true;
};

// Checks every row on two seeds and, first, each worker with the first row that it can run;
// `progress` hears the row that is next and how many are done. Throws Error (interrupted).
Verification verify(const Plan& plan, const Programs& programs,
                    const std::function<void(const RowKey&, size_t)>& progress);

}  // namespace nsop::run
