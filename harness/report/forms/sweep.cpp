// The form `sweep`, declared in forms.h: one section per op and pass, a row per size, a column per
// target.
#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/plots/lines.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"
#include "harness/report/forms/fresh.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

double elements_of(const CaseRow& row) { return element_count_of(row.text); }
double elements(const RowView& view) { return elements_of(*view.row); }

// A pinned target that this machine does not have: its column is left out and said once.
bool lacking(const Summary* row) { return row != nullptr && row->status == Status::kUnsupported; }

// The number of elements, or what tells the case from its neighbours.
Column size_column() {
  return {"n", "n", "right", [](const RowView& view) {
            const double n = elements(view);
            return n > 0 ? count_cell(n) : code_cell(view.row->differs);
          }};
}

// The pinned targets that the section has at least one row of, in the suite's order.
std::vector<std::string> measured_targets(const Context& context, const Section& section) {
  std::vector<std::string> out;
  for (const std::string& target : context.suite().targets) {
    const Selector pinned{context.suite().after.variant, target};
    const bool any =
        std::any_of(section.rows.begin(), section.rows.end(), [&](const RowView& view) {
          const Summary* found = context.find(*view.row, pinned);
          return found != nullptr && !lacking(found);
        });
    if (any) out.push_back(target);
  }
  return out;
}

// What stands in the columns of a section: the before role, each pinned target, further variants.
struct Shown {
  std::string label;
  Selector selector;
};

std::vector<Shown> shown_columns(const Context& context, const Section& section) {
  const Suite& suite = context.suite();
  const std::vector<std::string> targets = measured_targets(context, section);
  std::vector<Shown> out;
  const bool pinned =
      suite.before.variant == suite.after.variant &&
      std::find(targets.begin(), targets.end(), suite.before.target) != targets.end();
  if (!pinned) out.push_back({role_text(suite.before), suite.before});
  for (const std::string& target : targets) {
    out.push_back({target, {suite.after.variant, target}});
  }
  for (const Selector& also : suite.also) out.push_back({role_text(also), also});
  return out;
}

// The libraries that have a column of their own in the open table, and how it is called.
constexpr std::pair<const char*, const char*> kFrameworks[] = {{"numpy", "NumPy"},
                                                               {"torch", "PyTorch"}};

bool has_framework(const Context& context) {
  const std::vector<std::string>& peers = context.suite().peers;
  return std::any_of(std::begin(kFrameworks), std::end(kFrameworks), [&](const auto& one) {
    return std::find(peers.begin(), peers.end(), one.first) != peers.end();
  });
}

// `7.27 ns, 3.8 % less time`: its time and ours against it. The interval stays in the JSON, and
// what it lacks for a verdict is told of the best library alone: of each it would fill the page.
Json framework_cell(const Context& context, const RowView& view, const Selector& peer) {
  if (left_out(*view.row, peer)) return missing_cell("-");
  if (const auto missing = context.missing_peer(*view.row, peer)) {
    return missing_cell(missing->why == kNotThere ? "not measured" : missing->why);
  }
  const Summary* found = context.find_peer(*view.row, peer);
  Json time = time_cell(found);
  time.erase("interval_text");
  if (!usable(found) || !usable(view.after)) return time;
  const int threads = found->row.threads;
  std::string text = time["text"];
  if (threads != view.row->threads) {
    text += " (" + std::to_string(threads) + (threads == 1 ? " thread)" : " threads)");
  }
  Json out = context.speedup_cell(found, view.after);
  out["text"] = text + ", " + out["text"].get<std::string>();
  out.erase("interval_text");
  out.erase("note");
  return out;
}

// `eigen: 3.8 % less time`: ours against the fastest other library of the row.
Json named_best_cell(const Context& context, const RowView& view) {
  Json out = context.best_peer_cell(*view.row, view.after);
  const Summary* best = context.best_peer(*view.row, view.after);
  if (best == nullptr || out["kind"] != "ratio") return out;
  out["text"] = peer_text(*best, view.row->threads) + ": " + out["text"].get<std::string>();
  return out;
}

