// The form `threads`, declared in forms.h: each case on one thread and on several.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/plots/bars.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"
#include "harness/report/forms/thresholds.h"
#include "harness/stats/crossing.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

const FoundThreshold* threshold_named(const std::vector<FoundThreshold>& all,
                                      const std::string& name) {
  for (const FoundThreshold& one : all) {
    if (one.spec->name == name) return &one;
  }
  return nullptr;
}

bool decides(const std::vector<FoundThreshold>& all, const CaseRow& row) {
  return std::any_of(all.begin(), all.end(), [&](const FoundThreshold& found) {
    return std::any_of(found.spec->on.begin(), found.spec->on.end(),
                       [&](const std::string& on) { return case_matches(row.text, on); });
  });
}

// before: on one thread; after: on several.
RowView shared_view(const SharedCase& one) {
  RowView view;
  view.row = one.several;
  view.before = one.alone;
  view.after = one.shared;
  add_measured(view, one.alone);
  add_measured(view, one.shared);
  return view;
}

// A case that no threshold speaks of: what was measured of it at this number of threads.
RowView plain_view(const Context& context, const CaseRow& row) {
  RowView view;
  view.row = &row;
  std::vector<Selector> wanted = row.from->variants;
  if (wanted.empty()) wanted.push_back(context.suite().after);
  for (const Selector& selector : wanted) {
    const Summary* found = context.find(row, selector);
    if (found != nullptr) view.after = found;
    add_measured(view, found);
  }
  return view;
}

Json result_cell(const Context& context, const RowView& view) {
  if (!usable(view.before) || !usable(view.after)) return missing_cell("n/a");
  const stats::Comparison c = context.paired(*view.before, *view.after);
  return text_cell(stats::verdict_text(stats::verdict_of_interval(c)));
}

// The ratio without the verdict of other reports, which asks for a margin: thresholds go by the
// interval alone, and the column beside says what that makes of it.
Json gain_cell(const Context& context, const RowView& view) {
  Json out = context.speedup_cell(view.before, view.after);
  if (out["kind"] == "ratio") out.erase("verdict");
  return out;
}

Json choice_cell(const FoundThreshold& found, double work) {
  if (!found.per_thread || work <= 0) return missing_cell("n/a");
  const double least = static_cast<double>(found.threads) * static_cast<double>(*found.per_thread);
  return text_cell(work >= least ? "shared" : "one thread");
}

// Of as many rows as this form has, the intervals of one more column would make the page too long:
// they stay in the JSON.
void add_short_previous_column(Columns& columns, const Context& context) {
  const size_t known = columns.size();
  add_previous_column(columns, context);
  if (columns.size() == known) return;
  columns.back().cell = [whole = columns.back().cell](const RowView& view) {
    Json out = whole(view);
    out.erase("interval_text");
    return out;
  };
}

Columns plain_columns(const Context& context) {
  Columns columns{
      {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }},
      {"threads", "Threads", "right", [](const RowView& v) { return count_cell(v.row->threads); }},
      {"time", "Time", "right", [](const RowView& v) { return time_cell(v.after); }}};
  add_short_previous_column(columns, context);
  return columns;
}

Columns sharing_columns(const Context& context, const FoundThreshold& found) {
  const std::string unit = found.spec->unit;
  const std::string several = fmt::format("{} threads", found.threads);
  Columns columns{
      {"series", "Kernel", "left", [](const RowView& v) { return text_cell(v.row->name()); }},
      {"work", unit, "right",
       [&context, unit](const RowView& v) {
         return count_cell(work_of(context, v.row->text, unit));
       }},
      {"alone", "1 thread", "right", [](const RowView& v) { return time_cell(v.before); }},
      {"shared", several, "right", [](const RowView& v) { return time_cell(v.after); }},
      {"gain", several + " vs 1", "right",
       [&context](const RowView& v) { return gain_cell(context, v); }},
      {"result", "Threads", "left",
       [&context](const RowView& v) { return result_cell(context, v); }},
      {"choice", "With this machine's threshold", "left",
       [&context, &found, unit](const RowView& v) {
         return choice_cell(found, work_of(context, v.row->text, unit));
       }},
  };
  add_short_previous_column(columns, context);
  return columns;
}

