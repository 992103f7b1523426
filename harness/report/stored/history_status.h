// What a store knows of the history of a run's rows.
#pragma once

#include <vector>

#include "harness/report/base/data/history_status.h"
#include "harness/store/store.h"

namespace nsop::report {

// How many runs of the host before `run` have each of these rows, and which of its alerts waited
// for somebody when the run ended.
HistoryStatus history_status(const store::Store& store, const Run& run,
                             const std::vector<RowKey>& rows);

}  // namespace nsop::report
