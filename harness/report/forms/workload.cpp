// The form `workload`, declared in forms.h: rows that play and train, with what metered steps tell
// of them. A row is one case done by one variant.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/metrics/metric_cells.h"
#include "harness/report/base/metrics/metrics.h"
#include "harness/report/base/metrics/phases.h"
#include "harness/report/base/plots/bars.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

// Counted allocations or bytes of an operation, per training call in it.
Json per_call_cell(const Summary* row, double AllocCounts::*member) {
  const auto calls = told(row, "training_calls");
  if (!calls || !row->allocs) return missing_cell("n/a");
  Json out = count_cell((*row->allocs).*member / *calls);
  if (!row->allocs->steady) mark_doubt(out);
  return out;
}

// Of the buffers that were asked for, those that the pool had; in brackets, how many it had not.
Json pool_cell(const Summary* row) {
  const auto hits = told(row, "pool_hits"), misses = told(row, "pool_misses");
  if (!hits || !misses || *hits + *misses <= 0) return missing_cell("-");
  Json out = percent_cell(*hits / (*hits + *misses));
  out["text"] = out["text"].get<std::string>() + " (" + count_text(*misses) + ")";
  return out;
}

Json retained_cell(const Summary* row) {
  const auto bytes = told(row, "pool_retained_bytes");
  return bytes ? size_cell(*bytes) : missing_cell("-");
}

// Last tenth against first tenth, paired by invocation.
Json growth_cell(const Context& context, const Summary* row) {
  const auto first = timed_by(row, "train_first_tenth_ns");
  const auto last = timed_by(row, "train_last_tenth_ns");
  if (!first || !last) return missing_cell("n/a");
  return doubted(ratio_cell(context.paired(*first, *last)), *row);
}

// Does the cost of a training call grow within a run? Empty where no row of ours tells it.
std::string growth_headline(const Context& context) {
  std::map<std::string, size_t> verdicts;
  for (const CaseRow& row : context.rows()) {
    const Json cell = growth_cell(context, context.find(row, context.suite().after));
    if (cell.contains("verdict")) ++verdicts[cell["verdict"].get<std::string>()];
  }
  if (verdicts.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : verdicts)
    parts.push_back(fmt::format("{} {}", count, verdict));
  return fmt::format("{}, the last tenth of the training calls against the first: {}",
                     role_text(context.suite().after), join(parts, ", "));
}

Columns identity_columns() {
  return {
      {"work", "Work", "left", [](const RowView& v) { return text_cell(v.row->full_name()); }},
      {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }},
      {"variant", "Variant", "left", [](const RowView& v) { return code_cell(who(*v.after)); }},
  };
}

// Whether a row of the section tells it: those that only train have no games to count.
bool told_in(const Section& section, const std::string& name) {
  return std::any_of(section.rows.begin(), section.rows.end(),
                     [&](const RowView& view) { return told(view.after, name).has_value(); });
}

Columns speed_columns(const Context& context, const Section& section) {
  Columns columns = identity_columns();
  std::erase_if(columns, [](const Column& column) { return column.id == "case"; });
  const auto add = [&](const std::string& id, const std::string& label, auto cell) {
    columns.push_back({id, label, "right", [cell](const RowView& v) { return cell(v.after); }});
  };
  add("time", "Time", time_cell);
  if (told_in(section, "episodes")) {
    add("episodes", "Episodes/s", [](auto* row) { return per_second_cell(row, "episodes"); });
  }
  if (told_in(section, "moves")) {
    add("moves", "Game moves/s", [](auto* row) { return per_second_cell(row, "moves"); });
  }
  add("call", "Per training call",
      [](auto* row) { return metric_time_cell(row, "train_call_ns"); });
  columns.push_back(
      {"speedup", "vs " + role_text(context.suite().before), "right", [&context](const RowView& v) {
         return v.before == v.after ? text_cell("baseline")
                                    : context.speedup_cell(v.before, v.after);
       }});
  add_previous_column(columns, context);
  return columns;
}

