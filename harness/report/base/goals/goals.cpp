#include "harness/report/base/goals/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "harness/report/base/goals/metric_goals.h"
#include "harness/stats/means.h"

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

std::string status_with_reason(const Summary& row) {
  const std::string status = who(row) + " is " + status_text(row.status);
  return row.reason.empty() ? status : status + ": " + row.reason;
}

// Ours without a time: not measured decides nothing, a failure misses.
void judge_failure(const Summary* ours, const std::string& name, GoalRow& out) {
  if (ours == nullptr) {
    out.remark = name + " was not measured";
    return;
  }
  const bool cannot = ours->status == Status::kUnsupported;
  out.result = cannot ? GoalResult::kInconclusive : GoalResult::kMissed;
  out.remark = status_with_reason(*ours);
}

std::string why_no_reference(const Summary* reference, const std::string& name) {
  if (reference == nullptr) return name + " was not measured";
  return usable(reference) ? "" : status_with_reason(*reference);
}

bool is_peer(const Context& context, const Selector& selector) {
  const std::vector<std::string>& peers = context.suite().peers;
  return std::find(peers.begin(), peers.end(), selector.variant) != peers.end();
}

const Summary* reference_of(const Context& context, const Goal& goal, const CaseRow& row,
                            const Summary* ours) {
  if (goal.reference.variant == kBestPeer) return context.best_peer(row, ours);
  if (goal.reference.variant == kOneThread) return context.find_on(row, goal.subject, 1);
  const bool peer = is_peer(context, goal.reference);
  return peer ? context.find_peer(row, goal.reference) : context.find(row, goal.reference);
}

std::string reference_name(const Goal& goal) {
  if (goal.reference.variant == kBestPeer) return "no peer with a time";
  const bool alone = goal.reference.variant == kOneThread;
  return alone ? role_text(goal.subject) + " on one thread" : role_text(goal.reference);
}

// Sets value, interval and result.
void decide(const stats::Comparison& compared, GoalRow& out) {
  out.value = compared.ratio;
  if (!(compared.lo > 0) || !std::isfinite(compared.hi)) return;
  out.lo = compared.lo;
  out.hi = compared.hi;
  if (out.hi <= out.goal->bound) out.result = GoalResult::kMet;
  if (out.lo > out.goal->bound) out.result = GoalResult::kMissed;
}

// A goal must not say what the verdict beside it does not: met with a bound of at most 1 says `not
// slower`, missed with one of at least 1 says `slower`.
void agree_with_verdict(const stats::Comparison& compared, GoalRow& out) {
  using stats::Verdict;
  const bool says_slower = out.result == GoalResult::kMissed && out.goal->bound >= 1;
  const bool says_not_slower = out.result == GoalResult::kMet && out.goal->bound <= 1;
  const bool contrary = (says_slower && compared.verdict != Verdict::kWorse) ||
                        (says_not_slower && compared.verdict != Verdict::kBetter &&
                         compared.verdict != Verdict::kSame);
  if (!contrary) return;
  out.result = GoalResult::kInconclusive;
  out.remark = "the difference is below what counts as one";
}

// The peers of the goal that were not there: the one that it names, or any that might be the best.
std::vector<MissingPeer> missing_peers(const Context& context, const Goal& goal, const CaseRow& row,
                                       const Summary* ours) {
  if (goal.reference.variant == kBestPeer) return context.missing_peers(row, ours);
  if (!is_peer(context, goal.reference)) return {};
  auto missing = context.missing_peer(row, goal.reference);
  return missing ? std::vector{std::move(*missing)} : std::vector<MissingPeer>{};
}

void leave_unjudged(const std::vector<MissingPeer>& missing, GoalRow& out) {
  out.result = GoalResult::kNotJudged;
  out.remark = missing_text(missing);
}

void judge_time(const Context& context, const CaseRow& row, GoalRow& out) {
  const Goal& goal = *out.goal;
  const Summary* ours = context.find(row, goal.subject);
  if (!usable(ours)) return judge_failure(ours, role_text(goal.subject), out);
  const Summary* reference = reference_of(context, goal, row, ours);
  const std::vector<MissingPeer> missing = missing_peers(context, goal, row, ours);
  if (!usable(reference) && !missing.empty()) return leave_unjudged(missing, out);
  out.remark = why_no_reference(reference, reference_name(goal));
  if (!out.remark.empty()) {
    out.result = GoalResult::kNotJudged;
    return;
  }
  const bool alone = goal.reference.variant == kOneThread;
  out.against = alone ? "one thread" : peer_text(*reference, row.threads);
  const stats::Comparison compared = context.paired(*reference, *ours);
  out.value = compared.ratio;
  if (compared.pairs < kFewestRounds) {
    out.remark = compared.note;
    return;
  }
  decide(compared, out);
  agree_with_verdict(compared, out);
  if (out.result == GoalResult::kMet && !missing.empty()) leave_unjudged(missing, out);
}

// Of limits that this run measured itself, a new measurement would hardly say otherwise.
std::string doubted_limit(const Context& context, const std::string& by, const Roof& roof) {
  const char* advice =
      context.has_limits_of_another_run() ? ": measure the suite limits again" : "";
  return by + " beats the limit of " + level_text(roof.held.to) + ", which is in doubt" + advice;
}

