// One change, and the hosts that it holds on: alerts of several hosts together, and what hosts
// without one measured. It is told, answered and closed as one alert. Numbers of unlike hosts are
// never compared; only what each host's own history says stands side by side.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/builds/revisions.h"
#include "harness/judge/history/alert.h"
#include "harness/judge/history/nights.h"
#include "harness/judge/history/past.h"

namespace nsop::judge {

// What a host says of a change.
struct OnHost {
  std::string host_id;
  const Alert* alert = nullptr;  // nullptr: it has none of this change
  // Without an alert: runs of the row that it measured most, with a time, of commits before the
  // change, and of its commit and later ones.
  int before = 0, after = 0;
};
// Has it the alert, or enough runs on both sides for the change to be found (stats::ChangePolicy)?
bool is_known(const OnHost& host);

struct HostsOfChange {
  const Alert* first = nullptr;  // the oldest alert of it; its id is that of the change
  std::vector<OnHost> hosts;     // those with an alert first, oldest first; then the others by id
};

// Those of its hosts, the oldest first.
std::vector<const Alert*> alerts_in(const HostsOfChange& change);

// The alert that speaks for all: an open one before what is inconclusive, accepted, an improvement,
// closed and noise; of several the oldest.
const Alert& speaker_of(const HostsOfChange& change);

// Where the past of hosts comes from.
struct HostsPast {
  std::vector<std::string> hosts;  // ids
  std::function<Line(const RowKey& row, const std::string& host_id)> line;
  // How many commits of the followed line come after it (CommitOrder::place()).
  std::function<std::optional<size_t>(const std::string& commit)> place;
};

// Of the nights that `past` has, which must outlive it; without git no commit has a place.
HostsPast hosts_past(const Past& past, const std::vector<Alert>& alerts, const BuildPlace& place);

// Alerts of one change: the same direction and first bad commit; or a row in common, and the commit
// lies between those of the other, because hosts measure unlike nights. What was noise is no change
// that others could have, and stands alone. Hosts without an alert are named where the change waits
// for somebody and they measured one of its rows. Refers to `alerts`; each of them is in one
// change.
std::vector<HostsOfChange> hosts_of_changes(const std::vector<Alert>& alerts,
                                            const HostsPast& past);

// Alerts with the hosts that their changes hold on.
struct AcrossHosts {
  std::vector<Alert> alerts;
  std::map<std::string, Host> hosts;   // by id
  std::vector<HostsOfChange> changes;  // the oldest first; each alert is in one of them

  AcrossHosts() = default;
  AcrossHosts(AcrossHosts&&) = default;  // a copy's changes would refer to other alerts
};
AcrossHosts across_hosts(const Past& past, std::vector<Alert> alerts, const BuildPlace& place);

// The one that the alert of this id is in. Throws std::out_of_range where there is none.
const HostsOfChange& change_of(const AcrossHosts& across, const std::string& alert_id);

// The events that answer an alert and those of its change on other hosts, where the answer is
// allowed; on the host whose id begins with `host` alone if that isn't empty. Throws Error (usage)
// where it is allowed for none, as change_event() does, and where none of the change's hosts, or
// more than one, begins so.
std::vector<store::AlertEvent> answers(const AcrossHosts& across, const std::string& alert_id,
                                       const std::string& host, const AlertChange& answer,
                                       const std::string& at_utc);

}  // namespace nsop::judge
