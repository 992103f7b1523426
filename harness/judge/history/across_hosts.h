// One change, and the hosts that it holds on: alerts of several hosts together, and what hosts
// without one measured. Numbers of unlike hosts are never compared; only what each host's own
// history says stands side by side.
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
  const Alert* first = nullptr;  // the oldest alert of it; names the commit
  std::vector<OnHost> hosts;     // those with an alert first, oldest first; then the others by id
};

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
// lies between those of the other, because hosts measure unlike nights. Hosts that never measured
// one of its rows are left out. Refers to `alerts`.
std::vector<HostsOfChange> hosts_of_changes(const std::vector<Alert>& alerts,
                                            const HostsPast& past);

// Alerts with the hosts that their changes hold on; no changes where a single host has a past.
struct AcrossHosts {
  std::vector<Alert> alerts;
  std::map<std::string, Host> hosts;  // by id
  std::vector<HostsOfChange> changes;

  AcrossHosts() = default;
  AcrossHosts(AcrossHosts&&) = default;  // a copy's changes would refer to other alerts
};
AcrossHosts across_hosts(const Past& past, std::vector<Alert> alerts, const BuildPlace& place);

}  // namespace nsop::judge
