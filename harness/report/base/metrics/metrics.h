// What a measured row says beside its time: metrics of metered steps, and peak memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/report/base/data/run_data.h"

namespace nsop::report {

// What a metered step told, one value per invocation; empty where the row has no number, no such
// metric, or one that the worker did not know.
std::vector<double> told_values(const stats::RowSummary* row, const std::string& name);
// Their median.
std::optional<double> told(const stats::RowSummary* row, const std::string& name);

// The row as if one of its metrics, a time in ns, were its own; nullopt where it tells none.
std::optional<stats::RowSummary> timed_by(const stats::RowSummary* row, const std::string& name);

// What the metric counts, per nanosecond of wall time.
std::optional<double> told_per_ns(const stats::RowSummary* row, const std::string& name);

// Bytes that were live at most at the same time in the counting pass: counted blocks, and the
// workspace taken before. nullopt where nothing was counted.
std::optional<double> peak_bytes(const stats::RowSummary* row);
// The same as a size; doubtful where the counting pass did not give the same numbers twice.
Json peak_bytes_cell(const stats::RowSummary* row);

}  // namespace nsop::report
