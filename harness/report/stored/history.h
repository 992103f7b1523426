// A row's history as a plot.
#pragma once

#include <cstddef>

#include "harness/core/io/json.h"
#include "harness/judge/history/row_history.h"

namespace nsop::report {

// The `newest` points of the row with the levels between its changes, for the renderer: of a point
// the time by which the row is judged, in ns, of a level their median. Throws Error (usage) when no
// point that counts has a time.
Json history_plot(const judge::RowHistory& history, size_t newest);

}  // namespace nsop::report
