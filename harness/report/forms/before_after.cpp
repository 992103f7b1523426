// The tables of the templates `before_after` and `matched`.
#include <algorithm>
#include <optional>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/peers.h"

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

// Variants that stand beside the roles, as far as a row of the section has them.
std::vector<Selector> beside(const Context& context, const Section& section) {
  std::vector<Selector> out;
  for (const Selector& selector : context.suite().beside) {
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

// The row labelled `relative_to` with the same operation and as many threads.
const Summary* find_relative(const Context& context, const CaseRow& row) {
  if (row.from->relative_to.empty()) return nullptr;
  for (const CaseRow& other : context.rows()) {
    const bool same_place = other.from->label == row.from->relative_to &&
                            other.from->operation == row.from->operation &&
                            other.threads == row.threads;
    if (same_place) return context.find(other, context.suite().after);
  }
  return nullptr;
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
  Json out = plain_ratio_cell(view.relative_to->wall_ns / view.after->wall_ns);
  if (!time_doubts(*view.relative_to).empty() || !time_doubts(*view.after).empty()) {
    mark_doubt(out);
  }
  return out;
}

std::string relative_label(const Section& section) {
  std::set<std::string> names;
  for (const RowView& view : section.rows) {
    if (!view.row->from->relative_to.empty()) names.insert(view.row->from->relative_to);
  }
  return names.size() == 1 ? "vs " + *names.begin() : "vs its base";
}

std::vector<RowView> views(const Context& context, const CaseRow& row) {
  std::vector<Selector> afters{context.suite().after};
  afters.insert(afters.end(), context.suite().also.begin(), context.suite().also.end());
  std::vector<RowView> out;
  for (const Selector& after : afters) {
    if (!out.empty() && left_out(row, after)) continue;
    RowView view;
    view.row = &row;
    view.before = context.find(row, context.suite().before);
    view.after = context.find(row, after);
    view.relative_to = find_relative(context, row);
    if (out.empty()) add_measured(view, view.before);
    add_measured(view, view.after);
    for (const std::string& peer : context.suite().peers) {
      if (out.empty()) add_measured(view, context.find(row, {peer, "best"}));
    }
    for (const Selector& selector : context.suite().beside) {
      if (out.empty()) add_measured(view, context.find(row, selector));
    }
    out.push_back(view);
  }
  return out;
}

}  // namespace

bool left_out(const CaseRow& row, const Selector& selector) {
  const std::vector<Selector>& without = row.from->without;
  return std::find(without.begin(), without.end(), selector) != without.end();
}

Columns name_columns(const Context& context, const Section& section) {
  Columns columns{
      {"layer", "Layer", "left",
       [](const RowView& v) {
         const std::string& label = v.row->from->label;
         return text_cell(label.empty() ? case_op(v.row->text) : label);
       }},
  };
  const bool named = std::any_of(section.rows.begin(), section.rows.end(),
                                 [](const RowView& v) { return !v.row->from->operation.empty(); });
  if (named) {
    columns.push_back({"operation", "Operation", "left",
                       [](const RowView& v) { return text_cell(v.row->from->operation); }});
  }
  columns.push_back(
      {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }});
  const bool threaded = std::any_of(section.rows.begin(), section.rows.end(),
                                    [](const RowView& v) { return v.row->threads != 1; });
  if (threaded) {
    columns.push_back({"threads", "Threads", "right",
                       [](const RowView& v) { return count_cell(v.row->threads); }});
  }
  if (!context.suite().also.empty()) {
    columns.push_back({"variant", "After is", "left", [](const RowView& v) {
                         return v.after ? code_cell(who(*v.after)) : missing_cell("not measured");
                       }});
  }
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
  add_previous_column(columns, context);
  return columns;
}

Columns matched_columns(const Context& context, const Section& section) {
  Columns columns = before_after_columns(context, section);
  columns.push_back({"relative", relative_label(section), "right",
                     [&context](const RowView& v) { return relative_cell(context, v); }});
  columns.push_back({"macs", "MACs", "right", [&context](const RowView& v) {
                       const double macs = context.macs(v.row->text);
                       return macs > 0 ? count_cell(macs) : missing_cell("n/a");
                     }});
  columns.push_back({"ns_per_mac", "ns per MAC", "right", [&context](const RowView& v) {
                       return ns_each_cell(v.after, context.macs(v.row->text));
                     }});
  return columns;
}

namespace {

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

}  // namespace

std::vector<Section> table_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    const std::string& title = row.from->section;
    auto at = std::find_if(out.begin(), out.end(), [&](auto& s) { return s.title == title; });
    if (at == out.end()) at = out.insert(out.end(), Section{title, {}});
    for (RowView& view : views(context, row)) at->rows.push_back(std::move(view));
  }
  return out;
}

Json table_section_json(const Context& context, const Section& section, bool matched) {
  const Columns columns =
      matched ? matched_columns(context, section) : before_after_columns(context, section);
  Json tables = Json::array();
  tables.push_back(main_table("", columns, section.rows));
  if (const auto table = beside_table(context, section)) tables.push_back(*table);
  for (Json& table : peer_tables(context, section.rows, name_columns(context, section))) {
    tables.push_back(std::move(table));
  }
  tables.push_back(details_table(context, section.rows));
  return tables;
}

}  // namespace nsop::report
