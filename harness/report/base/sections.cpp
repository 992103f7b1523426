#include "harness/report/base/sections.h"

#include <algorithm>

#include "harness/report/base/cells.h"

namespace nsop::report {
namespace {

// The row labelled `relative_to` with the same operation and as many threads.
const stats::RowSummary* find_relative(const Context& context, const CaseRow& row) {
  if (row.from->relative_to.empty()) return nullptr;
  for (const CaseRow& other : context.rows()) {
    const bool same_place = other.from->label == row.from->relative_to &&
                            other.from->operation == row.from->operation &&
                            other.threads == row.threads;
    if (same_place) return context.find(other, context.suite().after);
  }
  return nullptr;
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
    if (!out.empty()) {
      view.variant = role_text(after);
      // The instruction set that the suite shows beside is that of this machine.
      if (view.after != nullptr && view.after == out.front().after) continue;
    }
    view.relative_to = find_relative(context, row);
    if (out.empty()) add_measured(view, view.before);
    add_measured(view, view.after);
    for (const std::string& peer : context.suite().peers) {
      const Selector rival = context.rival_of({peer, "best"}, row, view.after);
      if (out.empty() || rival.target != "best") add_measured(view, context.find(row, rival));
    }
    for (const Selector& selector : context.suite().beside) {
      if (out.empty()) add_measured(view, context.find(row, selector));
    }
    out.push_back(view);
  }
  return out;
}

}  // namespace

Section& section_titled(std::vector<Section>& sections, const std::string& title) {
  for (Section& section : sections) {
    if (section.title == title) return section;
  }
  return sections.emplace_back(Section{title, {}});
}

std::vector<Section> table_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    Section& section = section_titled(out, row.from->section);
    for (RowView& view : views(context, row)) section.rows.push_back(std::move(view));
  }
  return out;
}

Columns row_columns() {
  return {
      {"row", "Row", "left",
       [](const RowView& v) {
         std::string text = v.row->name();
         if (v.row->threads != 1) text += ", " + std::to_string(v.row->threads) + " threads";
         if (!v.variant.empty()) text += ", " + v.variant;
         return text_cell(text);
       }},
      {"case", "Case", "left", [](const RowView& v) { return code_cell(v.row->text); }},
  };
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

}  // namespace nsop::report
