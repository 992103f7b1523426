// The form `limits`, declared in forms.h: what the machine can do at most, a row per measured
// variant and target.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/core/text.h"
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
    // The best instruction set may be one that the suite names beside it.
    const bool known =
        std::any_of(section.rows.begin() + static_cast<long>(before), section.rows.end(),
                    [&](const RowView& view) { return view.after == found; });
    if (found != nullptr && !lacking && !known) section.rows.push_back(view_of(row, found));
  }
  if (section.rows.size() == before) section.rows.push_back(view_of(row, nullptr));
}

double working_set(const Context& context, const RowView& view) {
  const CaseFacts* facts = context.facts(view.row->text);
  return facts ? facts->working_set_bytes : 0;
}

Json level_cell(const Context& context, const RowView& view) {
  const CaseFacts* facts = context.facts(view.row->text);
  if (facts == nullptr || facts->working_set_bytes <= 0) return missing_cell("n/a");
  return text_cell(held_by(*facts, view.row->threads, context.current().host).text());
}

// What this report is about has an interval, and a `?` where its invocations differ so much that it
// limits nothing.
Json limit_rate_cell(const Context& context, const RowView& view) {
  Json out = rate_of(context, view.after);
  if (!usable(view.after) || out["kind"] != "rate") return out;
  const Summary& row = *view.after;
  const bool known = row.wall_lo_ns > 0 && std::isfinite(row.wall_hi_ns);
  if (known && row.wall_lo_ns < row.wall_hi_ns) {
    const double work = out["value"].get<double>() * row.wall_ns;
    const double lo = work / row.wall_hi_ns, hi = work / row.wall_lo_ns;
    out["interval"] = {lo, hi};
    out["interval_text"] = "[" + significant(lo) + ", " + significant(hi) + "]";
  }
  if (row.relative_sd > kMostSdOfALimit && !out.contains("doubt")) {
    out["note"] = kDiffersTooMuch;
    mark_doubt(out);
  }
  return out;
}

Column target_column() {
  return {"target", "ISA", "left", [](const RowView& v) {
            return v.after ? text_cell(v.after->row.target) : missing_cell("not measured");
          }};
}

bool on_several_targets(const Section& section) {
  std::set<std::string> targets;
  for (const RowView& view : section.rows) {
    if (view.after != nullptr) targets.insert(view.after->row.target);
  }
  return targets.size() > 1;
}

Columns limit_columns(const Context& context, const Section& section) {
  const auto any = [&](const std::string& op) {
    return std::any_of(section.rows.begin(), section.rows.end(),
                       [&](const RowView& v) { return case_op(v.row->text) == op; });
  };
  Columns columns{
      {"what", "What", "left", [](const RowView& v) { return text_cell(v.row->name()); }},
      {"threads", "Threads", "right", [](const RowView& v) { return count_cell(v.row->threads); }}};
  const bool streams = any("stream");
  if (!streams || on_several_targets(section)) columns.push_back(target_column());
  if (streams) {
    columns.push_back({"bytes", "Working set", "right", [&context](const RowView& v) {
                         const double bytes = working_set(context, v);
                         Json out = count_cell(bytes);
                         out["kind"] = "bytes";
                         out["text"] = human_bytes(bytes);
                         return out;
                       }});
    columns.push_back({"level", "Held by", "left",
                       [&context](const RowView& v) { return level_cell(context, v); }});
  }
  columns.push_back({"time", "Time", "right", [](const RowView& v) { return time_cell(v.after); }});
  columns.push_back({"rate", "Rate", "right",
                     [&context](const RowView& v) { return limit_rate_cell(context, v); }});
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

std::string stream_label(const RowView& view, bool with_target) {
  const std::string stores = param(view.row->text, "stores");
  const std::string kind = param(view.row->text, "kind");
  const std::string label = stores.empty() ? kind : kind + ", " + stores + " stores";
  return with_target ? label + ", " + view.after->row.target : label;
}

// Bandwidth over the working set, a line per pattern; null for a section that measures none.
Json bandwidth_plot(const Context& context, const Section& section) {
  std::map<int, std::map<std::string, Json>> panels;  // by threads and pattern
  Range sizes = kNothing, rates = kNothing;
  const bool with_target = on_several_targets(section);
  for (const RowView& view : section.rows) {
    const CaseFacts* facts = context.facts(view.row->text);
    if (!usable(view.after) || facts == nullptr || case_op(view.row->text) != "stream") continue;
    const double rate = facts->bytes / view.after->wall_ns;
    widen(sizes, facts->working_set_bytes);
    widen(rates, rate);
    const std::string label = stream_label(view, with_target);
    Json& one = panels[view.row->threads][label];
    one["label"] = label;
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

// `1 thread: 217 GFLOP/s, copying 423 GB/s in L1, 92.9 GB/s in L2, ...`; empty without a limit.
std::string most_on(const Context& context, int threads) {
  std::vector<std::string> parts;
  if (const auto peak = context.limits().peak(threads)) parts.push_back(flop_rate_text(*peak));
  std::string copying = "copying ";
  for (const Level level : {Level::kL1, Level::kL2, Level::kL3, Level::kDram}) {
    const auto bandwidth = context.limits().bandwidth(level, Traffic::kCopy, threads);
    if (!bandwidth) continue;
    parts.push_back(copying + byte_rate_text(*bandwidth) + " in " + level_text(level));
    copying.clear();
  }
  if (parts.empty()) return "";
  return fmt::format("{} thread{}: {}", threads, threads == 1 ? "" : "s", join(parts, ", "));
}

std::string limits_headline(const Context& context) {
  std::set<int> counts;
  for (const CaseRow& row : context.rows()) counts.insert(row.threads);
  std::vector<std::string> parts;
  for (const int threads : counts) {
    const std::string most = most_on(context, threads);
    if (!most.empty()) parts.push_back(most);
  }
  return join(parts, "; ");
}

Json limits_plots(const Context& context, const Section& section) {
  return drawn({bandwidth_plot(context, section)});
}

}  // namespace

constinit const Form kLimits{
    .name = "limits",
    .about = "what the machine can do at most",
    .needs_before = false,
    .measures_machine = true,
    .headline = limits_headline,
    .sections = limits_sections,
    .tables = limits_tables,
    .plots = limits_plots,
};

}  // namespace nsop::report
