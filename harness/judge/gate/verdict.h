// From what both sessions of a gate measured to the verdicts of its rows. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/judge/gate/session.h"

namespace nsop::judge {

// The link order of a round: all of them in turn, and one step further after each turn, so that no
// order always comes with the same arm first.
int layout_of(int round, int layouts);

// Which arm is measured first in a round.
Arm first_arm(int round);

// ns per operation: by which an invocation is judged, and to be shown; ln of the mean repetition
// over the fastest, NaN where it isn't known; and the process's first operation, 0 where it isn't.
struct InvocationValue {
  double verdict_ns = 0, wall_ns = 0, log_excess = 0;
  int64_t first_ns = 0;
};
// A failed invocation has no value. One that can't be judged, because another thread did part of
// its work, becomes an error.
std::optional<InvocationValue> value_of(Invocation& invocation);

// Adds a round to a session's row: its log ratio, or the failure of an arm. False after a failure.
bool add_round(SessionRow& row, int round, int layouts, Invocation& base, Invocation& head);

// What the rows of a session, but the controls, say together of how noisy one is, at each look.
std::vector<stats::VariancePrior> priors_of(const std::vector<GateRow>& rows,
                                            const std::vector<const SessionRow*>& measured,
                                            const stats::GatePolicy& policy);

// What a session's rounds say of a row: sessions count from 1, and the second spends more alpha on
// what it is asked to confirm, but not on controls. `priors`: of the session; controls have none.
stats::GateDecision decide_row(const GateRow& row, const SessionRow& measured, int session,
                               const stats::GatePolicy& policy,
                               const std::vector<stats::VariancePrior>& priors);

// Compares what a row's operations allocate, where both arms were counted and gave the same numbers
// twice. A row that is only counted, because its code is identical, fails here if it fails at all.
void take_counts(GateRowResult& row, const Invocation& base, const Invocation& head);

// Takes the one invocation of a row that only the head has: a failure is the head's.
void take_new_count(GateRowResult& row, const Invocation& head);

// Are the row's allocations counted and compared? Both builds have it.
bool is_counted(const GateRow& row);

// Does the head allocate more, by number or by bytes?
bool allocates_more(const GateRowResult& row);

// Worse or better: what a second session must confirm.
bool is_flagged(stats::Verdict verdict);

// Which control moved or failed in a session, so that the gate is void; empty: none.
std::string moved_control(const GateResult& result);

// Sets the verdict and the note of every row from its sessions, counts and `void_reason`.
void judge_rows(GateResult& result, const GateOptions& options);

// What the rows say together, in the order of precedence.
enum class GateOutcome {
  kWorse,         // a row is worse, and nobody declared that
  kVoid,          // a control moved or failed: no time was judged
  kUnjudged,      // the base failed on a row: nothing is known of it
  kInconclusive,  // more than half of the timed rows are inconclusive; controls don't count
  kPassed,
};
GateOutcome outcome_of(const GateResult& result);

// 1 for kWorse, 0 for kPassed; 3 for every other outcome, because the gate has judged nothing.
ExitCode exit_of(GateOutcome outcome);

// Did noise keep the gate from judging? Neither a verdict nor a base that fails is noise.
bool is_too_noisy(GateOutcome outcome);

}  // namespace nsop::judge
