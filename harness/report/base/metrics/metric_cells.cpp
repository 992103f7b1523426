#include "harness/report/base/metrics/metric_cells.h"

#include <algorithm>
#include <utility>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/metrics/metrics.h"
#include "harness/stats/base/robust.h"

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
  constexpr double kConfidence = 0.95;  // as that of the row's time
  const std::vector<double> values = told_values(row, name);
  if (values.empty()) return missing_cell("n/a");
  const double ns = stats::median(values);
  Json out = duration_cell(ns);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto [lo, hi] =
      stats::median_interval(values, kConfidence).value_or(std::pair{*least, *most});
  if (lo > 0) out["interval"] = {lo, hi};
  if (0 < lo && lo < hi) out["interval_text"] = time_interval_text(ns, lo, hi);
  return doubted(std::move(out), *row);
}

Json rss_cell(const stats::RowSummary* row) {
  const auto bytes = told(row, "peak_rss_bytes");
  return bytes ? size_cell(*bytes) : missing_cell("unknown");
}

}  // namespace nsop::report
