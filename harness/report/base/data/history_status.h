// What the history of a host says of the rows of a run.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "harness/core/sample.h"
#include "harness/judge/history/alert.h"

namespace nsop::report {

struct HistoryStatus {
  std::map<RowKey, size_t> runs;      // earlier runs of the host that have the row; none: no entry
  size_t fewest = 0;                  // of these, for the judge to look at the row's history
  std::vector<judge::Alert> waiting;  // for somebody: judge::is_waiting()
};

}  // namespace nsop::report
