#include "harness/judge/history/across_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <stdexcept>

#include "harness/core/error.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/history/commit_order.h"
#include "harness/stats/history/change_points.h"

namespace nsop::judge {
namespace {

bool share_a_row(const Alert& a, const Alert& b) {
  return std::any_of(a.rows.begin(), a.rows.end(),
                     [&](const AlertRow& row) { return has_row(b, row.row); });
}

// Does the range of commits in which `wide` lies hold the commit?
bool holds(const Alert& wide, const std::string& commit, const HostsPast& past) {
  const auto good = past.place(wide.last_good), bad = past.place(wide.first_bad),
             at = past.place(commit);
  return good && bad && at && *good > *at && *at >= *bad;
}

bool are_of_one_change(const Alert& a, const Alert& b, const HostsPast& past) {
  if (a.direction != b.direction || a.host_id == b.host_id) return false;
  if (a.state == AlertState::kNoise || b.state == AlertState::kNoise) return false;
  if (a.first_bad == b.first_bad) return true;
  return share_a_row(a, b) && (holds(a, b.first_bad, past) || holds(b, a.first_bad, past));
}

// The smaller, the sooner somebody has to look.
int urgency(AlertState state) {
  constexpr std::array kOrder = {AlertState::kOpen,     AlertState::kInconclusive,
                                 AlertState::kAccepted, AlertState::kNoted,
                                 AlertState::kClosed,   AlertState::kNoise};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), state) - kOrder.begin());
}

OnHost without_alert(const Alert& alert, const std::string& host_id, const HostsPast& past) {
  OnHost host{host_id, nullptr, 0, 0};
  const auto changed = past.place(alert.first_bad);
  for (const AlertRow& row : alert.rows) {
    OnHost one{host_id, nullptr, 0, 0};
    for (const Point& point : past.line(row.row, host_id)) {
      const auto at = past.place(point.commit);
      if (!changed || !at || point.ns <= 0) continue;
      ++(*at > *changed ? one.before : one.after);
    }
    if (one.before + one.after > host.before + host.after) host = one;
  }
  return host;
}

}  // namespace

bool is_known(const OnHost& host) {
  constexpr stats::ChangePolicy kPolicy;
  constexpr int kFewest = static_cast<int>(kPolicy.fewest),
                kShortest = static_cast<int>(kPolicy.shortest);
  return host.alert != nullptr || (host.before >= kShortest && host.after >= kShortest &&
                                   host.before + host.after >= kFewest);
}

std::vector<const Alert*> alerts_in(const HostsOfChange& change) {
  std::vector<const Alert*> alerts;
  for (const OnHost& host : change.hosts) {
    if (host.alert != nullptr) alerts.push_back(host.alert);
  }
  return alerts;
}

const Alert& speaker_of(const HostsOfChange& change) {
  const std::vector<const Alert*> alerts = alerts_in(change);
  return **std::min_element(alerts.begin(), alerts.end(), [](const Alert* a, const Alert* b) {
    return urgency(a->state) < urgency(b->state);
  });
}

HostsPast hosts_past(const Past& past, const std::vector<Alert>& alerts, const BuildPlace& place) {
  HostsPast of_hosts;
  std::set<std::string> commits;
  for (const auto& [id, host] : past.hosts()) {
    of_hosts.hosts.push_back(id);
    commits.merge(past.commits(id));
  }
  for (const Alert& alert : alerts) commits.insert({alert.last_good, alert.first_bad});
  of_hosts.line = [&past](const RowKey& row, const std::string& host) {
    return past.line(row, host);
  };
  const auto head = known_commit(place, "HEAD");
  const auto order = head ? std::make_shared<CommitOrder>(place, *head, commits) : nullptr;
  of_hosts.place = [order](const std::string& commit) {
    return order ? order->place(commit) : std::nullopt;
  };
  return of_hosts;
}

std::vector<HostsOfChange> hosts_of_changes(const std::vector<Alert>& alerts,
                                            const HostsPast& past) {
  std::vector<const Alert*> by_age;
  for (const Alert& alert : alerts) by_age.push_back(&alert);
  std::stable_sort(by_age.begin(), by_age.end(),
                   [](const Alert* a, const Alert* b) { return a->opened_utc < b->opened_utc; });
  std::vector<HostsOfChange> changes;
  for (const Alert* alert : by_age) {
    const auto same = std::find_if(changes.begin(), changes.end(), [&](const HostsOfChange& c) {
      return are_of_one_change(*c.first, *alert, past) &&
             std::none_of(c.hosts.begin(), c.hosts.end(),
                          [&](const OnHost& host) { return host.host_id == alert->host_id; });
    });
    HostsOfChange& change = same == changes.end() ? changes.emplace_back() : *same;
    if (change.first == nullptr) change.first = alert;
    change.hosts.push_back({alert->host_id, alert, 0, 0});
  }
  for (HostsOfChange& change : changes) {
    if (!is_waiting(speaker_of(change).state)) continue;
    for (const std::string& host_id : past.hosts) {
      const bool has_alert =
          std::any_of(change.hosts.begin(), change.hosts.end(),
                      [&](const OnHost& host) { return host.host_id == host_id; });
      if (has_alert) continue;
      const OnHost host = without_alert(*change.first, host_id, past);
      if (host.before + host.after > 0) change.hosts.push_back(host);
    }
  }
  return changes;
}

AcrossHosts across_hosts(const Past& past, std::vector<Alert> alerts, const BuildPlace& place) {
  AcrossHosts across;
  across.alerts = std::move(alerts);
  across.hosts = past.hosts();
  std::set<std::string> ids;
  for (const auto& [id, one] : across.hosts) ids.insert(id);
  for (const Alert& alert : across.alerts) ids.insert(alert.host_id);
  // Where there is one host, nobody need ask git for the order of commits.
  const bool one_host = ids.size() < 2;
  across.changes = hosts_of_changes(
      across.alerts, one_host ? HostsPast() : hosts_past(past, across.alerts, place));
  return across;
}

const HostsOfChange& change_of(const AcrossHosts& across, const std::string& alert_id) {
  for (const HostsOfChange& change : across.changes) {
    for (const Alert* alert : alerts_in(change)) {
      if (alert->id == alert_id) return change;
    }
  }
  throw std::out_of_range("no change has alert " + alert_id);
}

std::vector<store::AlertEvent> answers(const AcrossHosts& across, const std::string& alert_id,
                                       const std::string& host, const AlertChange& answer,
                                       const std::string& at_utc) {
  std::vector<const Alert*> asked = alerts_in(change_of(across, alert_id));
  std::erase_if(asked, [&](const Alert* alert) { return !alert->host_id.starts_with(host); });
  if (asked.empty() || (!host.empty() && asked.size() > 1)) {
    throw usage_error(
        fmt::format("--host {}: {} of the hosts that have this change begin so; `nsop alert show "
                    "{}` shows them",
                    host, asked.size(), alert_id));
  }
  std::vector<store::AlertEvent> events;
  std::optional<Error> refused;
  for (const Alert* alert : asked) {
    try {
      events.push_back(change_event(*alert, answer, at_utc));
    } catch (const Error& error) {
      if (!refused || alert->id == alert_id) refused.emplace(error);
    }
  }
  if (events.empty() && refused) throw *refused;
  return events;
}

}  // namespace nsop::judge
