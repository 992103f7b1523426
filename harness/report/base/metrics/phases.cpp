#include "harness/report/base/metrics/phases.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "harness/report/base/cells.h"
#include "harness/report/base/metrics/metrics.h"

namespace nsop::report {
namespace {

constexpr std::string_view kPhasePrefix = "phase_", kPhaseSuffix = "_ns";

// `forward` of `phase_forward_ns`.
std::string phase_of(const std::string& metric) {
  return metric.substr(kPhasePrefix.size(),
                       metric.size() - kPhasePrefix.size() - kPhaseSuffix.size());
}

bool tells(const RowView& view, const std::string& metric) {
  return told(view.after, metric).has_value();
}

// Those that a row tells, in the order in which a loop comes to them.
std::vector<std::string> told_phases(const std::vector<RowView>& rows) {
  std::vector<std::string> out;
  for (const GoalMetric& one : goal_metrics()) {
    if (!one.name.starts_with(kPhasePrefix)) continue;
    const auto tells_it = [&](const RowView& view) { return tells(view, one.name); };
    if (std::any_of(rows.begin(), rows.end(), tells_it)) out.push_back(one.name);
  }
  return out;
}

double mean_value(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Means, not medians: those of all columns together are the whole.
double mean_share(const stats::RowSummary& row, const std::string& metric) {
  std::vector<double> shares = told_values(&row, metric);
  for (size_t i = 0; i < shares.size(); ++i) shares[i] /= row.wall_values[i];
  return shares.empty() ? 0 : mean_value(shares);
}

Json share_cell(const stats::RowSummary& row, const std::string& metric) {
  return told(&row, metric) ? percent_cell(mean_share(row, metric)) : missing_cell("n/a");
}

Json rest_cell(const stats::RowSummary& row, const std::vector<std::string>& phases) {
  double rest = 1;
  for (const std::string& phase : phases) rest -= mean_share(row, phase);
  return percent_cell(std::max(0.0, rest));
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

Json phases_table(const std::vector<RowView>& rows) {
  const std::vector<std::string> phases = told_phases(rows);
  std::vector<RowView> telling;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(telling), [&](const RowView& view) {
    return std::any_of(phases.begin(), phases.end(),
                       [&](const std::string& phase) { return tells(view, phase); });
  });
  if (telling.empty()) return nullptr;
  Columns columns{
      {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }},
      {"variant", "Variant", "left", [](const RowView& v) { return code_cell(who(*v.after)); }},
  };
  for (const std::string& phase : phases) {
    columns.push_back({phase, capitalised(phase_of(phase)), "right",
                       [phase](const RowView& v) { return share_cell(*v.after, phase); }});
  }
  columns.push_back({"other", "Other", "right",
                     [phases](const RowView& v) { return rest_cell(*v.after, phases); }});
  return make_table("Where the time goes", columns, telling);
}

}  // namespace nsop::report
