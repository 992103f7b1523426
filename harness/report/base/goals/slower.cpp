#include "harness/report/base/goals/slower.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/report/base/cells.h"
#include "harness/report/base/head/tally.h"
#include "harness/report/base/peers.h"
#include "harness/report/base/table.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;
using Key = std::pair<std::string, int>;  // case and threads

// Those that the headline counts as slower, the largest gap first. before: the other side.
std::vector<RowView> slower_rows(const Tally& tally) {
  std::vector<const Judged*> slower;
  for (const Judged& one : tally.judged) {
    if (one.compared.verdict == stats::Verdict::kWorse) slower.push_back(&one);
  }
  std::stable_sort(slower.begin(), slower.end(),
                   [](auto* a, auto* b) { return a->compared.ratio > b->compared.ratio; });
  std::vector<RowView> out;
  for (const Judged* one : slower) {
    RowView view;
    view.row = one->row;
    view.before = one->other;
    view.after = one->ours;
    out.push_back(view);
  }
  return out;
}

// What there is to say where no row is slower: of rows that nobody could judge, that too.
std::string none_slower(const Context& context, const Tally& tally) {
  const std::string ours = role_text(context.suite().after);
  if (tally.judged.empty()) {
    return fmt::format("No row of {} was judged against {}: {}.", ours, rival_text(context),
                       why_none_judged(tally));
  }
  std::string open;
  const auto add = [&](int count, const char* one, const char* several) {
    if (count > 0) open += fmt::format("; {} row{}", count, count == 1 ? one : several);
  };
  add(tally.unjudged, " is not judged", "s are not judged");
  add(tally.without, " has no time", "s have no time");
  return fmt::format("By the verdicts, no row of {} is slower than {}{}.", ours,
                     context.has_peers() ? "the best other library" : rival_text(context), open);
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
                  const std::vector<RowView>& views) {
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
  const Tally tally = compared ? tally_of(context) : Tally{};
  const std::vector<RowView> slower = slower_rows(tally);
  std::set<Key> shown;
  for (const RowView& one : slower) shown.emplace(one.row->text, one.row->threads);
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
  if (slower.empty() && compared) section["notes"].push_back(none_slower(context, tally));
  if (!slower.empty()) section["tables"].push_back(slower_table(context, goals, authors, slower));
  if (!short_of.empty()) {
    section["tables"].push_back(
        goal_rows_table("Short of a goal, but not slower by the verdict", authors, short_of));
  }
  for (const std::string& text : authors.take_texts()) section["notes"].push_back(text);
  if (!elsewhere.empty()) {
    section["tables"].push_back(
        folded_goals_table("Goals of other instruction sets and variants", authors, elsewhere));
  }
  return section;
}

}  // namespace nsop::report
