#include "harness/report/base/goals/goal_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/goals/goal_reasons.h"
#include "harness/report/base/table.h"

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
  Json table = make_table("How many rows meet each goal",
                          {{"goal", "Goal", "left", {}},
                           {"on", "On", "left", {}},
                           {"threads", "Threads", "right", {}},
                           {"met", "Met", "right", {}},
                           {"missed", "Missed", "right", {}},
                           {"undecided", "Undecided", "right", {}},
                           {"not_judged", "Not judged", "right", {}}},
                          {});
  for (const Goal& goal : context.suite().goals) {
    Json row = table_row(goal.that, "", 1);
    row["cells"] = {code_cell(goal.that), code_cell(join(goal.on, "; ")),
                    text_cell(threads_text(goal))};
    for (const GoalResult result :
         {GoalResult::kMet, GoalResult::kMissed, GoalResult::kUndecided, GoalResult::kNotJudged}) {
      row["cells"].push_back(count_cell(count_of(rows, goal, result)));
    }
    table["rows"].push_back(row);
  }
  return folded(std::move(table));
}

// All goals together, by number of threads.
Json totals_table(const Context& context, const std::vector<GoalRow>& rows) {
  Json table = make_table("",
                          {{"threads", "Threads", "right", {}},
                           {"met", "Met", "right", {}},
                           {"missed", "Missed", "right", {}},
                           {"undecided", "Undecided", "right", {}},
                           {"not_judged", "Not judged", "right", {}},
                           {"unexplained", "Missed without a reason", "right", {}}},
                          {});
  std::map<int, std::array<int, 5>> totals;
  for (const GoalRow& row : rows) {
    std::array<int, 5>& counts = totals[row.threads];
    ++counts.at(static_cast<size_t>(row.result));
    counts.back() += unexplained(context.suite(), row);
  }
  for (const auto& [threads, counts] : totals) {
    Json row = table_row(std::to_string(threads), "", threads);
    row["cells"].push_back(count_cell(threads));
    for (const int count : counts) row["cells"].push_back(count_cell(count));
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

// What the authors say, each text once: rows give its number.
class Authors {
 public:
  explicit Authors(const Suite& suite) : suite_(suite) {}

  // The numbers of what is said of a row that does not meet its goal.
  Json cell(const GoalRow& row) {
    if (row.result == GoalResult::kMet) return missing_cell("-");
    std::vector<std::string> numbers;
    if (!row.goal->note.empty()) numbers.push_back(number_of(row.goal->note));
    for (const Reason* reason : reasons_of(suite_, row)) {
      const std::string tried = reason->tried.empty() ? "" : " Tried: " + reason->tried;
      numbers.push_back(number_of(reason->why + tried));
    }
    if (!numbers.empty()) return text_cell(join(numbers, ", "));
    return missing_cell(row.result == GoalResult::kMissed ? "none given" : "-");
  }

  // `(1) ...`, in the order of the numbers.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::string number_of(const std::string& text) {
    const std::string line = one_line(text);
    const auto at =
        static_cast<size_t>(std::find(said_.begin(), said_.end(), line) - said_.begin());
    const std::string number = "(" + std::to_string(at + 1) + ")";
    if (at == said_.size()) {
      said_.push_back(line);
      texts_.push_back(number + " " + line);
    }
    return number;
  }

  const Suite& suite_;
  std::vector<std::string> said_, texts_;
};

Json rows_table(Authors& authors, const std::string& title,
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
                    authors.cell(*row)};
    table["rows"].push_back(out);
  }
  return table;
}

// Missed, not judged, undecided, met.
int urgency(const GoalRow& row) {
  constexpr std::array kOrder{GoalResult::kMissed, GoalResult::kNotJudged, GoalResult::kUndecided,
                              GoalResult::kMet};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), row.result) - kOrder.begin());
}

}  // namespace

Json goals_section(const Context& context, const std::vector<GoalRow>& rows) {
  if (context.suite().goals.empty()) return nullptr;
  std::vector<const GoalRow*> all, missed;
  for (const GoalRow& row : rows) {
    all.push_back(&row);
    if (row.result == GoalResult::kMissed) missed.push_back(&row);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const GoalRow* a, const GoalRow* b) { return urgency(*a) < urgency(*b); });
  Authors authors(context.suite());
  Json section;
  section["title"] = "Goals";
  section["summary"] = true;
  section["tables"] = {totals_table(context, rows)};
  if (!missed.empty()) {
    section["tables"].push_back(rows_table(authors, "Rows that miss a goal", missed));
  }
  section["tables"].push_back(counts_table(context, rows));
  section["tables"].push_back(folded(rows_table(authors, "Every goal on every row", all)));
  section["notes"] = {
      "A goal is met on a row when the whole 95 % interval lies on its good side, missed when all "
      "of it lies on the other, undecided in between. Against the best peer it is missed or not "
      "judged as long as a peer of the suite was not there. Why a row misses is what the authors "
      "of the suite say; nothing measures it."};
  for (const std::string& text : authors.texts()) section["notes"].push_back(text);
  section["plots"] = Json::array();
  return section;
}

}  // namespace nsop::report
