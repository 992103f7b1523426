#include "harness/report/base/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "harness/report/base/format.h"
#include "harness/report/base/plot_axes.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;
// ---- bars

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

// ---- lines

struct Line {
  std::string label;
  bool before = false;
  std::vector<std::pair<double, const Summary*>> points;  // size, row
};

std::vector<Line> lines_of(const Context& context, const Section& section) {
  const Suite& suite = context.suite();
  std::vector<std::pair<std::string, Selector>> wanted{{role_text(suite.before), suite.before}};
  for (const std::string& target : measured_targets(context, section)) {
    const Selector pinned{suite.after.variant, target};
    if (pinned != suite.before) wanted.push_back({pinned.text(), pinned});
  }
  if (wanted.size() == 1) wanted.push_back({role_text(suite.after), suite.after});
  for (const Selector& also : suite.also) wanted.push_back({role_text(also), also});
  for (const std::string& peer : suite.peers) wanted.push_back({peer, {peer, "best"}});
  std::vector<Line> out;
  for (const auto& [label, selector] : wanted) {
    Line line{label, selector == suite.before, {}};
    for (const RowView& view : section.rows) {
      const double n = element_count_of(view.row->text);
      const Summary* row = context.find(*view.row, selector);
      if (n > 0 && usable(row)) line.points.emplace_back(n, row);
    }
    std::sort(line.points.begin(), line.points.end());
    if (!line.points.empty()) out.push_back(line);
  }
  return out;
}

bool has_interval(const Summary& row) {
  return row.wall_lo_ns > 0 && std::isfinite(row.wall_hi_ns) && row.wall_hi_ns >= row.wall_lo_ns;
}

Json line_series(const Line& line, bool per_element, Range& range) {
  Json out;
  out["label"] = line.label;
  if (line.before) out["dashed"] = true;
  for (const char* key : {"x", "y", "lo", "hi"}) out[key] = Json::array();
  for (const auto& [n, row] : line.points) {
    const double divisor = per_element ? n : 1;
    const double y = row->wall_ns / divisor;
    out["x"].push_back(n);
    out["y"].push_back(y);
    out["lo"].push_back(has_interval(*row) ? row->wall_lo_ns / divisor : y);
    out["hi"].push_back(has_interval(*row) ? row->wall_hi_ns / divisor : y);
    widen(range, y);
  }
  return out;
}

using RoofPoints = std::vector<std::pair<double, double>>;

// Size and the least time that the machine needs.
RoofPoints roof_points(const Context& context, const Section& section) {
  RoofPoints out;
  for (const RowView& view : section.rows) {
    const double n = element_count_of(view.row->text);
    const auto roof = context.roof({view.row->text, "", "", view.row->threads});
    if (n > 0 && roof) out.emplace_back(n, roof->limit_ns);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Json roof_series(const RoofPoints& roof, bool per_element, Range& range) {
  Json out;
  out["label"] = "machine's limit";
  out["roof"] = true;
  for (const auto& [n, ns] : roof) {
    const double y = per_element ? ns / n : ns;
    out["x"].push_back(n);
    for (const char* key : {"y", "lo", "hi"}) out[key].push_back(y);
    widen(range, y);
  }
  return out;
}

Json panel(const std::string& label, const std::vector<Line>& lines, const RoofPoints& roof,
           bool per_element) {
  Json out;
  Range range = kNothing;
  Json series = Json::array();
  for (const Line& line : lines) series.push_back(line_series(line, per_element, range));
  if (!roof.empty()) series.push_back(roof_series(roof, per_element, range));
  out["y_axis"] = axis(label, log_ticks(range, per_element ? number_tick : time_tick));
  out["series"] = series;
  return out;
}

std::string stream_label(const CaseRow& row) {
  const std::string stores = param(row.text, "stores");
  const std::string kind = param(row.text, "kind");
  return stores.empty() ? kind : kind + ", " + stores + " stores";
}

}  // namespace

std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool upper = c >= 'A' && c <= 'Z';
    if (lower) out += c;
    if (upper) out += static_cast<char>(c - 'A' + 'a');
    if (!lower && !upper && !out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  constexpr size_t kLongest = 60;
  return out.empty() ? "unnamed" : out.substr(0, kLongest);
}

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
      axis("time per operation (wall, log scale; shorter is better)", log_ticks(range, time_tick));
  out["categories"] = categories(rows);
  out["series"] = series;
  return out;
}

Json sweep_plot(const Context& context, const Section& section) {
  const std::vector<Line> lines = lines_of(context, section);
  if (lines.empty()) return nullptr;
  Json out = plot_head("lines", context, section.title);
  Range sizes = kNothing;
  for (const Line& line : lines) {
    for (const auto& point : line.points) widen(sizes, point.first);
  }
  out["x_axis"] = axis("elements n (log scale)", log_ticks(sizes, number_tick));
  out["panels"] = Json::array();
  const RoofPoints roof = roof_points(context, section);
  out["panels"].push_back(panel("time per operation (wall, log scale)", lines, roof, false));
  out["panels"].push_back(panel("ns per element (log scale)", lines, roof, true));
  return out;
}

Json bandwidth_plot(const Context& context, const Section& section) {
  std::map<int, std::map<std::string, Json>> panels;  // by threads and pattern
  Range sizes = kNothing, rates = kNothing;
  for (const RowView& view : section.rows) {
    const CaseFacts* facts = context.facts(view.row->text);
    if (!usable(view.after) || facts == nullptr || case_op(view.row->text) != "stream") continue;
    const double rate = facts->bytes / view.after->wall_ns;
    widen(sizes, facts->working_set_bytes);
    widen(rates, rate);
    Json& one = panels[view.row->threads][stream_label(*view.row)];
    one["label"] = stream_label(*view.row);
    one["x"].push_back(facts->working_set_bytes);
    for (const char* key : {"y", "lo", "hi"}) one[key].push_back(rate);
  }
  if (panels.empty()) return nullptr;
  Json out = plot_head("lines", context, section.title);
  out["x_axis"] = axis("working set (log scale)", log_ticks(sizes, bytes_tick));
  out["panels"] = Json::array();
  for (auto& [threads, lines] : panels) {
    Json panel;
    panel["y_axis"] =
        axis(fmt::format("GB/s with {} thread{} (log scale)", threads, threads == 1 ? "" : "s"),
             log_ticks(rates, number_tick));
    panel["series"] = Json::array();
    for (auto& [label, one] : lines) panel["series"].push_back(std::move(one));
    out["panels"].push_back(panel);
  }
  return out;
}

}  // namespace nsop::report
