#include "harness/report/base/table.h"

#include <algorithm>

#include "harness/report/base/cells.h"
#include "harness/report/base/metrics/metrics.h"
#include "harness/report/base/peers.h"

namespace nsop::report {
namespace {

Json column_json(const Column& column) {
  Json out;
  out["id"] = column.id;
  out["label"] = column.label;
  out["align"] = column.align;
  return out;
}

void add_note(Json& notes, const char* kind, const std::string& who, const std::string& text) {
  Json note;
  note["kind"] = kind;
  note["who"] = who;
  note["text"] = text;
  notes.push_back(note);
}

// Why a comparison of this row could not be decided, or says another thing than its times.
void add_cell_notes(Json& notes, const Column& column, const Json& cell) {
  if (!cell.contains("note")) return;
  const std::string text = cell["note"];
  const bool incomparable = cell["kind"] == "verdict" && cell["value"] == "incomparable";
  const std::string verdict = cell.value("verdict", "");
  const bool open = verdict == "inconclusive" || verdict == kNotJudgedVerdict;
  const size_t disagree = text.find(kTimesDisagree);
  if (incomparable) add_note(notes, "incomparable", column.label, text);
  if (open && !incomparable) {
    const std::string own = disagree == std::string::npos ? text : text.substr(0, disagree);
    const std::string cut = own.ends_with("; ") ? own.substr(0, own.size() - 2) : own;
    if (!cut.empty()) add_note(notes, verdict.c_str(), column.label, cut);
  }
  if (disagree != std::string::npos) add_note(notes, "doubt", column.label, kTimesDisagree);
  if (text == kDiffersTooMuch) add_note(notes, "doubt", column.label, text);
}

Json row_json(const Columns& columns, const RowView& view) {
  Json out = table_row(view.row->full_name(), view.row->text, view.row->threads);
  for (const stats::RowSummary* row : view.measured) {
    if (row->status != Status::kUnsupported) out["repro"].push_back(repro_command(*row));
  }
  for (const Column& column : columns) {
    out["cells"].push_back(column.cell(view));
    add_cell_notes(out["notes"], column, out["cells"].back());
  }
  return out;
}

using Summary = stats::RowSummary;

// A column of the details table looks at one measurement only.
Column detail(const std::string& id, const std::string& label, const std::string& align,
              const std::function<Json(const Summary&)>& cell) {
  return {id, label, align, [cell](const RowView& view) { return cell(*view.measured.front()); }};
}

Json error_cell(const Summary& row) {
  if (row.status != Status::kOk && row.status != Status::kWrong) return missing_cell("n/a");
  return percent_cell(row.max_error_over_tolerance);
}

Json faults_cell(const Summary& row) {
  return usable(&row) ? count_cell(row.faults_per_op) : missing_cell("n/a");
}

Columns detail_columns(const Context& context) {
  return {
      {"row", "Row", "left", [](const RowView& v) { return text_cell(v.row->full_name()); }},
      detail("variant", "Variant", "left", [](const Summary& s) { return code_cell(who(s)); }),
      detail("status", "Status", "left",
             [](const Summary& s) { return text_cell(status_text(s.status)); }),
      detail("time", "Time", "right", [](const Summary& s) { return time_cell(&s); }),
      detail("rate", "Rate", "right",
             [&context](const Summary& s) { return rate_of(context, &s); }),
      detail("limit", "% of limit", "right",
             [&context](const Summary& s) { return limit_share_of(context, &s); }),
      detail("invocations", "Invocations", "right",
             [](const Summary& s) { return count_cell(s.invocations); }),
      detail("sd", "Relative SD", "right",
             [](const Summary& s) {
               return usable(&s) && s.invocations > 1 ? percent_cell(s.relative_sd)
                                                      : missing_cell("n/a");
             }),
      detail("error", "Error / tolerance", "right", error_cell),
      detail("allocs", "Allocs/op", "right", [](const Summary& s) { return allocs_cell(&s); }),
      detail("peak", "Peak bytes", "right", [](const Summary& s) { return peak_bytes_cell(&s); }),
      detail("faults", "Page faults/op", "right", faults_cell),
      detail("workspace", "Workspace B", "right",
             [](const Summary& s) { return count_cell(static_cast<double>(s.workspace_bytes)); }),
      detail("chose", "Chose", "left",
             [](const Summary& s) { return text_cell(s.chose.empty() ? "-" : s.chose); }),
      detail("repro", "Measure it again", "left",
             [](const Summary& s) { return code_cell(repro_command(s)); }),
  };
}

}  // namespace

void add_measured(RowView& view, const stats::RowSummary* row) {
  const bool known =
      std::find(view.measured.begin(), view.measured.end(), row) != view.measured.end();
  if (row != nullptr && !known) view.measured.push_back(row);
}

void add_previous_column(Columns& columns, const Context& context) {
  if (context.previous() == nullptr) return;
  columns.push_back({"previous", "vs previous run", "right",
                     [&context](const RowView& v) { return context.previous_cell(v.after); }});
}

Json table_row(const std::string& label, const std::string& case_text, int threads) {
  Json row;
  row["label"] = label;
  row["case"] = case_text;
  row["threads"] = threads;
  row["repro"] = Json::array();
  row["cells"] = Json::array();
  row["notes"] = Json::array();
  return row;
}

Json make_table(const std::string& title, const Columns& columns,
                const std::vector<RowView>& rows) {
  Json out;
  out["title"] = title;
  out["collapsed"] = false;
  out["columns"] = Json::array();
  out["rows"] = Json::array();
  for (const Column& column : columns) out["columns"].push_back(column_json(column));
  for (const RowView& row : rows) out["rows"].push_back(row_json(columns, row));
  return out;
}

Json folded(Json table) {
  table["collapsed"] = true;
  return table;
}

Json main_table(const std::string& title, const Columns& columns,
                const std::vector<RowView>& rows) {
  Json out = make_table(title, columns, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const stats::RowSummary* row : rows[i].measured) {
      for (const Json& note : row_notes(*row)) out["rows"][i]["notes"].push_back(note);
    }
  }
  return out;
}

Json details_table(const Context& context, const std::vector<RowView>& rows) {
  std::vector<RowView> single;
  for (const RowView& view : rows) {
    for (const stats::RowSummary* row : view.measured) {
      if (row->status == Status::kUnsupported) continue;
      RowView one;
      one.row = view.row;
      one.measured = {row};
      single.push_back(one);
    }
  }
  return folded(make_table("Each measurement: noise, error, choice, command",
                           detail_columns(context), single));
}

}  // namespace nsop::report
