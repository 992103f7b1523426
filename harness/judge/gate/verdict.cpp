#include "harness/judge/gate/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "harness/stats/gate/moderation.h"
#include "harness/stats/summary.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

bool has_failed(const GateRowResult& row) {
  return !row.first.reason.empty() || (row.second && !row.second->reason.empty());
}

void note_status(SessionRow& row, Arm arm, const Invocation& invocation) {
  (arm == Arm::kBase ? row.base : row.head) = invocation.status;
  if (invocation.status == Status::kOk) return;
  if (!row.reason.empty()) row.reason += "; ";  // both failed
  row.reason += fmt::format("{}: {}: {}", arm == Arm::kBase ? "base" : "head",
                            status_text(invocation.status), invocation.reason);
}

const SessionRow& failed_session(const GateRowResult& row) {
  return row.first.reason.empty() ? *row.second : row.first;
}

bool went_wrong(Status status) { return status != Status::kOk && status != Status::kUnsupported; }

// A control is the base's build in both arms: whichever failed says nothing about the head.
bool is_failed_control(const GateRowResult& row) {
  if (!row.row.canary || !has_failed(row)) return false;
  const SessionRow& failed = failed_session(row);
  return went_wrong(failed.base) || went_wrong(failed.head);
}

// A row that an arm could not measure. A base that failed leaves nothing to compare with: that is
// no finding about the head, neither good nor bad.
void judge_failure(GateRowResult& result) {
  const SessionRow& failed = failed_session(result);
  const bool head_is_right = failed.head == Status::kOk || failed.head == Status::kUnsupported;
  result.note = failed.reason;
  if (is_failed_control(result)) {
    result.verdict = Verdict::kIncomparable;
    return;
  }
  switch (failed.base) {
    case Status::kOk:
      result.verdict = Verdict::kWorse;  // the head lost it
      return;
    case Status::kUnsupported:
      result.verdict = failed.head == Status::kOk ? Verdict::kNew
                       : head_is_right            ? Verdict::kSame
                                                  : Verdict::kWorse;
      return;
    default:
      result.verdict = Verdict::kIncomparable;
  }
}

// NaN where one isn't known.
double log_of_known(int64_t after, int64_t before) {
  if (after <= 0 || before <= 0) return std::numeric_limits<double>::quiet_NaN();
  return std::log(static_cast<double>(after) / static_cast<double>(before));
}

std::string change_of(const stats::GateDecision& d) {
  return fmt::format("{} ({:+.1f} %)", stats::verdict_text(d.verdict),
                     100 * (d.change().ratio - 1));
}

// What a row would take whose sessions don't agree.
std::string what_would_tell(const stats::GateDecision& second) {
  return second.verdict == Verdict::kInconclusive ? ", " + second.note
                                                  : "; a gate of this case alone asks it again";
}

void judge_time(GateRowResult& result) {
  const stats::GateDecision& first = result.first.decision;
  result.verdict = first.verdict;
  result.note = first.note;
  if (!result.second || !is_flagged(first.verdict)) return;  // a control runs in both
  const stats::GateDecision& second = result.second->decision;
  if (second.verdict == first.verdict) {
    result.note = fmt::format("second session: {:+.1f} %", 100 * (second.change().ratio - 1));
    if (first.by != stats::Statistic::kFastest) result.note = first.note + "; " + result.note;
    return;
  }
  result.verdict = Verdict::kInconclusive;
  result.note = fmt::format("first session: {}, not confirmed by the second: {}{}",
                            change_of(first), change_of(second), what_would_tell(second));
}

bool was_timed(const GateRowResult& row) {
  return row.row.kind == RowKind::kBoth && !has_failed(row);
}

// Where nothing changed, the larger of two independent p-values is below x with a probability of at
// most x^2: its square is a p-value of both sessions. Of others the larger one is.
double p_value_of(const GateRowResult& row, const stats::GatePolicy& policy) {
  const double first = stats::gate_p_value(row.first.rounds, policy);
  if (!row.second) return first;
  const double larger = std::max(first, stats::gate_p_value(row.second->rounds, policy));
  return stats::sessions_multiply(policy) ? larger * larger : larger;
}

