#include "harness/report/base/goals/goal_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/format.h"
#include "harness/report/base/goals/goal_reasons.h"
#include "harness/report/base/goals/metric_goals.h"
#include "harness/report/base/table.h"

namespace nsop::report {
namespace {

int count_of(const std::vector<GoalRow>& rows, const Goal& goal, GoalResult result) {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const GoalRow& row) {
    return row.goal == &goal && row.result == result && !row.apart;
  }));
}

std::string threads_text(const Goal& goal) {
  if (goal.threads.empty()) return "any";
  std::vector<std::string> parts;
  for (const int threads : goal.threads) parts.push_back(std::to_string(threads));
  return join(parts, ", ");
}

Json counts_table(const Context& context, const std::vector<GoalRow>& rows) {
  const std::vector<Goal>& goals = context.suite().goals;
  const bool sources = std::any_of(goals.begin(), goals.end(),
                                   [](const Goal& goal) { return !goal.source.empty(); });
  Columns columns{{"goal", "Goal", "left", {}},
                  {"on", "On", "left", {}},
                  {"threads", "Threads", "right", {}},
                  {"met", "Met", "right", {}},
                  {"missed", "Missed", "right", {}},
                  {"inconclusive", "Inconclusive", "right", {}},
                  {"not_judged", "Not judged", "right", {}}};
  if (sources) columns.push_back({"source", "Where it comes from", "left", {}});
  Json table = make_table("How many rows meet each goal", columns, {});
  for (const Goal& goal : goals) {
    Json row = table_row(goal.that, "", 1);
    row["cells"] = {code_cell(goal.that), code_cell(join(goal.on, "; ")),
                    text_cell(threads_text(goal))};
    for (const GoalResult result : {GoalResult::kMet, GoalResult::kMissed,
                                    GoalResult::kInconclusive, GoalResult::kNotJudged}) {
      row["cells"].push_back(count_cell(count_of(rows, goal, result)));
    }
    const std::string source = goal.source.empty() ? "-" : one_line(goal.source);
    if (sources) row["cells"].push_back(text_cell(source));
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
                           {"inconclusive", "Inconclusive", "right", {}},
                           {"not_judged", "Not judged", "right", {}},
                           {"unexplained", "Missed without a reason", "right", {}}},
                          {});
  std::map<int, std::array<int, 5>> totals;
  for (const GoalRow& row : rows) {
    if (row.apart) continue;
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

// Missed, not judged, inconclusive, met.
int urgency(const GoalRow& row) {
  constexpr std::array kOrder{GoalResult::kMissed, GoalResult::kNotJudged,
                              GoalResult::kInconclusive, GoalResult::kMet};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), row.result) - kOrder.begin());
}

// How goals on metrics are judged; empty where there are none.
std::string metrics_note(const std::vector<Goal>& goals) {
  const auto any = [&](auto is) { return std::any_of(goals.begin(), goals.end(), is); };
  if (!any([](const Goal& goal) { return goal.kind == Goal::Kind::kMetric; })) return "";
  const std::string counted =
      "What is counted (allocations, bytes) is compared exactly, and not judged where it was not "
      "counted or not steady.";
  const std::string absolute =
      " A time or a rate in absolute numbers is judged on the machine of this run and says nothing "
      "of others.";
  return counted + (any(is_of_one_machine) ? absolute : "");
}

}  // namespace

Json goals_section(const Context& context, const std::vector<GoalRow>& rows, Authors& authors) {
  if (context.suite().goals.empty()) return nullptr;
  std::vector<const GoalRow*> all;
  for (const GoalRow& row : rows) all.push_back(&row);
  std::stable_sort(all.begin(), all.end(),
                   [](const GoalRow* a, const GoalRow* b) { return urgency(*a) < urgency(*b); });
  Json section;
  section["title"] = "Goals";
  section["summary"] = true;
  section["tables"] = {totals_table(context, rows)};
  section["tables"].push_back(counts_table(context, rows));
  section["tables"].push_back(folded_goals_table("Every goal on every row", authors, all, true));
  section["notes"] = {
      "A goal is met on a row when the whole 95 % interval lies on its good side and missed when "
      "all of it lies on the other. In between it is inconclusive; so it is where the goal would "
      "say faster or slower and the row's verdict does not. What would be met is not judged where "
      "a peer that is missing, wrong or failed might have said otherwise. Why a row misses is what "
      "the authors of the suite say; nothing measures it."};
  if (rows_apart(rows) > 0) {
    section["notes"].push_back(
        "Rows of shortcuts stand apart: what they meet counts nowhere, what they miss counts as "
        "missed.");
  }
  const std::string metrics = metrics_note(context.suite().goals);
  if (!metrics.empty()) section["notes"].push_back(metrics);
  section["plots"] = Json::array();
  return section;
}

}  // namespace nsop::report
