#include "harness/report/forms/metric_cells.h"

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/metrics/metrics.h"

namespace nsop::report {

Json doubted(Json cell, const stats::RowSummary& row) {
  if (!time_doubts(row).empty()) mark_doubt(cell);
  return cell;
}

Json per_second_cell(const stats::RowSummary* row, const std::string& name) {
  const auto rate = told_per_ns(row, name);
  return rate ? doubted(per_second_rate_cell(*rate, name + "/s"), *row) : missing_cell("n/a");
}

Json metric_time_cell(const stats::RowSummary* row, const std::string& name) {
  const auto ns = told(row, name);
  return ns ? doubted(duration_cell(*ns), *row) : missing_cell("n/a");
}

Json rss_cell(const stats::RowSummary* row) {
  const auto bytes = told(row, "peak_rss_bytes");
  return bytes ? size_cell(*bytes) : missing_cell("unknown");
}

}  // namespace nsop::report