// Confirmed rows must also stand among all rows that were looked at.
void control_discoveries(std::vector<GateRowResult>& rows, const GateOptions& options) {
  std::vector<GateRowResult*> timed;
  std::vector<double> p_values;
  for (GateRowResult& row : rows) {
    if (!was_timed(row)) continue;
    timed.push_back(&row);
    p_values.push_back(p_value_of(row, options.policy));
  }
  const std::vector<bool> found = stats::discoveries(p_values, options.false_discovery_rate);
  for (size_t i = 0; i < timed.size(); ++i) {
    if (!is_flagged(timed[i]->verdict) || found[i]) continue;
    timed[i]->note =
        fmt::format("{}, but no discovery among {} rows; a gate of this case alone asks only it",
                    change_of(timed[i]->first.decision), timed.size());
    timed[i]->verdict = Verdict::kInconclusive;
  }
}

void judge_exact(GateRowResult& result) {
  for (const auto* exact : {&result.allocs, &result.bytes}) {
    if (!*exact) continue;
    if ((*exact)->verdict == Verdict::kWorse) {
      result.verdict = Verdict::kWorse;
      result.note = "more memory is allocated per operation";
      return;
    }
    if ((*exact)->verdict == Verdict::kBetter && result.verdict == Verdict::kSame) {
      result.verdict = Verdict::kBetter;
      result.note = "less memory is allocated per operation";
    }
  }
}

// A row that was not timed, because only one build has it or both run the same machine code.
void judge_untimed(GateRowResult& result) {
  const GateRow& row = result.row;
  result.note = row.untimed;
  switch (row.kind) {
    case RowKind::kLost:
      result.verdict = Verdict::kWorse;
      return;
    case RowKind::kNew:
      result.verdict = Verdict::kNew;
      return;
    default:
      result.verdict = Verdict::kSame;
  }
}

void judge_row(GateRowResult& row, const std::string& void_reason) {
  if (has_failed(row)) return judge_failure(row);
  if (row.row.kind != RowKind::kBoth) return judge_untimed(row);
  if (void_reason.empty()) return judge_time(row);
  row.verdict = Verdict::kInconclusive;
  row.note = "the session is void: measure again";
}

// A row that runs, and is worse by no more than what is declared.
void judge_declared(GateRowResult& row) {
  if (row.verdict != Verdict::kWorse || row.row.declared.empty()) return;
  if (row.row.kind != RowKind::kBoth || has_failed(row)) return;
  const double percent = 100 * (row.first.decision.change().ratio - 1);
  // A size is one of time, and says nothing of memory.
  const bool too_much = percent > row.row.declared_percent || allocates_more(row);
  if (row.row.declared_percent > 0 && too_much) {
    row.note += fmt::format("; {}, but of at most {:g} % of time", row.row.declared,
                            row.row.declared_percent);
    return;
  }
  row.is_declared = true;
  row.note = row.row.declared;
}

}  // namespace

int layout_of(int round, int layouts) { return (round + round / layouts) % layouts; }

Arm first_arm(int round) { return round % 2 == 0 ? Arm::kBase : Arm::kHead; }

std::optional<InvocationValue> value_of(Invocation& invocation) {
  if (invocation.status != Status::kOk) return std::nullopt;
  const stats::RowSummary summary = stats::summarize({invocation}).front();
  if (summary.status == Status::kOk) {
    return InvocationValue{summary.verdict_values.front(), summary.wall_ns,
                           summary.excess_values.front(), invocation.first_ns};
  }
  invocation.status = summary.status;
  invocation.reason = summary.reason;
  return std::nullopt;
}

bool add_round(SessionRow& row, int round, int layouts, Invocation& base, Invocation& head) {
  const std::optional<InvocationValue> before = value_of(base), after = value_of(head);
  note_status(row, Arm::kBase, base);
  note_status(row, Arm::kHead, head);
  if (!before || !after) return false;
  // With one link order there is nothing to average over: rounds stand for themselves.
  const int cluster = layouts > 1 ? layout_of(round, layouts) : round;
  row.rounds.push_back({std::log(after->verdict_ns / before->verdict_ns), cluster,
                        after->log_excess - before->log_excess,
                        log_of_known(after->first_ns, before->first_ns),
                        log_of_known(before->first_ns, 1)});
  row.base_wall_ns.push_back(before->wall_ns);
  row.head_wall_ns.push_back(after->wall_ns);
  return true;
}

void set_fresh_layouts(GateOptions& options, bool fresh) {
  options.fresh_layouts = fresh;
  if (!fresh) options.policy.confirming = 1;
}

void set_fixed_rounds(GateOptions& options, int rounds) {
  options.policy.looks = {{rounds, 0.01}};
  options.policy.further.clear();
  options.second_session = false;
}

std::vector<stats::VariancePrior> priors_of(const std::vector<GateRow>& rows,
                                            const std::vector<const SessionRow*>& measured,
                                            const stats::GatePolicy& policy) {
  std::vector<std::span<const stats::PairedRound>> rounds;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].canary) rounds.emplace_back(measured[i]->rounds);
  }
  return stats::priors_of(rounds, policy);
}

