// What the newest night of a history makes suspicious: nothing here is an alert yet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/history/alert.h"
#include "harness/judge/history/nights.h"
#include "harness/stats/history/change_points.h"
#include "harness/stats/history/creep.h"

namespace nsop::judge {

enum class SuspectKind {
  kStep,     // a change point of the history
  kTrip,     // the newest night alone stands out
  kHidden,   // a change point of what the fastest repetition can't see: slower, the fastest is not
  kCreep,    // slower than the release, or than the best level of 90 days
  kCount,    // more allocations or bytes per operation than in an earlier night of the segment
  kFailure,  // worked in an earlier night, failed in the newest
};
// As in alerts: a trip and what is hidden are a `step`, one measurement answers all three.
std::string kind_text(SuspectKind kind);

struct Suspect {
  RowKey row;
  SuspectKind kind = SuspectKind::kStep;
  bool worse = true;
  // Points of the line: the change is after `good`, at or before `bad`. Wider than what the
  // detector says, which may be off by a night or two.
  size_t good = 0, bad = 0;
  double ratio = 1;  // new / old as the history shows it
  std::string why;   // for people
};

struct SuspectPolicy {
  stats::ChangePolicy change;
  stats::ChangePolicy excess = stats::kExcessChanges, first = stats::kFirstChanges;
  stats::CreepPolicy creep;
  size_t window = 150;       // newest points that are looked at for steps
  int creep_days = 90;       // the best level of so many days
  std::string baseline_run;  // a release to compare with; empty: none
};

// The suspects of one row whose newest point is the newest night. At most one of each kind, steps
// and hidden ones one per change point; hidden ones only where no step or trip explains them, and
// only worse: what a fix takes away closes its alert. Nothing for a host or toolchain that is too
// new to have a history. A step as large as one that an alert confirmed is told as soon as a new
// one is, though its level was there before: the change is repaired, or comes again.
std::vector<Suspect> suspects_of(const RowKey& row, const Line& line, const SuspectPolicy& policy,
                                 const std::vector<Alert>& alerts = {});

// Has this suspect been dealt with? An alert of that row and direction, in whatever state but
// inconclusive, whose nights hold the change; for creep one of the same kind that isn't closed, or
// any change of the row since then that was confirmed and not closed.
bool is_dealt_with(const Suspect& suspect, const Line& line, const std::vector<Alert>& alerts);

// The inconclusive alert that earlier measurements of this suspect left; nullptr: there is none.
const Alert* inconclusive_of(const Suspect& suspect, const Line& line,
                             const std::vector<Alert>& alerts);

// The place of a run's point; the line's size when it has none.
size_t place_of(const Line& line, const std::string& run_id);

// The suspects of suspects_of() that have not been dealt with, and no creep while a step of the
// row waits to be measured again: it may explain it.
std::vector<Suspect> open_suspects(const RowKey& row, const Line& line, const SuspectPolicy& policy,
                                   const std::vector<Alert>& alerts);

}  // namespace nsop::judge
