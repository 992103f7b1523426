// The section `Goals`.
#include <algorithm>
#include <cmath>

#include "harness/core/util.h"
#include "harness/report/cells.h"
#include "harness/report/format.h"
#include "harness/report/goals.h"
#include "harness/report/table.h"

namespace nsop::report {
namespace {

int count_of(const std::vector<GoalRow>& rows, const Goal& goal, GoalResult result) {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const GoalRow& row) {
    return row.goal == &goal && row.result == result;
  }));
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

std::string threads_text(const Goal& goal) {
  if (goal.threads.empty()) return "any";
  std::vector<std::string> parts;
  for (const int threads : goal.threads) parts.push_back(std::to_string(threads));
  return join(parts, ", ");
}

Json counts_table(const Context& context, const std::vector<GoalRow>& rows) {
  Json table = make_table("",
                          {{"goal", "Goal", "left", {}},
                           {"on", "On", "left", {}},
                           {"threads", "Threads", "right", {}},
                           {"met", "Met", "right", {}},
                           {"missed", "Missed", "right", {}},
                           {"undecided", "Undecided", "right", {}}},
                          {});
  for (const Goal& goal : context.suite().goals) {
    Json row = table_row(goal.that, "", 1);
    row["cells"] = {code_cell(goal.that), code_cell(join(goal.on, "; ")),
                    text_cell(threads_text(goal))};
    for (const GoalResult result :
         {GoalResult::kMet, GoalResult::kMissed, GoalResult::kUndecided}) {
      row["cells"].push_back(count_cell(count_of(rows, goal, result)));
    }
    table["rows"].push_back(row);
  }
  return table;
}

// `0.42x`, or a share of the bandwidth, with its interval.
Json value_cell(const GoalRow& row) {
  if (row.value <= 0) return missing_cell("n/a");
  const bool time = row.goal->kind != Goal::Kind::kBandwidth;
  Json out = percent_cell(row.value);
  if (time) out["text"] = multiple_text(row.value);
  if (time) out["kind"] = "multiple";
  if (row.lo > 0 && std::isfinite(row.hi)) {
    out["interval"] = {row.lo, row.hi};
    out["interval_text"] = time ? interval_text(row.lo, row.hi)
                                : "[" + share_text(row.lo) + ", " + share_text(row.hi) + "]";
  }
  return out;
}

// What the authors of the suite say of a row that does not meet its goal.
Json authors_cell(const Suite& suite, const GoalRow& row) {
  if (row.result == GoalResult::kMet) return missing_cell("-");
  std::vector<std::string> parts;
  if (!row.goal->note.empty()) parts.push_back(row.goal->note);
  for (const Reason* reason : reasons_of(suite, row)) {
    parts.push_back(reason->why);
    if (!reason->tried.empty()) parts.push_back("Tried: " + reason->tried);
  }
  if (!parts.empty()) return text_cell(one_line(join(parts, " ")));
  return missing_cell(row.result == GoalResult::kMissed ? "none given" : "-");
}

Json rows_table(const Suite& suite, const std::string& title,
                const std::vector<const GoalRow*>& rows) {
  Json table = make_table(title,
                          {{"result", "Result", "left", {}},
                           {"row", "Row", "left", {}},
                           {"goal", "Goal", "left", {}},
                           {"value", "Measured", "right", {}},
                           {"against", "Against", "left", {}},
                           {"remark", "Remark", "left", {}},
                           {"authors", "Why, by the authors", "left", {}}},
                          {});
  for (const GoalRow* row : rows) {
    Json out = table_row(row->name, row->case_text, row->threads);
    Json result = text_cell(goal_result_text(row->result));
    if (row->result == GoalResult::kMissed) result["strong"] = true;
    out["cells"] = {result,
                    text_cell(row->name),
                    code_cell(row->goal->that),
                    value_cell(*row),
                    row->against.empty() ? missing_cell("none") : text_cell(row->against),
                    row->remark.empty() ? missing_cell("-") : text_cell(row->remark),
                    authors_cell(suite, *row)};
    table["rows"].push_back(out);
  }
  return table;
}

}  // namespace

Json goals_section(const Context& context, const std::vector<GoalRow>& rows) {
  if (context.suite().goals.empty()) return nullptr;
  std::vector<const GoalRow*> all, open;
  for (const GoalRow& row : rows) {
    all.push_back(&row);
    if (row.result != GoalResult::kMet) open.push_back(&row);
  }
  std::stable_sort(open.begin(), open.end(), [](const GoalRow* a, const GoalRow* b) {
    return a->result == GoalResult::kMissed && b->result != GoalResult::kMissed;
  });
  Json section;
  section["title"] = "Goals";
  section["notes"] = {
      "A goal is met on a row when the whole 95 % interval lies on its good side, missed when all "
      "of it lies on the other, undecided in between. Why a row misses is what the authors of the "
      "suite say; nothing measures it."};
  section["tables"] = {counts_table(context, rows)};
  if (!open.empty())
    section["tables"].push_back(
        rows_table(context.suite(), "Rows that miss or don't decide", open));
  Json details = rows_table(context.suite(), "Every goal on every row", all);
  details["collapsed"] = true;
  section["tables"].push_back(details);
  section["plots"] = Json::array();
  return section;
}

}  // namespace nsop::report
