// The sections of the template `limits`: the machine's own limits.
#include <algorithm>
#include <set>

#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/peers.h"

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

}  // namespace

std::vector<Section> limits_sections(const Context& context) {
  std::vector<Section> out;
  for (const CaseRow& row : context.rows()) {
    const std::string& title = row.from->section;
    auto at = std::find_if(out.begin(), out.end(), [&](auto& s) { return s.title == title; });
    if (at == out.end()) at = out.insert(out.end(), Section{title, {}});
    add_views(context, row, *at);
  }
  return out;
}

Json limits_section_json(const Context& context, const Section& section) {
  Json tables = Json::array();
  tables.push_back(main_table("", limit_columns(context, section), section.rows));
  tables.push_back(details_table(context, section.rows));
  return tables;
}

}  // namespace nsop::report
