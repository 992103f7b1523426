// The forms `before_after` and `matched`, declared in forms.h: two variants of each case side by
// side.
#include <algorithm>
#include <optional>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/configuration.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/plots/bars.h"
#include "harness/report/base/plots/plot_axes.h"
#include "harness/report/base/sections.h"
#include "harness/report/forms/forms.h"
#include "harness/report/forms/fresh.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

// ns/op, time, allocs/op and B/op of one role.
void add_role(Columns& columns, const std::string& id, const std::string& role,
              const Summary* RowView::*member) {
  const auto add = [&](const std::string& suffix, const std::string& label,
                       Json (*cell)(const Summary*)) {
    columns.push_back({id + suffix, role + " " + label, "right",
                       [member, cell](const RowView& view) { return cell(view.*member); }});
  };
  add("_ns", "ns/op", ns_cell);
  add("_time", "time", time_cell);
  add("_allocs", "allocs/op", allocs_cell);
  add("_bytes", "B/op", alloc_bytes_cell);
}

// The cell, or a dash where the suite has no `before` for the case: nothing is missing there.
std::function<Json(const RowView&)> dash_where_left_out(
    const Context& context, const std::function<Json(const RowView&)>& cell) {
  return [&context, cell](const RowView& view) {
    const bool none = view.before == nullptr && left_out(*view.row, context.suite().before);
    return none ? missing_cell("-") : cell(view);
  };
}

// Variants that stand beside the roles, as far as a row of the section has them; those with new
// results have a table of their own.
std::vector<Selector> beside(const Context& context, const Section& section) {
  std::vector<Selector> out;
  for (const Selector& selector : context.suite().beside) {
    if (takes_new_results(selector)) continue;
    const bool there = std::any_of(
        section.rows.begin(), section.rows.end(),
        [&](const RowView& view) { return context.find(*view.row, selector) != nullptr; });
    if (there) out.push_back(selector);
  }
  return out;
}

// Of each of them: time, allocs/op, B/op and `after` against it.
void add_beside(Columns& columns, const Context& context, const Selector& selector) {
  const std::string name = role_text(selector);
  const auto add = [&](const std::string& id, const std::string& label,
                       const std::function<Json(const RowView&, const Summary*)>& cell) {
    columns.push_back({id + "_" + name, label, "right", [&context, selector, cell](auto& view) {
                         // An op without such a variant was never to be measured.
                         const Summary* found = context.find(*view.row, selector);
                         return found == nullptr ? missing_cell("-") : cell(view, found);
                       }});
  };
  add("time", name + " time", [](auto&, const Summary* s) { return time_cell(s); });
  add("allocs", name + " allocs/op", [](auto&, const Summary* s) { return allocs_cell(s); });
  add("bytes", name + " B/op", [](auto&, const Summary* s) { return alloc_bytes_cell(s); });
  add("against", role_text(context.suite().after) + " vs " + name,
      [&context](const RowView& view, const Summary* s) {
        return context.speedup_cell(s, view.after);
      });
}

bool is_base(const Context& context, const CaseRow& row) {
  return std::any_of(context.rows().begin(), context.rows().end(), [&](const CaseRow& other) {
    return other.from->relative_to == row.from->label &&
           other.from->operation == row.from->operation;
  });
}

Json relative_cell(const Context& context, const RowView& view) {
  if (is_base(context, *view.row)) return text_cell("baseline");
  if (view.row->from->relative_to.empty()) return missing_cell("-");
  if (!usable(view.relative_to) || !usable(view.after)) return missing_cell("n/a");
  Json out = context.speedup_cell(view.relative_to, view.after);
  out.erase("verdict");  // the rows do different work
  return out;
}

std::string relative_label(const Section& section) {
  std::set<std::string> names;
  for (const RowView& view : section.rows) {
    if (!view.row->from->relative_to.empty()) names.insert(view.row->from->relative_to);
  }
  return names.size() == 1 ? "vs " + *names.begin() : "vs its base";
}

// Allocations or bytes of both roles in one column.
Column counts_column(const Context& context, const std::string& id, const std::string& label,
                     Json (*cell)(const Summary*)) {
  return {id, label, "right", [&context, cell](const RowView& v) {
            const bool none = v.before == nullptr && left_out(*v.row, context.suite().before);
            return none ? cell(v.after) : from_to_cell(cell(v.before), cell(v.after));
          }};
}

