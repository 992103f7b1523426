// The form `efficiency`, declared in forms.h: a row per case and number of threads above one, each
// beside the same variant on one thread.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

// before: on one thread; after: on several.
std::vector<Section> efficiency_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    if (row.threads == 1) continue;
    for (const Selector& ours : context.ours_of(row)) {
      RowView view;
      view.row = &row;
      view.before = context.find_on(row, ours, 1);
      view.after = context.find(row, ours);
      add_measured(view, view.before);
      add_measured(view, view.after);
      section_titled(out, row.from->section).rows.push_back(view);
    }
  }
  return out;
}

// The speed-up over the number of threads, with its interval: 1 is all that they could gain.
Json efficiency_cell(const Context& context, const RowView& view) {
  if (!usable(view.before) || !usable(view.after)) return missing_cell("n/a");
  const stats::Comparison compared = context.paired(*view.before, *view.after);
  const double threads = view.row->threads;
  if (!(compared.ratio > 0)) return missing_cell("n/a");
  Json out = share_cell(1 / compared.ratio / threads, 1 / compared.hi / threads,
                        1 / compared.lo / threads);
  if (!time_doubts(*view.before).empty() || !time_doubts(*view.after).empty()) mark_doubt(out);
  return out;
}

// By the machine's limits; where they weren't measured, whatever multiplies and adds.
bool is_arithmetic(const Context& context, const RowView& view) {
  const auto roof = view.after == nullptr ? std::nullopt : context.roof(view.after->row);
  if (!roof) return context.macs(view.row->text) > 0;
  return roof->bound == Roof::Bound::kCompute;
}

Json bound_cell(const Context& context, const RowView& view) {
  const auto roof = view.after == nullptr ? std::nullopt : context.roof(view.after->row);
  return roof ? text_cell(roof->text()) : missing_cell("n/a");
}

Columns efficiency_columns(const Context& context) {
  Columns columns = row_columns();
  const Columns own{
      {"before", "1 thread", "right", [](const RowView& v) { return time_cell(v.before); }},
      {"after", "On several", "right", [](const RowView& v) { return time_cell(v.after); }},
      {"speedup", "vs 1 thread", "right",
       [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); }},
      {"efficiency", "Efficiency", "right",
       [&context](const RowView& v) { return efficiency_cell(context, v); }},
      {"bound", "Bound by", "left",
       [&context](const RowView& v) { return bound_cell(context, v); }},
  };
  columns.insert(columns.end(), own.begin(), own.end());
  add_previous_column(columns, context);
  return columns;
}

Json efficiency_tables(const Context& context, const Section& section) {
  Json tables = Json::array();
  tables.push_back(main_table("", efficiency_columns(context), section.rows));
  tables.push_back(details_table(context, section.rows));
  return tables;
}

// The points of one name and number of threads, over the time of one thread.
void add_points(const Context& context, std::vector<const RowView*> views, Json& series, Range& x,
                Range& y) {
  std::erase_if(views, [&](const RowView* view) {
    return !efficiency_cell(context, *view).contains("interval");
  });
  std::sort(views.begin(), views.end(), [](const RowView* a, const RowView* b) {
    return a->before->wall_ns < b->before->wall_ns;
  });
  if (views.empty()) return;
  Json line;
  const CaseRow& row = *views.front()->row;
  line["label"] = fmt::format("{}, {} threads", row.name(), row.threads);
  for (const char* key : {"x", "y", "lo", "hi"}) line[key] = Json::array();
  for (const RowView* view : views) {
    const Json cell = efficiency_cell(context, *view);
    const double lo = cell["interval"][0], hi = cell["interval"][1];
    line["x"].push_back(view->before->wall_ns);
    line["y"].push_back(cell["value"]);
    line["lo"].push_back(lo);
    line["hi"].push_back(hi);
    widen(x, view->before->wall_ns);
    widen(y, lo);
    widen(y, hi);
  }
  series.push_back(std::move(line));
}

std::string percent_tick(double share) { return share_text(share); }

Json whole_series(const Range& x) {
  Json out;
  out["label"] = "all that threads could gain";
  out["roof"] = true;
  out["x"] = {x.first, x.second};
  for (const char* key : {"y", "lo", "hi"}) out[key] = {1.0, 1.0};
  return out;
}

Json efficiency_plot(const Context& context, const Section& section) {
  std::vector<std::pair<std::string, int>> names;
  for (const RowView& view : section.rows) {
    const std::pair key{view.row->name(), view.row->threads};
    if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
  }
  Range x = kNothing;
  Range y{1, 1};
  Json series = Json::array();
  for (const auto& [name, threads] : names) {
    std::vector<const RowView*> views;
    for (const RowView& view : section.rows) {
      if (view.row->name() == name && view.row->threads == threads) views.push_back(&view);
    }
    add_points(context, views, series, x, y);
  }
  if (series.empty()) return nullptr;
  series.push_back(whole_series(x));
  Json out = plot_head("lines", context, section.title);
  out["x_axis"] = axis("time on 1 thread (log scale)", log_ticks(x, time_tick));
  Json panel;
  panel["y_axis"] = axis("efficiency of the threads (log scale)", log_ticks(y, percent_tick));
  panel["series"] = series;
  out["panels"] = {panel};
  return out;
}

Json efficiency_plots(const Context& context, const Section& section) {
  return drawn({efficiency_plot(context, section)});
}

// How many rows that arithmetic bounds reach at least this speed-up is for goals to say; here is
// the least of them.
std::string efficiency_headline(const Context& context) {
  const RowView* least = nullptr;
  double least_share = 0;
  size_t counted = 0;
  const std::vector<Section> sections = efficiency_sections(context);
  for (const Section& section : sections) {
    for (const RowView& view : section.rows) {
      if (!is_arithmetic(context, view)) continue;
      const Json cell = efficiency_cell(context, view);
      if (!cell.contains("interval")) continue;
      ++counted;
      const double share = cell["value"];
      if (least != nullptr && share >= least_share) continue;
      least = &view;
      least_share = share;
    }
  }
  if (least == nullptr) return "no row that arithmetic bounds was measured on several threads";
  return fmt::format("least efficiency of {} row{} that arithmetic bounds: {} ({})", counted,
                     counted == 1 ? "" : "s", share_text(least_share), least->row->full_name());
}

}  // namespace

constinit const Form kEfficiency{
    .name = "efficiency",
    .about =
        "each case on several threads beside one: speed-up, and its share of what they could "
        "gain",
    .needs_before = false,
    .compares = false,  // one kernel on one thread and on several
    .headline = efficiency_headline,
    .sections = efficiency_sections,
    .tables = efficiency_tables,
    .plots = efficiency_plots,
};

}  // namespace nsop::report