// Eight columns with that of the previous run, which is what a page has room for.
Columns library_columns(const Context& context) {
  if (!has_framework(context)) return best_peer_columns(context);
  Columns columns;
  for (const Selector& peer : context.plain_peers()) {
    for (const auto& [name, label] : kFrameworks) {
      if (peer.variant != name) continue;
      columns.push_back(
          {std::string("with_") + name, std::string(label) + ", ours against it", "right",
           [&context, peer](const RowView& v) { return framework_cell(context, v, peer); }});
    }
  }
  columns.push_back({"vs_best_peer", "Against the best library", "right",
                     [&context](const RowView& v) { return named_best_cell(context, v); }});
  return columns;
}

// Is `before` our variant on one instruction set? Then a folded table tells what others gain.
bool before_is_pinned(const Suite& suite) {
  return suite.before.variant == suite.after.variant &&
         std::find(suite.targets.begin(), suite.targets.end(), suite.before.target) !=
             suite.targets.end();
}

// The table that a reader meets: ours with what it ran on, against before, NumPy, PyTorch and the
// best library.
Columns sweep_result(const Context& context) {
  const std::string role = context.suite().after.variant;
  Columns columns{
      size_column(),
      {"ours", role, "right", [](const RowView& v) { return time_cell(v.after); }},
      {"backend", "On", "left",
       [](const RowView& v) {
         return v.after ? text_cell(v.after->row.target) : missing_cell("not measured");
       }},
  };
  if (!has_framework(context) || !before_is_pinned(context.suite())) {
    columns.push_back(
        {"speedup", role + " vs " + role_text(context.suite().before), "right",
         [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); }});
  }
  columns = joined(columns, library_columns(context));
  add_previous_column(columns, context);
  return columns;
}

Columns time_columns(const Context& context, const Section& section) {
  Columns columns{size_column()};
  for (const Shown& shown : shown_columns(context, section)) {
    columns.push_back({"time_" + shown.selector.text(), shown.label, "right",
                       [&context, shown](const RowView& v) {
                         return time_cell(context.find(*v.row, shown.selector));
                       }});
  }
  columns.push_back({"after_ns", context.suite().after.variant + " ns/op", "right",
                     [](const RowView& v) { return ns_cell(v.after); }});
  return columns;
}

Columns per_element_columns(const Context& context, const Section& section) {
  Columns columns{size_column()};
  for (const Shown& shown : shown_columns(context, section)) {
    columns.push_back({"each_" + shown.selector.text(), shown.label, "right",
                       [&context, shown](const RowView& v) {
                         return ns_each_cell(context.find(*v.row, shown.selector), elements(v));
                       }});
  }
  return columns;
}

// Each target against the narrowest one, which is SCALAR wherever it was measured.
Columns target_columns(const Context& context, const std::vector<std::string>& targets,
                       const std::string& base) {
  Columns columns{size_column()};
  const std::string& variant = context.suite().after.variant;
  for (const std::string& target : targets) {
    if (target == base) continue;
    columns.push_back(
        {"over_" + target, target, "right", [&context, variant, target, base](const RowView& v) {
           return context.speedup_cell(context.find(*v.row, {variant, base}),
                                       context.find(*v.row, {variant, target}));
         }});
  }
  return columns;
}

Columns limit_columns(const Context& context) {
  return {
      size_column(),
      {"rate", "Rate", "right", [&context](const RowView& v) { return rate_of(context, v.after); }},
      {"standing", "Of the machine's limit", "right",
       [&context](const RowView& v) { return standing_cell(context, v); }},
  };
}

Columns alloc_columns(const Context& context) {
  const std::string before = role_text(context.suite().before);
  const std::string after = context.suite().after.variant;
  return {
      size_column(),
      {"before_allocs", before + " allocs/op", "right",
       [](const RowView& v) { return allocs_cell(v.before); }},
      {"before_bytes", before + " B/op", "right",
       [](const RowView& v) { return alloc_bytes_cell(v.before); }},
      {"after_allocs", after + " allocs/op", "right",
       [](const RowView& v) { return allocs_cell(v.after); }},
      {"after_bytes", after + " B/op", "right",
       [](const RowView& v) { return alloc_bytes_cell(v.after); }},
      {"reduction", "Alloc reduction", "right",
       [](const RowView& v) { return reduction_cell(v.before, v.after); }},
  };
}

