#include "harness/report/goals.h"

#include <array>
#include <cmath>
#include <set>

namespace nsop::report {
namespace {

using Summary = stats::RowSummary;

constexpr int kFewestRounds = 6;  // below, an interval says little

std::string status_with_reason(const Summary& row) {
  const std::string status = who(row) + " is " + status_text(row.status);
  return row.reason.empty() ? status : status + ": " + row.reason;
}

// Ours without a time: not measured decides nothing, a failure misses.
void judge_failure(const Summary* ours, const std::string& name, GoalRow& out) {
  if (ours == nullptr) {
    out.reason = name + " was not measured";
    return;
  }
  const bool cannot = ours->status == Status::kUnsupported;
  out.result = cannot ? GoalResult::kUndecided : GoalResult::kMissed;
  out.reason = status_with_reason(*ours);
}

std::string why_no_reference(const Summary* reference, const std::string& name) {
  if (reference == nullptr) return name + " was not measured";
  return usable(reference) ? "" : status_with_reason(*reference);
}

void judge_time(const Context& context, GoalRow& out) {
  const Goal& goal = *out.goal;
  const Summary* ours = context.find(*out.row, goal.subject);
  if (!usable(ours)) return judge_failure(ours, role_text(goal.subject), out);
  const bool best = goal.reference.variant == kBestPeer;
  const Summary* reference =
      best ? context.best_peer(*out.row) : context.find(*out.row, goal.reference);
  out.reason =
      why_no_reference(reference, best ? "no peer with a time" : role_text(goal.reference));
  if (!out.reason.empty()) return;
  out.against = reference->row.variant;
  const stats::Comparison compared = context.paired(*reference, *ours);
  out.value = compared.ratio;
  if (compared.pairs < kFewestRounds) {
    out.reason = compared.note;
    return;
  }
  out.lo = compared.lo;
  out.hi = compared.hi;
  if (out.hi <= goal.bound) out.result = GoalResult::kMet;
  if (out.lo > goal.bound) out.result = GoalResult::kMissed;
}

void judge_bandwidth(const Context& context, GoalRow& out) {
  const Summary* ours = context.find(*out.row, context.suite().after);
  if (!usable(ours)) return judge_failure(ours, role_text(context.suite().after), out);
  const auto roof = context.roof(ours->row);
  if (!roof) {
    out.reason = "the machine's limits were not measured";
    return;
  }
  out.value = roof->memory_ns / ours->wall_ns;
  out.against = level_text(roof->level);
  if (ours->invocations < kFewestRounds || !(ours->wall_lo_ns > 0)) {
    out.reason = "too few invocations for an interval";
    return;
  }
  out.lo = roof->memory_ns / ours->wall_hi_ns;
  out.hi = roof->memory_ns / ours->wall_lo_ns;
  if (out.lo >= out.goal->bound) out.result = GoalResult::kMet;
  if (out.hi < out.goal->bound) out.result = GoalResult::kMissed;
}

}  // namespace

std::string goal_result_text(GoalResult result) {
  constexpr std::array kNames{"met", "missed", "undecided"};
  return kNames.at(static_cast<size_t>(result));
}

std::vector<GoalRow> judge_goals(const Context& context) {
  std::vector<GoalRow> out;
  for (const Goal& goal : context.suite().goals) {
    std::set<std::pair<std::string, int>> seen;  // a case may stand in several sections
    for (const CaseRow& row : context.rows()) {
      if (!goal_applies(goal, row.text, row.threads)) continue;
      if (!seen.emplace(row.text, row.threads).second) continue;
      GoalRow judged;
      judged.goal = &goal;
      judged.row = &row;
      goal.kind == Goal::Kind::kTime ? judge_time(context, judged)
                                     : judge_bandwidth(context, judged);
      const bool open = judged.result == GoalResult::kUndecided && judged.reason.empty();
      if (open) judged.reason = "the interval holds the bound";
      out.push_back(judged);
    }
  }
  return out;
}

}  // namespace nsop::report
