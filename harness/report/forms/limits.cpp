// The form `limits`, declared in forms.h: what the machine can do at most, a row per measured
// variant and target.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

RowView view_of(const CaseRow& row, const Summary* measured) {
  RowView view;
  view.row = &row;
  view.after = measured;
  add_measured(view, measured);
  return view;
}

// One view per measured variant and target of the row.
void add_views(const Context& context, const CaseRow& row, Section& section) {
  const size_t before = section.rows.size();
  std::vector<Selector> wanted = row.from->variants;
  if (wanted.empty()) wanted.push_back(context.suite().after);
  for (const Selector& selector : wanted) {
    const Summary* found = context.find(row, selector);
    const bool lacking = found != nullptr && found->status == Status::kUnsupported;
    if (found != nullptr && !lacking) section.rows.push_back(view_of(row, found));
  }
  if (section.rows.size() == before) section.rows.push_back(view_of(row, nullptr));
}

double working_set(const Context& context, const RowView& view) {
  const CaseFacts* facts = context.facts(view.row->text);
  return facts ? facts->working_set_bytes : 0;
}

Json level_cell(const Context& context, const RowView& view) {
  const double bytes = working_set(context, view);
  if (bytes <= 0) return missing_cell("n/a");
  return text_cell(level_text(level_of(bytes, view.row->threads, context.current().host)));
}

Columns limit_columns(const Context& context, const Section& section) {
  const auto any = [&](const std::string& op) {
    return std::any_of(section.rows.begin(), section.rows.end(),
                       [&](const RowView& v) { return case_op(v.row->text) == op; });
  };
  Columns columns{
      {"what", "What", "left", [](const RowView& v) { return text_cell(v.row->name()); }},
      {"threads", "Threads", "right", [](const RowView& v) { return count_cell(v.row->threads); }}};
  if (any("stream")) {
    columns.push_back({"bytes", "Working set", "right", [&context](const RowView& v) {
                         const double bytes = working_set(context, v);
                         Json out = count_cell(bytes);
                         out["kind"] = "bytes";
                         out["text"] = human_bytes(bytes);
                         return out;
                       }});
    columns.push_back({"level", "Held by", "left",
                       [&context](const RowView& v) { return level_cell(context, v); }});
  } else {
    columns.push_back({"target", "ISA", "left", [](const RowView& v) {
                         return v.after ? text_cell(v.after->row.target)
                                        : missing_cell("not measured");
                       }});
  }
  columns.push_back({"time", "Time", "right", [](const RowView& v) { return time_cell(v.after); }});
  columns.push_back({"rate", "Rate", "right",
                     [&context](const RowView& v) { return rate_of(context, v.after); }});
  add_previous_column(columns, context);
  return columns;
}

std::vector<Section> limits_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    add_views(context, row, section_titled(out, row.from->section));
  }
  return out;
}

Json limits_tables(const Context& context, const Section& section) {
  Json tables = Json::array();
  tables.push_back(main_table("", limit_columns(context, section), section.rows));
  tables.push_back(details_table(context, section.rows));
  return tables;
}

std::string stream_label(const CaseRow& row) {
  const std::string stores = param(row.text, "stores");
  const std::string kind = param(row.text, "kind");
  return stores.empty() ? kind : kind + ", " + stores + " stores";
}

// Bandwidth over the working set, a line per pattern; null for a section that measures none.
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

Json limits_plots(const Context& context, const Section& section) {
  return drawn({bandwidth_plot(context, section)});
}

}  // namespace

constinit const Form kLimits{
    .name = "limits",
    .about = "what the machine can do at most",
    .needs_before = false,
    .sections = limits_sections,
    .tables = limits_tables,
    .plots = limits_plots,
};

}  // namespace nsop::report