// The table that a reader meets: both times, the speedup, what is allocated.
Columns shared_result(const Context& context) {
  Columns columns = row_columns();
  const auto with_before = [&](const std::string& id, const std::string& label,
                               const std::function<Json(const RowView&)>& cell) {
    columns.push_back({id, label, "right", dash_where_left_out(context, cell)});
  };
  with_before("before", "Before", [](const RowView& v) { return time_cell(v.before); });
  columns.push_back(
      {"after", "After", "right", [](const RowView& v) { return time_cell(v.after); }});
  with_before("speedup", "Speedup",
              [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); });
  columns.push_back(counts_column(context, "allocs", "Allocs/op", allocs_cell));
  return columns;
}

Columns before_after_result(const Context& context) {
  Columns columns = shared_result(context);
  columns.push_back(counts_column(context, "bytes", "B/op", alloc_bytes_cell));
  add_previous_column(columns, context);
  return columns;
}

Columns before_after_columns(const Context& context, const Section& section) {
  Columns columns = name_columns(context, section);
  Columns with_before;
  add_role(with_before, "before", "Before", &RowView::before);
  with_before.push_back({"speedup", "Speedup", "right", [&context](const RowView& v) {
                           return context.speedup_cell(v.before, v.after);
                         }});
  with_before.push_back({"reduction", "Alloc reduction", "right",
                         [](const RowView& v) { return reduction_cell(v.before, v.after); }});
  for (Column& column : with_before) column.cell = dash_where_left_out(context, column.cell);
  columns.insert(columns.end(), with_before.begin(), with_before.end() - 2);
  add_role(columns, "after", "After", &RowView::after);
  columns.insert(columns.end(), with_before.end() - 2, with_before.end());
  return columns;
}

Columns matched_result(const Context& context, const Section& section) {
  Columns columns = shared_result(context);
  columns.push_back({"relative", relative_label(section), "right",
                     [&context](const RowView& v) { return relative_cell(context, v); }});
  add_previous_column(columns, context);
  return columns;
}

Columns matched_columns(const Context& context, const Section& section) {
  Columns columns = before_after_columns(context, section);
  columns.push_back({"macs", "MACs", "right", [&context](const RowView& v) {
                       const double macs = context.macs(v.row->text);
                       return macs > 0 ? count_cell(macs) : missing_cell("n/a");
                     }});
  columns.push_back({"ns_per_mac", "ns per MAC", "right", [&context](const RowView& v) {
                       return ns_each_cell(v.after, context.macs(v.row->text));
                     }});
  return columns;
}

// What the suite wants beside before and after; nothing where no row has it.
std::optional<Json> beside_table(const Context& context, const Section& section) {
  const std::vector<Selector> selectors = beside(context, section);
  if (selectors.empty()) return std::nullopt;
  Columns columns = name_columns(context, section);
  std::vector<std::string> names;
  for (const Selector& selector : selectors) {
    add_beside(columns, context, selector);
    names.push_back(role_text(selector));
  }
  return make_table("Beside: " + join(names, ", "), columns, distinct_cases(section.rows));
}

Json section_tables(const Context& context, const Section& section, const Columns& result,
                    const Columns& numbers) {
  Json tables = Json::array();
  tables.push_back(main_table("", result, section.rows));
  add_standing(tables, context, section.rows);
  tables.push_back(configuration_table(context, section.rows));
  Json all = make_table("Both variants in numbers", numbers, section.rows);
  for (Json& row : all["rows"]) row["notes"] = Json::array();  // the first table has them
  tables.push_back(folded(std::move(all)));
  if (auto table = beside_table(context, section)) tables.push_back(folded(std::move(*table)));
  add_fresh(tables, context, section.rows, name_columns(context, section));
  add_each_peer(tables, context, section.rows, name_columns(context, section));
  tables.push_back(details_table(context, section.rows));
  return tables;
}

Json before_after_tables(const Context& context, const Section& section) {
  return section_tables(context, section, before_after_result(context),
                        before_after_columns(context, section));
}

Json matched_tables(const Context& context, const Section& section) {
  return section_tables(context, section, matched_result(context, section),
                        matched_columns(context, section));
}

Json before_after_plots(const Context& context, const Section& section) {
  return drawn({bars_plot(context, section), ratio_to_peers_plot(context, section)});
}

}  // namespace

constinit const Form kBeforeAfter{
    .name = "before_after",
    .about = "two variants of each case: time, allocations, speedup",
    .sections = table_sections,
    .tables = before_after_tables,
    .plots = before_after_plots,
};

constinit const Form kMatched{
    .name = "matched",
    .about = "two variants of each case, and each row against one of other work",
    .sections = table_sections,
    .tables = matched_tables,
    .plots = before_after_plots,
};

}  // namespace nsop::report
