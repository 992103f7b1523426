#include "harness/report/base/metrics/metrics.h"

#include <algorithm>

#include "harness/report/base/cells.h"
#include "harness/report/base/data/lookup.h"
#include "harness/stats/base/robust.h"

namespace nsop::report {

std::vector<double> told_values(const stats::RowSummary* row, const std::string& name) {
  if (!usable(row)) return {};
  const auto at = row->metrics.find(name);
  if (at == row->metrics.end()) return {};
  const std::vector<double>& values = at->second;
  // No process has had nothing in RAM: 0 is from a worker that didn't know.
  const bool unknown = name == "peak_rss_bytes" && std::count(values.begin(), values.end(), 0) > 0;
  return unknown ? std::vector<double>{} : values;
}

std::optional<double> told(const stats::RowSummary* row, const std::string& name) {
  const std::vector<double> values = told_values(row, name);
  return values.empty() ? std::nullopt : std::optional(stats::median(values));
}

std::optional<stats::RowSummary> timed_by(const stats::RowSummary* row, const std::string& name) {
  if (!told(row, name)) return std::nullopt;
  stats::RowSummary out = *row;
  out.verdict_values = out.wall_values = row->metrics.at(name);
  out.verdict_ns = out.wall_ns = stats::median(out.verdict_values);
  return out;
}

std::optional<double> told_per_ns(const stats::RowSummary* row, const std::string& name) {
  const auto count = told(row, name);
  return count ? std::optional(*count / row->wall_ns) : std::nullopt;
}

std::optional<double> peak_bytes(const stats::RowSummary* row) {
  if (row == nullptr || row->status == Status::kWrong || !row->allocs) return std::nullopt;
  return static_cast<double>(row->allocs->peak_live_bytes + row->workspace_bytes);
}

Json peak_bytes_cell(const stats::RowSummary* row) {
  const auto bytes = peak_bytes(row);
  if (!bytes) return missing_cell("n/a");
  Json out = size_cell(*bytes);
  if (!row->allocs->steady) mark_doubt(out);
  return out;
}

}  // namespace nsop::report
