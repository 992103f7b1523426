// Alerts: what a nightly check has confirmed, and what people have said about it. An alert is what
// its events make of it; events are only ever added (harness/store).
#pragma once

#include <string>
#include <vector>

#include "harness/core/json.h"
#include "harness/core/sample.h"
#include "harness/store/store.h"

namespace nsop::judge {

enum class AlertState {
  kNoise,     // suspected, measured again, not confirmed: kept, so that it isn't suspected again
  kNoted,     // a confirmed improvement
  kOpen,      // a confirmed regression that nobody has answered yet
  kAccepted,  // it may stay, for a reason and perhaps until a day; then it is open again
  kClosed,    // dealt with
};
std::string state_text(AlertState state);  // `open`, ...

struct AlertRow {
  RowKey row;
  double ratio = 1, lo = 1, hi = 1;  // new / old, as the paired measurement found it
  std::string note;                  // of what has no ratio: a crash, more allocations
};

struct Alert {
  std::string id;  // 12 hexadecimal digits, the same for the same finding
  std::string host_id;
  std::string kind;                     // step, creep, count, failure
  std::string direction;                // worse, better
  std::string last_good, first_bad;     // commits; for creep: what is compared
  std::vector<std::string> candidates;  // commits between them that could not be judged
  std::string subject;                  // of first_bad
  std::vector<AlertRow> rows;
  std::string good_run, bad_run;  // the nights that were suspected
  AlertState state = AlertState::kOpen;
  std::string owner, reason;
  std::string expires;  // `2026-12-31`, of an acceptance; empty: never
  std::string opened_utc, changed_utc;
};

// The id that such a finding has: of host, kind, direction and commits, and of the rows, too, for
// noise (two rows' noise are two things, a commit that slows two rows is one).
std::string alert_id(const Alert& alert);

// `finding` as an event: `noise`, `noted` or `open` for one not seen before, `update` to add rows.
store::AlertEvent finding_event(const Alert& finding, const std::string& action,
                                const std::string& at_utc);

// What people do.
struct AlertChange {
  std::string action;  // accept, close, reopen
  std::string owner, reason, expires, by;
};
// Throws Error (usage): no reason, an action that the state doesn't allow (and which it does), a
// day that is none or in the past.
store::AlertEvent change_event(const Alert& alert, const AlertChange& change,
                               const std::string& at_utc);

// What the events make, oldest first; an acceptance that ended before `now_utc` is open again.
// Unknown actions (of a newer nsop) change nothing. Throws Error (bad data) for an unreadable body.
std::vector<Alert> alerts_of(const std::vector<store::AlertEvent>& events,
                             const std::string& now_utc);

// The alert whose id begins so. Throws Error (usage) when none or more than one does.
const Alert& find_alert(const std::vector<Alert>& alerts, const std::string& prefix);

Json alert_json(const Alert& alert);

}  // namespace nsop::judge
