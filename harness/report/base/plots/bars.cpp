#include "harness/report/base/plots/bars.h"

#include <algorithm>
#include <cmath>

#include "harness/report/base/format.h"
#include "harness/report/base/plots/plot_axes.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

// ---- before and after

std::vector<std::string> categories(const std::vector<const RowView*>& rows) {
  std::vector<std::string> out;
  for (const RowView* view : rows) out.push_back(view->row->full_name());
  return out;
}

Json bar_series(const std::string& label, const std::vector<const RowView*>& rows,
                const Summary* RowView::*member, Range& range) {
  Json out;
  out["label"] = label;
  out["values"] = Json::array();
  out["texts"] = Json::array();
  for (const RowView* view : rows) {
    const Summary* row = view->*member;
    out["values"].push_back(usable(row) ? Json(row->wall_ns) : Json(nullptr));
    out["texts"].push_back(usable(row) ? human_time(row->wall_ns) : "no time");
    if (usable(row)) widen(range, row->wall_ns);
  }
  return out;
}

// ---- ratios

struct Bar {
  std::string category, text;
  double speed = 0, lo = 0, hi = 0;
};

// The fastest peer of each row, or before where the suite names no peers.
std::vector<Bar> ratio_bars_of(const Context& context, const Section& section) {
  const bool peers = !context.plain_peers().empty();
  std::vector<Bar> out;
  for (const RowView& view : section.rows) {
    const Summary* other = peers ? context.best_peer(*view.row) : view.before;
    const bool first = view.after == context.find(*view.row, context.suite().after);
    if (!first || !usable(view.after) || !usable(other)) continue;
    const stats::Comparison compared = context.paired(*other, *view.after);
    Bar bar{view.row->full_name(), "", 1 / compared.ratio, 1 / compared.ratio, 1 / compared.ratio};
    if (!std::isfinite(bar.speed) || bar.speed <= 0) continue;
    if (compared.lo > 0 && std::isfinite(compared.hi)) {
      bar.lo = 1 / compared.hi;
      bar.hi = 1 / compared.lo;
    }
    const std::string speed = speed_text(bar.speed);
    bar.text = speed + (speed == speed_text(1) ? " as " : " than ") + other->row.variant;
    const bool judged = !peers || compared.verdict == stats::Verdict::kWorse ||
                        context.missing_peers(*view.row).empty();
    if (!judged) bar.text += std::string(", ") + kNotJudgedVerdict;
    out.push_back(bar);
  }
  return out;
}

}  // namespace

Json bars_plot(const Context& context, const Section& section) {
  std::vector<const RowView*> rows;
  for (const RowView& view : section.rows) {
    const bool first_variant = view.after == context.find(*view.row, context.suite().after);
    if (first_variant && (usable(view.before) || usable(view.after))) rows.push_back(&view);
  }
  if (rows.empty()) return nullptr;
  Json out = plot_head("bars", context, section.title);
  Range range = kNothing;
  Json series = Json::array();
  series.push_back(
      bar_series("before: " + context.suite().before.variant, rows, &RowView::before, range));
  series.push_back(
      bar_series("after: " + context.suite().after.variant, rows, &RowView::after, range));
  out["x_axis"] =
      axis("time per operation (wall, log scale; left is better)", log_ticks(range, time_tick));
  out["categories"] = categories(rows);
  out["series"] = series;
  return out;
}

Json ratio_plot(const Context& context, const Section& section) {
  const std::vector<Bar> bars = ratio_bars_of(context, section);
  if (bars.empty()) return nullptr;
  Json series;
  for (const char* key : {"values", "texts", "lo", "hi"}) series[key] = Json::array();
  series["label"] = context.suite().after.variant;
  Range range{1, 1};
  Json categories = Json::array();
  for (const Bar& bar : bars) {
    categories.push_back(bar.category);
    series["values"].push_back(bar.speed);
    series["texts"].push_back(bar.text);
    series["lo"].push_back(bar.lo);
    series["hi"].push_back(bar.hi);
    for (const double value : {bar.lo, bar.hi}) widen(range, value);
  }
  Json out = plot_head("bars", context, section.title, "ratio");
  const bool peers = !context.plain_peers().empty();
  const std::string other = peers ? "the best other library" : role_text(context.suite().before);
  out["title"] = out["title"].get<std::string>() + ", against " + other;
  out["baseline"] = 1.0;
  out["x_axis"] = axis(peers ? "best peer's time / ours (log scale; right is faster)"
                             : "before's time / ours (log scale; right is faster)",
                       log_ticks(range, number_tick));
  out["categories"] = categories;
  out["series"] = {series};
  return out;
}

Json ratio_to_peers_plot(const Context& context, const Section& section) {
  return context.suite().peers.empty() ? Json(nullptr) : ratio_plot(context, section);
}

}  // namespace nsop::report
