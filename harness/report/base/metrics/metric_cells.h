// Cells of what metered steps tell of a row beside its time (harness/core/metered.h).
#pragma once

#include <string>

#include "harness/report/base/table.h"
#include "harness/stats/summary.h"

namespace nsop::report {

// The cell, in doubt where the row's time is.
Json doubted(Json cell, const stats::RowSummary& row);

// So many of what the metric counts, per second of wall time.
Json per_second_cell(const stats::RowSummary* row, const std::string& name);
// A metric in nanoseconds: the median over the invocations and its 95 % interval; below six
// invocations the range of the values, in doubt as the row's time is.
Json metric_time_cell(const stats::RowSummary* row, const std::string& name);
// The process's peak of resident memory; `unknown` from a system that doesn't tell it.
Json rss_cell(const stats::RowSummary* row);

}  // namespace nsop::report
