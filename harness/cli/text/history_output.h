// What `nsop history` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/judge/nightly/nights.h"
#include "harness/stats/change_points.h"

namespace nsop::cli {

// A row's history with the places of its changes, as places in the line.
struct RowHistory {
  RowKey row;
  judge::Line line;
  std::vector<std::string> left_out;  // why a point counts for nothing; empty: it counts
  std::vector<stats::ChangePoint> changes;
};

struct HistoryView {
  std::string host_id;
  std::string head;              // the commit at the end of the line followed; empty: none is
  size_t last = 0;               // newest points that are shown
  std::vector<RowHistory> rows;  // at least one (assert)
};

// Every point of a single row, one line for each of several, or all of them as JSON.
ExitCode show_history(Context& context, const HistoryView& view);

}  // namespace nsop::cli
