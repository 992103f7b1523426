#include "harness/report/base/plots/lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/report/base/format.h"
#include "harness/report/base/plots/plot_axes.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

struct Line {
  std::string label;
  bool before = false;
  struct Point {
    double size, divisor;
    const Summary* row;
  };
  std::vector<Point> points;
};

std::vector<Line> lines_of(const Context& context, const Section& section,
                           const std::vector<WantedLine>& wanted, const PlotSize& size) {
  std::vector<Line> out;
  for (const auto& [label, selector] : wanted) {
    Line line{label, selector == context.suite().before, {}};
    for (const RowView& view : section.rows) {
      const double n = size.of(*view.row);
      const Summary* row = context.find(*view.row, selector);
      if (n > 0 && usable(row)) line.points.push_back({n, size.divisor(*view.row), row});
    }
    std::sort(line.points.begin(), line.points.end(),
              [](const auto& a, const auto& b) { return a.size < b.size; });
    if (!line.points.empty()) out.push_back(line);
  }
  return out;
}

bool has_interval(const Summary& row) {
  return row.wall_lo_ns > 0 && std::isfinite(row.wall_hi_ns) && row.wall_hi_ns >= row.wall_lo_ns;
}

Json line_series(const Line& line, bool divided, Range& range) {
  Json out;
  out["label"] = line.label;
  if (line.before) out["dashed"] = true;
  for (const char* key : {"x", "y", "lo", "hi"}) out[key] = Json::array();
  for (const auto& [n, each, row] : line.points) {
    const double divisor = divided ? each : 1;
    const double y = row->wall_ns / divisor;
    out["x"].push_back(n);
    out["y"].push_back(y);
    out["lo"].push_back(has_interval(*row) ? row->wall_lo_ns / divisor : y);
    out["hi"].push_back(has_interval(*row) ? row->wall_hi_ns / divisor : y);
    widen(range, y);
  }
  return out;
}

// Size, divisor and the least time that the machine needs.
struct Roofline {
  std::vector<std::array<double, 3>> points;
  bool doubt = false;  // a limit that some of them are made from
};

Roofline roof_points(const Context& context, const Section& section, const PlotSize& size) {
  Roofline out;
  for (const RowView& view : section.rows) {
    const double n = size.of(*view.row);
    const auto roof = context.roof({view.row->text, "", "", view.row->threads});
    if (n <= 0 || !roof || !roof->certain()) continue;
    out.points.push_back({n, size.divisor(*view.row), roof->limit_ns});
    out.doubt = out.doubt || context.in_doubt(*roof, roof->limit_ns);
  }
  std::sort(out.points.begin(), out.points.end());
  return out;
}

Json roof_series(const Roofline& roof, bool divided, Range& range) {
  Json out;
  out["label"] = std::string("machine's limit") + (roof.doubt ? " ?" : "");
  out["roof"] = true;
  for (const auto& [n, each, ns] : roof.points) {
    const double y = divided ? ns / each : ns;
    out["x"].push_back(n);
    for (const char* key : {"y", "lo", "hi"}) out[key].push_back(y);
    widen(range, y);
  }
  return out;
}

Json panel_json(const Panel& panel, const std::vector<Line>& lines, const Roofline& roof) {
  Json out;
  Range range = kNothing;
  Json series = Json::array();
  for (const Line& line : lines) series.push_back(line_series(line, panel.divided, range));
  if (!roof.points.empty()) series.push_back(roof_series(roof, panel.divided, range));
  out["y_axis"] = axis(panel.label, log_ticks(range, panel.divided ? number_tick : time_tick));
  out["series"] = series;
  return out;
}

}  // namespace

Json lines_plot(const Context& context, const Section& section,
                const std::vector<WantedLine>& wanted, const PlotSize& size,
                const std::vector<Panel>& panels) {
  const std::vector<Line> lines = lines_of(context, section, wanted, size);
  if (lines.empty()) return nullptr;
  Json out = plot_head("lines", context, section.title);
  Range sizes = kNothing;
  for (const Line& line : lines) {
    for (const auto& point : line.points) widen(sizes, point.size);
  }
  out["x_axis"] = axis(size.label, log_ticks(sizes, number_tick));
  out["panels"] = Json::array();
  const Roofline roof = roof_points(context, section, size);
  for (const Panel& panel : panels) out["panels"].push_back(panel_json(panel, lines, roof));
  return out;
}

}  // namespace nsop::report