// Against each library that a row of the section is done by.
Columns peer_columns(const Context& context, const Section& section) {
  Columns columns = identity_columns();
  for (const Selector& peer : context.plain_peers()) {
    const bool nowhere =
        std::all_of(section.rows.begin(), section.rows.end(), [&](const RowView& v) {
          return left_out(*v.row, peer) && context.find(*v.row, peer) == nullptr;
        });
    if (nowhere) continue;
    columns.push_back(
        {"vs_" + peer.variant, "vs " + peer.variant, "right", [&context, peer](const RowView& v) {
           const Summary* other = context.find(*v.row, peer);
           return other == v.after ? text_cell("itself") : context.speedup_cell(other, v.after);
         }});
  }
  return columns;
}

Columns memory_columns(const Section& section) {
  const bool pools = told_in(section, "pool_hits");
  Columns columns = identity_columns();
  // A case names its work, and an open table has eight columns.
  if (pools) std::erase_if(columns, [](const Column& column) { return column.id == "work"; });
  const auto add = [&](const std::string& id, const std::string& label, auto cell) {
    columns.push_back({id, label, "right", [cell](const RowView& v) { return cell(v.after); }});
  };
  add("allocs", "Allocations per training call",
      [](auto* row) { return per_call_cell(row, &AllocCounts::allocs_per_op); });
  add("bytes", "B per training call",
      [](auto* row) { return per_call_cell(row, &AllocCounts::bytes_per_op); });
  add("peak", "Peak bytes", peak_bytes_cell);
  add("rss", "Peak RSS", rss_cell);
  if (pools) add("pool", "Pool hits (misses)", pool_cell);
  if (pools) add("retained", "Pool keeps", retained_cell);
  return columns;
}

Columns steady_columns(const Context& context) {
  Columns columns = identity_columns();
  const auto add = [&](const std::string& id, const std::string& label, auto cell) {
    columns.push_back({id, label, "right", [cell](const RowView& v) { return cell(v.after); }});
  };
  add("calls", "Training calls", [](auto* row) {
    const auto calls = told(row, "training_calls");
    return calls ? count_cell(*calls) : missing_cell("n/a");
  });
  add("first", "First tenth, per call",
      [](auto* row) { return metric_time_cell(row, "train_first_tenth_ns"); });
  add("last", "Last tenth, per call",
      [](auto* row) { return metric_time_cell(row, "train_last_tenth_ns"); });
  add("growth", "Last against first", [&context](auto* row) { return growth_cell(context, row); });
  return columns;
}

std::vector<Section> workload_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    Section& section = section_titled(out, row.from->section);
    for (const Selector& selector : context.selectors()) {
      const Summary* found = context.find(row, selector);
      if (found == nullptr || found->status == Status::kUnsupported) continue;
      RowView view;
      view.row = &row;
      view.before = context.find(row, context.suite().before);
      view.after = found;
      add_measured(view, found);
      section.rows.push_back(view);
    }
  }
  return out;
}

Json workload_tables(const Context& context, const Section& section) {
  Json tables{main_table("Speed", speed_columns(context, section), section.rows),
              make_table("Memory", memory_columns(section), section.rows),
              make_table("Steady state", steady_columns(context), section.rows)};
  const Json phases = phases_table(section.rows);
  if (!phases.is_null()) tables.push_back(phases);
  const Columns peers = peer_columns(context, section);
  if (peers.size() > identity_columns().size()) {
    tables.push_back(folded(make_table("Against each library", peers, section.rows)));
  }
  tables.push_back(details_table(context, section.rows));
  return tables;
}

Json workload_plots(const Context& context, const Section& section) {
  return drawn({bars_plot(context, section)});
}

}  // namespace

constinit const Form kWorkload{
    .name = "workload",
    .about = "steps that tell more than their time: rates, memory, steady state",
    .headline = growth_headline,
    .sections = workload_sections,
    .tables = workload_tables,
    .plots = workload_plots,
};

}  // namespace nsop::report
