#include "harness/report/base/plots/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <set>

#include "harness/report/base/format.h"
#include "harness/report/base/plots/plot_axes.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

struct Cloud {
  std::string label;
  std::vector<std::pair<double, double>> values;  // flops per byte, flops per ns
};

void add_point(const Context& context, const Summary* row, Cloud& points) {
  const CaseFacts* facts = usable(row) ? context.facts(row->row.case_text) : nullptr;
  if (facts == nullptr || facts->bytes <= 0 || facts->flops <= 0) return;
  points.values.emplace_back(facts->flops / facts->bytes, facts->flops / row->wall_ns);
}

std::vector<Cloud> points_of(const Context& context, int threads) {
  Cloud ours{role_text(context.suite().after), {}}, peers{"best peer", {}};
  std::set<std::string> seen;
  for (const CaseRow& row : context.rows()) {
    if (row.threads != threads || !seen.insert(row.text).second) continue;
    add_point(context, context.find(row, context.suite().after), ours);
    add_point(context, context.best_peer(row), peers);
  }
  std::vector<Cloud> out;
  for (const Cloud& points : {peers, ours}) {
    if (!points.values.empty()) out.push_back(points);
  }
  return out;
}

Json points_json(const Cloud& points, Range& x, Range& y) {
  Json out;
  out["label"] = points.label;
  out["x"] = Json::array();
  out["y"] = Json::array();
  for (const auto& [intensity, rate] : points.values) {
    out["x"].push_back(intensity);
    out["y"].push_back(rate);
    widen(x, intensity);
    widen(y, rate);
  }
  return out;
}

// From the left edge up to the peak; what reaches it left of the edge has no line.
Json roof_json(const std::string& label, double bandwidth, double peak, const Range& x) {
  const double ridge = std::clamp(peak / bandwidth, x.first, x.second);
  Json out;
  out["label"] = label;
  out["x"] = {x.first, ridge};
  out["y"] = {std::min(peak, bandwidth * x.first), std::min(peak, bandwidth * ridge)};
  return out;
}

// Takes in where the slope of the slowest memory meets the flat roof: both are then on the plot,
// whatever the intensities of the points.
void widen_to_ridge(const Context& context, int threads, Range& x) {
  Range bandwidths = kNothing;
  for (const Level level : {Level::kL1, Level::kL2, Level::kL3, Level::kDram}) {
    const auto bandwidth = context.limits().bandwidth(level, Traffic::kCopy, threads);
    if (bandwidth) widen(bandwidths, *bandwidth);
  }
  if (bandwidths.second > 0) widen(x, *context.limits().peak(threads) / bandwidths.first);
}

Json roofs_json(const Context& context, int threads, const Range& x, Range& y) {
  Json roofs = Json::array();
  const double peak = *context.limits().peak(threads);
  Json flat;
  flat["label"] = flop_rate_text(peak);
  flat["x"] = {x.first, x.second};
  flat["y"] = {peak, peak};
  roofs.push_back(flat);
  for (const Level level : {Level::kL1, Level::kL2, Level::kL3, Level::kDram}) {
    const auto bandwidth = context.limits().bandwidth(level, Traffic::kCopy, threads);
    if (!bandwidth || *bandwidth * x.first >= peak) continue;
    const bool doubt = context.is_beaten(context.limits().measured(level, Traffic::kCopy, threads));
    const std::string label =
        level_text(level) + " " + byte_rate_text(*bandwidth) + (doubt ? " ?" : "");
    roofs.push_back(roof_json(label, *bandwidth, peak, x));
    for (const double at : roofs.back()["y"]) widen(y, at);
  }
  return roofs;
}

}  // namespace

Json roofs_and_axes(const Context& context, int threads, Range x, Range y) {
  assert(context.limits().peak(threads));
  widen_to_ridge(context, threads, x);
  const Json x_ticks = log_ticks({x.first / 1.5, x.second * 1.5}, number_tick);
  const Range wide{x_ticks.front()["value"].get<double>(), x_ticks.back()["value"].get<double>()};
  const double peak = *context.limits().peak(threads);
  for (const double at : {peak / 1.2, peak * 1.2}) widen(y, at);  // room around the flat roof
  Json out;
  out["roofs"] = roofs_json(context, threads, wide, y);
  out["x_axis"] = axis("arithmetic intensity, FLOP per byte (log scale)", x_ticks);
  out["y_axis"] = axis("GFLOP/s (log scale)", log_ticks(y, number_tick));
  return out;
}

Json roofline_plot(const Context& context, int threads) {
  if (!context.limits().peak(threads)) return nullptr;
  const std::vector<Cloud> points = points_of(context, threads);
  if (points.empty()) return nullptr;
  Range x = kNothing, y = kNothing;
  Json series = Json::array();
  for (const Cloud& one : points) series.push_back(points_json(one, x, y));
  const std::string title = fmt::format("Roofline, {} thread{}", threads, threads == 1 ? "" : "s");
  Json out = plot_head("scatter", context, title);
  out.update(roofs_and_axes(context, threads, x, y));
  out["series"] = series;
  return out;
}

}  // namespace nsop::report
