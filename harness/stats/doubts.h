// What makes the numbers of a row doubtful.
#pragma once

#include <string>
#include <vector>

#include "harness/stats/row_state.h"

namespace nsop::stats {

// Adds to `summary.warnings` what is odd about the repetitions of its timing invocations:
// time lost to others, page faults, too few invocations. `summary.allocs` and its times must be set
// already.
void add_timing_doubts(const Group& timed, RowSummary& summary);

// Why the times of a one-thread row don't count: another thread of the process worked as well.
// Empty when there is no sign of it. One such repetition among many is left to a warning: a guest
// that is stopped between the readings of two clocks looks the same.
std::string other_thread_worked(const Group& timed, RowSummary& summary);

// Appends unless it is there already.
void add_warning(RowSummary& summary, const std::string& warning);

}  // namespace nsop::stats
