#include "harness/report/base/goals/authors.h"

#include <algorithm>
#include <cmath>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/goals/goal_reasons.h"
#include "harness/report/base/goals/metric_goals.h"
#include "harness/report/base/table.h"

namespace nsop::report {
namespace {

// Up to the first full stop that ends a sentence.
std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string text_of(const Reason& reason) {
  return one_line(reason.why + (reason.tried.empty() ? "" : " Tried: " + reason.tried));
}

Json remark_cell(const GoalRow& row) {
  const std::string text = (row.apart ? "a shortcut, counted nowhere" : "") +
                           std::string(row.apart && !row.remark.empty() ? "; " : "") + row.remark;
  return text.empty() ? missing_cell("-") : text_cell(text);
}

}  // namespace

std::vector<std::string> Authors::texts_of(const GoalRow& row) const {
  std::vector<std::string> texts;
  if (!row.goal->note.empty()) texts.push_back(one_line(row.goal->note));
  for (const Reason* reason : reasons_of(suite_, row)) texts.push_back(text_of(*reason));
  return texts;
}

std::string Authors::number_of(const std::string& text) {
  const auto at = static_cast<size_t>(std::find(said_.begin(), said_.end(), text) - said_.begin());
  if (at == said_.size()) said_.push_back(text);
  return "(" + std::to_string(at + 1) + ")";
}

Json Authors::numbers_cell(const GoalRow& row) {
  if (row.result == GoalResult::kMet) return missing_cell("-");
  std::vector<std::string> numbers;
  for (const std::string& text : texts_of(row)) numbers.push_back(number_of(text));
  if (!numbers.empty()) return text_cell(join(numbers, ", "));
  return missing_cell(row.result == GoalResult::kMissed ? "none given" : "-");
}

Json Authors::sentences_cell(const std::vector<const GoalRow*>& missed, std::string_view case_text,
                             int threads) {
  std::vector<std::string> texts;
  for (const GoalRow* row : missed) {
    for (const std::string& text : texts_of(*row)) texts.push_back(text);
  }
  for (const Reason& reason : suite_.reasons) {
    if (reason_is_of_row(reason, case_text, threads)) texts.push_back(text_of(reason));
  }
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    const std::string part = first_sentence(text) + " " + number_of(text);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  return parts.empty() ? missing_cell("none given") : text_cell(join(parts, " "));
}

std::vector<std::string> Authors::take_texts() {
  std::vector<std::string> out;
  for (; taken_ < said_.size(); ++taken_) {
    out.push_back("(" + std::to_string(taken_ + 1) + ") " + said_[taken_]);
  }
  return out;
}

Json goal_value_cell(const GoalRow& row) {
  if (row.goal->kind == Goal::Kind::kMetric) return metric_value_cell(row);
  if (!row.value || *row.value <= 0) return missing_cell("n/a");
  const bool time = row.goal->kind != Goal::Kind::kBandwidth;
  Json out = percent_cell(*row.value);
  if (time) out["text"] = multiple_text(*row.value);
  if (time) out["kind"] = "multiple";
  if (row.lo > 0 && std::isfinite(row.hi)) {
    out["interval"] = {row.lo, row.hi};
    out["interval_text"] = time ? interval_text(row.lo, row.hi)
                                : "[" + share_text(row.lo) + ", " + share_text(row.hi) + "]";
  }
  return out;
}

Json goal_rows_table(const std::string& title, Authors& authors,
                     const std::vector<const GoalRow*>& rows, bool with_result) {
  Json table = make_table(title,
                          {{"result", "Result", "left", {}},
                           {"row", "Row", "left", {}},
                           {"goal", "Goal", "left", {}},
                           {"value", "Measured (x: our time / its)", "right", {}},
                           {"against", "Against", "left", {}},
                           {"remark", "Remark", "left", {}},
                           {"authors", "Why, by the authors", "left", {}}},
                          {});
  for (const GoalRow* row : rows) {
    Json result = text_cell(goal_result_text(row->result));
    if (row->result == GoalResult::kMissed) result["strong"] = true;
    Json out = table_row(row->name, row->case_text, row->threads);
    out["cells"] = {result,
                    text_cell(row->name),
                    code_cell(row->goal->that),
                    goal_value_cell(*row),
                    row->against.empty() ? missing_cell("none") : text_cell(row->against),
                    remark_cell(*row),
                    authors.numbers_cell(*row)};
    if (!with_result) out["cells"].erase(0);
    table["rows"].push_back(out);
  }
  if (!with_result) table["columns"].erase(0);
  return table;
}

Json folded_goals_table(const std::string& title, Authors& authors,
                        const std::vector<const GoalRow*>& rows, bool with_result) {
  Json table = folded(goal_rows_table(title, authors, rows, with_result));
  const std::vector<std::string> texts = authors.take_texts();
  if (!texts.empty()) table["notes"] = texts;
  return table;
}

}  // namespace nsop::report