Json series_json(const Context& context, const SharedSeries& series, Range& x, Range& y) {
  Json out;
  out["label"] = series.label;
  for (const char* key : {"x", "y", "lo", "hi"}) out[key] = Json::array();
  for (const SharedCase& one : series.cases) {
    if (!usable(one.alone) || !usable(one.shared) || one.work <= 0) continue;
    const stats::Comparison c = context.paired(*one.alone, *one.shared);
    const bool known = c.lo > 0 && std::isfinite(c.hi);
    out["x"].push_back(one.work);
    out["y"].push_back(c.ratio);
    out["lo"].push_back(known ? c.lo : c.ratio);
    out["hi"].push_back(known ? c.hi : c.ratio);
    widen(x, one.work);
    widen(y, c.ratio);
  }
  return out;
}

Json even_series(const Range& x) {
  Json out;
  out["label"] = "as fast as one thread";
  out["roof"] = true;
  out["x"] = {x.first, x.second};
  for (const char* key : {"y", "lo", "hi"}) out[key] = {1.0, 1.0};
  return out;
}

// One section for each heading of cases that decide nothing (the fork itself), then one for each
// threshold, named like it.
std::vector<Section> threads_sections(const Context& context) {
  const std::vector<FoundThreshold> found = find_thresholds(context);
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    if (decides(found, row)) continue;
    section_titled(out, row.from->section).rows.push_back(plain_view(context, row));
  }
  for (const FoundThreshold& one : found) {
    Section section{one.spec->name, {}};
    for (const SharedSeries& series : one.series) {
      for (const SharedCase& shared : series.cases) section.rows.push_back(shared_view(shared));
    }
    if (!section.rows.empty()) out.push_back(std::move(section));
  }
  return out;
}

Json threads_tables(const Context& context, const Section& section) {
  const std::vector<FoundThreshold> all = find_thresholds(context);
  const FoundThreshold* found = threshold_named(all, section.title);
  const Columns columns = found ? sharing_columns(context, *found) : plain_columns(context);
  Json tables = Json::array();
  tables.push_back(main_table("", columns, section.rows));
  tables.push_back(details_table(context, section.rows));
  return tables;
}

// Time on several threads over time on one, over work; null for a section without a threshold.
Json sharing_plot(const Context& context, const Section& section) {
  const std::vector<FoundThreshold> all = find_thresholds(context);
  const FoundThreshold* found = threshold_named(all, section.title);
  if (found == nullptr) return nullptr;
  Range x = kNothing;
  Range y{1, 1};
  Json series = Json::array();
  for (const SharedSeries& one : found->series) {
    Json line = series_json(context, one, x, y);
    if (!line["x"].empty()) series.push_back(std::move(line));
  }
  if (series.empty()) return nullptr;
  series.push_back(even_series(x));
  Json panel;
  panel["y_axis"] = axis(fmt::format("time on {} threads / on 1 (log scale)", found->threads),
                         log_ticks(y, number_tick));
  panel["series"] = series;
  Json out = plot_head("lines", context, section.title);
  out["x_axis"] = axis(found->spec->unit + " (log scale)", log_ticks(x, number_tick));
  out["panels"] = {panel};
  return out;
}

Json threads_plots(const Context& context, const Section& section) {
  return drawn({sharing_plot(context, section), ratio_to_peers_plot(context, section)});
}

// The field that tools/thresholds.py reads, and the section that shows it, first of all.
void add_thresholds(const Context& context, Json& report) {
  const std::vector<FoundThreshold> found = find_thresholds(context);
  report["thresholds"] = thresholds_json(found);
  Json section = thresholds_section(found);
  Json& sections = report["sections"];
  if (!section.is_null()) sections.insert(sections.begin(), std::move(section));
}

}  // namespace

constinit const Form kThreads{
    .name = "threads",
    .about = "each case on one thread and on several, and from which size on these are faster",
    .compares = false,  // before and after are one kernel on one thread and on several
    .measures_machine = true,
    .headline = thresholds_headline,
    .sections = threads_sections,
    .tables = threads_tables,
    .plots = threads_plots,
    .complete = add_thresholds,
};

}  // namespace nsop::report
