#include "harness/report/base/goals/slower.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/text.h"
#include "harness/report/base/cells.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/table.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;
using Key = std::pair<std::string, int>;  // case and threads

struct Slower {
  RowView view;  // before: the other side
  double ratio = 1;
};

// Those that the headline counts as slower, the largest gap first.
std::vector<Slower> slower_rows(const Context& context) {
  std::vector<Slower> out;
  std::set<Key> seen;
  for (const CaseRow& row : context.rows()) {
    const bool counted = row.from->shortcut.empty() && seen.emplace(row.text, row.threads).second;
    if (!counted) continue;
    Slower one;
    one.view.row = &row;
    one.view.after = context.find(row, context.suite().after);
    one.view.before = context.rival(row);
    if (!usable(one.view.before) || !usable(one.view.after)) continue;
    const stats::Comparison compared = context.paired(*one.view.before, *one.view.after);
    if (compared.verdict != stats::Verdict::kWorse) continue;
    one.ratio = compared.ratio;
    out.push_back(one);
  }
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.ratio > b.ratio; });
  return out;
}

// Does the goal speak of what the report is about, as it is dispatched: the suite's `after`, or one
// that stands beside it in a column (the kernel of a layer)?
bool is_of_ours(const Context& context, const GoalRow& goal) {
  if (goal.goal->kind == Goal::Kind::kBandwidth) return true;
  const Selector& subject = goal.goal->subject;
  const std::vector<Selector>& beside = context.suite().beside;
  return subject == context.suite().after ||
         (subject.target == context.suite().after.target &&
          std::find(beside.begin(), beside.end(), subject) != beside.end());
}

std::vector<const GoalRow*> missed_on(const std::vector<GoalRow>& goals, const Context& context,
                                      const Key& key) {
  std::vector<const GoalRow*> out;
  for (const GoalRow& goal : goals) {
    const bool here = goal.case_text == key.first && goal.threads == key.second;
    if (here && goal.result == GoalResult::kMissed && is_of_ours(context, goal)) {
      out.push_back(&goal);
    }
  }
  return out;
}

Json slower_table(const Context& context, const std::vector<GoalRow>& goals, Authors& authors,
                  const std::vector<Slower>& rows) {
  std::vector<RowView> views;
  for (const Slower& one : rows) views.push_back(one.view);
  const Columns columns{
      {"row", "Row", "left", [](const RowView& v) { return text_cell(v.row->full_name()); }},
      {"ours", "Ours", "right", [](const RowView& v) { return time_cell(v.after); }},
      {"other", "Other", "left",
       [&context](const RowView& v) {
         return text_cell(context.has_peers() ? peer_text(*v.before, v.row->threads)
                                              : role_text(context.suite().before));
       }},
      {"other_time", "Its time", "right", [](const RowView& v) { return time_cell(v.before); }},
      {"gap", "Ours against it", "right",
       [&context](const RowView& v) { return context.speedup_cell(v.before, v.after); }},
      {"standing", "Of the machine's limit", "right",
       [&context](const RowView& v) { return standing_cell(context, v); }},
      {"why", "Why, by the authors", "left",
       [&](const RowView& v) {
         return authors.sentences_cell(missed_on(goals, context, {v.row->text, v.row->threads}),
                                       v.row->text, v.row->threads);
       }},
  };
  return make_table(context.has_peers() ? "Slower than another library"
                                        : "Slower than " + role_text(context.suite().before),
                    columns, views);
}

}  // namespace

Json slower_section(const Context& context, const std::vector<GoalRow>& goals, Authors& authors) {
  const bool compared = context.has_peers() || !context.suite().before.variant.empty();
  if (!compared && goals.empty()) return nullptr;
  const std::vector<Slower> slower = compared ? slower_rows(context) : std::vector<Slower>{};
  std::set<Key> shown;
  for (const Slower& one : slower) shown.emplace(one.view.row->text, one.view.row->threads);
  std::vector<const GoalRow*> short_of, elsewhere;
  for (const GoalRow& goal : goals) {
    if (goal.result != GoalResult::kMissed || shown.contains({goal.case_text, goal.threads})) {
      continue;
    }
    (is_of_ours(context, goal) ? short_of : elsewhere).push_back(&goal);
  }
  // What other instruction sets miss on a row that is shown above.
  for (const GoalRow& goal : goals) {
    const bool above = shown.contains({goal.case_text, goal.threads});
    if (goal.result == GoalResult::kMissed && above && !is_of_ours(context, goal)) {
      elsewhere.push_back(&goal);
    }
  }
  Json section;
  section["title"] = "What is slower, and why";
  section["summary"] = true;
  section["notes"] = Json::array();
  section["plots"] = Json::array();
  section["tables"] = Json::array();
  if (slower.empty() && compared) {
    section["notes"].push_back(
        "By the verdicts, no row of " + role_text(context.suite().after) + " is slower than " +
        (context.has_peers() ? "the best other library" : role_text(context.suite().before)) + ".");
  }
  if (!slower.empty()) section["tables"].push_back(slower_table(context, goals, authors, slower));
  if (!short_of.empty()) {
    section["tables"].push_back(
        goal_rows_table("Not slower, but short of a goal", authors, short_of));
  }
  for (const std::string& text : authors.take_texts()) section["notes"].push_back(text);
  if (!elsewhere.empty()) {
    section["tables"].push_back(
        folded_goals_table("Goals of other instruction sets and variants", authors, elsewhere));
  }
  return section;
}

}  // namespace nsop::report
