// A row's history as a plot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/judge/history/row_history.h"

namespace nsop::report {

// The median of the points between two changes of a row's level, or of its segment, whose times are
// never compared.
struct HistoryLevel {
  size_t first = 0, last = 0;  // places in the line
  double ns = 0;
};
// Of the points from `first` on that count.
std::vector<HistoryLevel> levels_of(const judge::RowHistory& history, size_t first);

// `+10.2 % [+6.0 %, +14.5 %]`
std::string change_text(const stats::ChangePoint& change);

// The `newest` points of the row with the levels between its changes, for the renderer: of a point
// the time by which the row is judged, in ns, of a level their median. Throws Error (usage) when no
// point that counts has a time.
Json history_plot(const judge::RowHistory& history, size_t newest);

}  // namespace nsop::report
