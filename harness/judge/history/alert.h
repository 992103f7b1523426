// Alerts: what a nightly check has confirmed, and what people have said about it. An alert is what
// its events make of it; events are only ever added (harness/store).
#pragma once

#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/sample.h"
#include "harness/store/store.h"

namespace nsop::judge {

enum class AlertState {
  kNoise,     // suspected, measured again, not confirmed: kept, so that it isn't suspected again
  kNoted,     // a confirmed improvement
  kOpen,      // a confirmed regression that nobody has answered yet
  kAccepted,  // it may stay, for a reason and perhaps until a day; then it is open again
  kClosed,    // dealt with
  kInconclusive,  // suspected, measured again, and neither confirmed nor refuted: no regression yet
};
std::string state_text(AlertState state);  // `open`, ...

// Does it wait for somebody, or for the end of what was accepted? Noise, improvements and what is
// closed don't.
bool is_waiting(AlertState state);

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
  int attempts = 0;        // measurements that decided nothing, since it was reopened
  bool confirmed = true;   // false: never decided; reopened, it is inconclusive again
  bool reopened = false;   // by somebody, since it was found: no declaration accepts it any more
  int looks = 0;           // measurements of an open one that did not close it
  std::string looked_run;  // the night of the last of them
};

bool has_row(const Alert& alert, const RowKey& row);

// The id that such a finding has: of host, kind, direction and commits, and of the rows, too, for
// noise and what is inconclusive (two rows' noise are two things, a commit that slows two rows is
// one).
std::string alert_id(const Alert& alert);

// `finding` as an event: `noise`, `noted`, `open`, `declared` or `inconclusive`, or `update` to add
// rows to a known one.
store::AlertEvent finding_event(const Alert& finding, const std::string& action,
                                const std::string& at_utc);

// The time of a further event of an alert: always later than its last one, whatever the clock of
// this machine says, so that the order of time is the order of what happened.
std::string event_time(const Alert& alert, const std::string& now_utc);

// What people do, or `nsop check` for a reason that it names.
struct AlertChange {
  std::string action;  // accept, close, reopen
  std::string owner, reason, expires, by;
};
// Throws Error (usage): no reason, an action that the state doesn't allow (and which it does), a
// text that is no day, or a day in the past.
store::AlertEvent change_event(const Alert& alert, const AlertChange& change,
                               const std::string& at_utc);

// An open alert that was measured again in the night `run` and stays, with the reason.
store::AlertEvent look_event(const Alert& alert, const std::string& run, const std::string& reason,
                             const std::string& at_utc);

// What the events make, oldest first; an acceptance that ended before `now_utc` is open again.
// Events that mean nothing here (see strange_events()) are left out. A finding that is there
// already adds its rows; `open` also reopens what was closed, and what was accepted without one of
// its rows. Throws Error (bad data) for an unreadable body.
std::vector<Alert> alerts_of(const std::vector<store::AlertEvent>& events,
                             const std::string& now_utc);

// One line for each kind of event that alerts_of() leaves out: actions that this version doesn't
// know, and answers to alerts whose finding isn't there.
std::vector<std::string> strange_events(const std::vector<store::AlertEvent>& events);

// The alert whose id begins so. Throws Error (usage) when none or more than one does.
const Alert& find_alert(const std::vector<Alert>& alerts, const std::string& prefix);

Json alert_json(const Alert& alert);

}  // namespace nsop::judge