void judge_bandwidth(const Context& context, const CaseRow& row, GoalRow& out) {
  const Summary* ours = context.find(row, context.suite().after);
  if (!usable(ours)) return judge_failure(ours, role_text(context.suite().after), out);
  const auto roof = context.roof(ours->row);
  if (!roof) {
    out.remark = "the machine's limit was not measured, or is in doubt";
    return;
  }
  if (!roof->held.certain()) {
    out.remark = "what the row moves lies " + roof->held.text();
    return;
  }
  const bool beaten = context.is_beaten(roof->bandwidth) || context.is_beaten(roof->other);
  if (beaten || roof->doubted_by(ours->wall_ns)) {
    const bool itself = roof->doubted_by(ours->wall_ns);
    out.remark = doubted_limit(context, itself ? "the row" : "another row", *roof);
    return;
  }
  out.value = roof->memory_ns / ours->wall_ns;
  out.against = level_text(roof->held.to);
  if (ours->invocations < kFewestRounds || !(ours->wall_lo_ns > 0)) {
    out.remark = "too few invocations for an interval";
    return;
  }
  out.lo = roof->memory_ns / ours->wall_hi_ns;
  out.hi = roof->memory_ns / ours->wall_lo_ns;
  if (out.lo >= out.goal->bound) out.result = GoalResult::kMet;
  if (out.hi < out.goal->bound) out.result = GoalResult::kMissed;
}

void judge_number(const Context& context, const CaseRow& row, GoalRow& out) {
  const Summary* ours = context.find(row, out.goal->subject);
  if (!usable(ours)) return judge_failure(ours, role_text(out.goal->subject), out);
  judge_metric(*ours, out);
}

void judge_row(const Context& context, const CaseRow& row, GoalRow& out) {
  switch (out.goal->kind) {
    case Goal::Kind::kBandwidth:
      return judge_bandwidth(context, row, out);
    case Goal::Kind::kMetric:
      return judge_number(context, row, out);
    default:
      return judge_time(context, row, out);
  }
}

// The rows that a goal speaks of, each once: a case may stand in several sections.
std::vector<const CaseRow*> rows_of(const Context& context, const Goal& goal) {
  std::vector<const CaseRow*> out;
  std::set<std::pair<std::string, int>> seen;
  for (const CaseRow& row : context.rows()) {
    if (!goal_applies(goal, row.text, row.threads)) continue;
    if (seen.emplace(row.text, row.threads).second) out.push_back(&row);
  }
  return out;
}

std::vector<GoalRow> judge_rows(const Context& context, const Goal& goal) {
  std::vector<GoalRow> out;
  for (const CaseRow* row : rows_of(context, goal)) {
    GoalRow& judged = out.emplace_back();
    judged.goal = &goal;
    judged.name = row->full_name();
    judged.case_text = row->text;
    judged.threads = row->threads;
    judge_row(context, *row, judged);
    judged.apart = !row->from->shortcut.empty() && judged.result != GoalResult::kMissed;
  }
  return out;
}

// A wrong or failed row of ours misses; rows without a time on the other side don't count.
GoalRow judge_mean(const Context& context, const Goal& goal,
                   const std::vector<const CaseRow*>& rows) {
  GoalRow out;
  out.goal = &goal;
  out.threads = rows.front()->threads;
  out.name = fmt::format("geometric mean, {} thread{}", out.threads, out.threads == 1 ? "" : "s");
  std::vector<stats::Comparison> matched;
  std::vector<MissingPeer> missing;
  for (const CaseRow* row : rows) {
    const Summary* ours = context.find(*row, goal.subject);
    for (MissingPeer& peer : missing_peers(context, goal, *row, ours)) {
      missing.push_back(std::move(peer));
    }
    const Summary* reference = reference_of(context, goal, *row, ours);
    if (!usable(ours)) {
      judge_failure(ours, row->full_name() + ": " + role_text(goal.subject), out);
      if (out.result == GoalResult::kMissed) return out;
      continue;
    }
    if (!usable(reference)) continue;
    const stats::Comparison compared = context.paired(*reference, *ours);
    if (std::isfinite(compared.ratio) && compared.ratio > 0) matched.push_back(compared);
  }
  const bool best = goal.reference.variant == kBestPeer;
  out.against = best ? "best peer of each row" : reference_name(goal);
  if (matched.empty()) {
    out.remark = "no row has both sides";
  } else {
    decide(stats::geometric_mean(matched), out);
    out.remark = fmt::format("over {} of {} rows", matched.size(), rows.size());
  }
  const bool better = matched.empty() || out.result == GoalResult::kMet;
  if (better && !missing.empty()) leave_unjudged(missing, out);
  return out;
}

std::vector<GoalRow> judge_means(const Context& context, const Goal& goal) {
  std::map<int, std::vector<const CaseRow*>> by_threads;
  for (const CaseRow* row : rows_of(context, goal)) {
    if (row->from->shortcut.empty()) by_threads[row->threads].push_back(row);
  }
  std::vector<GoalRow> out;
  for (const auto& [threads, rows] : by_threads) out.push_back(judge_mean(context, goal, rows));
  return out;
}

}  // namespace

std::string goal_result_text(GoalResult result) {
  constexpr std::array kNames{"met", "missed", "inconclusive", "not judged"};
  return kNames.at(static_cast<size_t>(result));
}

size_t rows_apart(const std::vector<GoalRow>& goals) {
  std::set<std::pair<std::string, int>> rows;
  for (const GoalRow& goal : goals) {
    if (goal.apart) rows.emplace(goal.case_text, goal.threads);
  }
  return rows.size();
}

std::vector<GoalRow> judge_goals(const Context& context) {
  std::vector<GoalRow> out;
  for (const Goal& goal : context.suite().goals) {
    const auto judged =
        goal.kind == Goal::Kind::kMeanTime ? judge_means(context, goal) : judge_rows(context, goal);
    out.insert(out.end(), judged.begin(), judged.end());
  }
  for (GoalRow& row : out) {
    const bool open = row.result == GoalResult::kInconclusive && row.remark.empty();
    if (open) row.remark = "the interval holds the bound";
  }
  return out;
}

}  // namespace nsop::report