stats::GateDecision decide_row(const GateRow& row, const SessionRow& measured, int session,
                               const stats::GatePolicy& policy,
                               const std::vector<stats::VariancePrior>& priors) {
  if (row.canary) return stats::decide_gate(measured.rounds, policy);
  return stats::decide_gate(measured.rounds, session == 2 ? stats::confirming(policy) : policy,
                            priors);
}

bool is_counted(const GateRow& row) {
  return row.kind == RowKind::kBoth || row.kind == RowKind::kIdentical;
}

void take_counts(GateRowResult& row, const Invocation& base, const Invocation& head) {
  row.base_allocs = base.allocs;
  row.head_allocs = head.allocs;
  row.base_instructions = base.instructions;
  row.head_instructions = head.instructions;
  const bool timed_too = row.row.kind == RowKind::kBoth;
  const bool could_count =
      base.status != Status::kUnsupported && head.status != Status::kUnsupported;
  if (!timed_too && could_count) {
    note_status(row.first, Arm::kBase, base);
    note_status(row.first, Arm::kHead, head);
  }
  if (!row.base_allocs || !row.head_allocs) return;
  if (!row.base_allocs->steady || !row.head_allocs->steady) return;
  row.allocs = stats::compare_exact(row.base_allocs->allocs_per_op, row.head_allocs->allocs_per_op);
  row.bytes = stats::compare_exact(row.base_allocs->bytes_per_op, row.head_allocs->bytes_per_op);
}

void take_new_count(GateRowResult& row, const Invocation& head) {
  row.head_allocs = head.allocs;
  row.head_instructions = head.instructions;
  if (head.status == Status::kUnsupported) return;  // can't be counted: says nothing of the row
  row.first.base = Status::kUnsupported;
  note_status(row.first, Arm::kHead, head);
}

bool allocates_more(const GateRowResult& row) {
  return (row.allocs && row.allocs->verdict == Verdict::kWorse) ||
         (row.bytes && row.bytes->verdict == Verdict::kWorse);
}

bool is_flagged(Verdict verdict) {
  return verdict == Verdict::kWorse || verdict == Verdict::kBetter;
}

std::string moved_control(const GateResult& result) {
  for (const GateRowResult& row : result.rows) {
    if (!row.row.canary) continue;
    const std::string name = row.row.key.text();
    if (is_failed_control(row)) {
      return fmt::format("the control row {} failed: {}", name, failed_session(row).reason);
    }
    if (is_flagged(row.first.decision.verdict)) {
      return fmt::format("the control row {} moved: {}", name, change_of(row.first.decision));
    }
    if (row.second && is_flagged(row.second->decision.verdict)) {
      return fmt::format("the control row {} moved in the second session: {}", name,
                         change_of(row.second->decision));
    }
  }
  return {};
}

void judge_rows(GateResult& result, const GateOptions& options) {
  for (GateRowResult& row : result.rows) judge_row(row, result.void_reason);
  control_discoveries(result.rows, options);
  for (GateRowResult& row : result.rows) judge_exact(row);
  for (GateRowResult& row : result.rows) judge_declared(row);
}

GateOutcome outcome_of(const GateResult& result) {
  size_t inconclusive = 0, timed = 0, unjudged = 0;
  for (const GateRowResult& r : result.rows) {
    if (r.verdict == Verdict::kWorse && !r.row.canary && !r.is_declared) {
      return GateOutcome::kWorse;
    }
    if (was_timed(r) && !r.row.canary) {
      ++timed;
      inconclusive += r.verdict == Verdict::kInconclusive ? 1 : 0;
    }
    unjudged += r.verdict == Verdict::kIncomparable ? 1 : 0;
  }
  if (!result.void_reason.empty()) return GateOutcome::kVoid;
  if (unjudged > 0) return GateOutcome::kUnjudged;
  return 2 * inconclusive > timed ? GateOutcome::kInconclusive : GateOutcome::kPassed;
}

ExitCode exit_of(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kWorse:
      return ExitCode::kFailed;
    case GateOutcome::kVoid:
    case GateOutcome::kUnjudged:
    case GateOutcome::kInconclusive:
      return ExitCode::kInconclusive;
    case GateOutcome::kPassed:
      break;
  }
  return ExitCode::kOk;
}

bool is_too_noisy(GateOutcome outcome) {
  return outcome == GateOutcome::kVoid || outcome == GateOutcome::kInconclusive;
}

}  // namespace nsop::judge