std::string section_title(const CaseRow& row) {
  return row.threads == 1 ? row.name()
                          : row.name() + ", " + std::to_string(row.threads) + " threads";
}

RowView sweep_view(const Context& context, const CaseRow& row) {
  RowView view;
  view.row = &row;
  view.before = context.find(row, context.suite().before);
  view.after = context.find(row, context.suite().after);
  for (const Selector& selector : context.selectors()) {
    const Summary* found = context.find(row, selector);
    if (!lacking(found)) add_measured(view, found);
  }
  return view;
}

std::vector<Section> sweep_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    section_titled(out, section_title(row)).rows.push_back(sweep_view(context, row));
  }
  for (Section& section : out) {
    std::stable_sort(section.rows.begin(), section.rows.end(),
                     [](const RowView& a, const RowView& b) { return elements(a) < elements(b); });
  }
  return out;
}

Json sweep_tables(const Context& context, const Section& section) {
  const std::vector<RowView>& rows = section.rows;
  Json tables = Json::array();
  tables.push_back(main_table("", sweep_result(context), rows));
  tables.push_back(folded(
      make_table("Time by instruction set and variant", time_columns(context, section), rows)));
  tables.push_back(folded(make_table("Against the machine's limit", limit_columns(context), rows)));
  add_fresh(tables, context, rows, {size_column()});
  add_each_peer(tables, context, rows, {size_column()});
  tables.push_back(
      folded(make_table("ns per element", per_element_columns(context, section), rows)));
  const std::vector<std::string> targets = measured_targets(context, section);
  if (targets.size() > 1) {
    const std::string base =
        *std::max_element(targets.begin(), targets.end(),
                          [](auto& a, auto& b) { return target_rank(a) < target_rank(b); });
    tables.push_back(
        folded(make_table("Speedup over " + base, target_columns(context, targets, base), rows)));
  }
  tables.push_back(folded(make_table("Allocations", alloc_columns(context), rows)));
  tables.push_back(details_table(context, rows));
  return tables;
}

// A line per target and one per peer, over the elements.
Json sweep_plots(const Context& context, const Section& section) {
  const Suite& suite = context.suite();
  std::vector<WantedLine> wanted{{role_text(suite.before), suite.before}};
  for (const std::string& target : measured_targets(context, section)) {
    const Selector pinned{suite.after.variant, target};
    if (pinned != suite.before) wanted.push_back({pinned.text(), pinned});
  }
  if (wanted.size() == 1) wanted.push_back({role_text(suite.after), suite.after});
  for (const Selector& also : suite.also) wanted.push_back({role_text(also), also});
  for (const std::string& peer : suite.peers) wanted.push_back({peer, {peer, "best"}});
  return drawn({lines_plot(
      context, section, wanted, {"elements n (log scale)", elements_of},
      {{"time per operation (wall, log scale)", false}, {"ns per element (log scale)", true}})});
}

// Pinned targets that this machine has no row of.
void add_missing_targets(const Context& context, const Section& section, Json& notes) {
  const std::vector<std::string> measured = measured_targets(context, section);
  std::vector<std::string> missing;
  for (const std::string& target : context.suite().targets) {
    if (std::find(measured.begin(), measured.end(), target) == measured.end()) {
      missing.push_back(target);
    }
  }
  if (!missing.empty()) notes.push_back("not measured on this machine: " + join(missing, ", "));
}

}  // namespace

constinit const Form kSweep{
    .name = "sweep",
    .about = "time over size, a column per instruction set",
    .sections = sweep_sections,
    .tables = sweep_tables,
    .plots = sweep_plots,
    .add_notes = add_missing_targets,
};

}  // namespace nsop::report
