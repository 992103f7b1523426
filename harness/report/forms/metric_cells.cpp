#include "harness/report/forms/metric_cells.h"

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {

std::optional<double> metric(const stats::RowSummary* row, const std::string& name) {
  if (!usable(row)) return std::nullopt;
  const auto at = row->metrics.find(name);
  if (at == row->metrics.end() || at->second.empty()) return std::nullopt;
  return stats::median(at->second);
}

Json doubted(Json cell, const stats::RowSummary& row) {
  if (!time_doubts(row).empty()) mark_doubt(cell);
  return cell;
}

Json per_second_cell(const stats::RowSummary* row, const std::string& name) {
  const auto count = metric(row, name);
  if (!count) return missing_cell("n/a");
  return doubted(per_second_rate_cell(*count / row->wall_ns, name + "/s"), *row);
}

Json metric_time_cell(const stats::RowSummary* row, const std::string& name) {
  const auto ns = metric(row, name);
  return ns ? doubted(duration_cell(*ns), *row) : missing_cell("n/a");
}

Json rss_cell(const stats::RowSummary* row) {
  const auto bytes = metric(row, "peak_rss_bytes");
  return bytes && *bytes > 0 ? size_cell(*bytes) : missing_cell("unknown");
}

Json peak_cell(const stats::RowSummary* row) {
  if (!usable(row) || !row->allocs) return missing_cell("n/a");
  return size_cell(static_cast<double>(row->allocs->peak_live_bytes + row->workspace_bytes));
}

}  // namespace nsop::report
