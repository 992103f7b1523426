// What a row's invocations say beside times: status, identity, exact counts, check.
#pragma once

#include <string>
#include <vector>

#include "harness/stats/summary.h"

namespace nsop::stats {

using Group = std::vector<const Invocation*>;  // of one row, sorted by session, round and slot

// The timing invocations that are ok and have usable repetitions.
Group timed_invocations(const Group& group);

// Fills everything of `summary` that needs no times. `timed` is timed_invocations(group).
void add_row_state(const Group& group, const Group& timed, RowSummary& summary);

void set_failure(RowSummary& summary, Status status, const std::string& reason);

}  // namespace nsop::stats
