// What `nsop history` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/judge/history/row_history.h"

namespace nsop::cli {

struct HistoryView {
  std::string host_id;
  std::string head;  // the commit at the end of the line followed; empty: none is
  size_t last = 0;   // newest points that are shown
  std::vector<judge::RowHistory> rows;  // at least one (assert)
};

// Every point of a single row, one line for each of several, or all of them as JSON.
ExitCode show_history(Context& context, const HistoryView& view);

}  // namespace nsop::cli
