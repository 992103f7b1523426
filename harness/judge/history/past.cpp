#include "harness/judge/history/past.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/text.h"

namespace nsop::judge {

Past::Past(const std::string& db, const std::string& folder) : db_(db), folder_(folder) {
  if (folder_.empty() || store::database_exists(db_)) {
    store_.emplace(store::open_existing(db_));  // says how to fill a missing one
  }
}

const std::vector<Night>& Past::heads() const {
  if (heads_) return *heads_;
  return heads_.emplace(folder_.empty() ? std::vector<Night>() : read_heads(folder_));
}

const std::map<std::string, Past::Lines>& Past::lines() const {
  if (lines_) return *lines_;
  std::map<std::string, Lines> lines;
  if (!folder_.empty()) {
    for_each_night(folder_, [&](const Night& night) { add_night(lines[night.host.id], night); });
  }
  return lines_.emplace(std::move(lines));
}

StoredLines& Past::stored(const std::string& host_id) const {
  return stored_.try_emplace(host_id, *store_, host_id).first->second;
}

std::vector<RowKey> Past::rows(const std::string& host_id) const {
  std::set<RowKey> rows;
  if (store_) {
    for (RowKey& row : store_->row_keys()) rows.insert(std::move(row));
  }
  const auto& of_hosts = lines();
  if (const auto own = of_hosts.find(host_id); own != of_hosts.end()) {
    for (const auto& [row, line] : own->second) rows.insert(row);
  }
  return {rows.begin(), rows.end()};
}

Line Past::line(const RowKey& row, const std::string& host_id) const {
  Line line;
  const auto& of_hosts = lines();
  if (const auto own = of_hosts.find(host_id); own != of_hosts.end()) {
    if (const auto one = own->second.find(row); one != own->second.end()) line = one->second;
  }
  if (!store_) return line;
  Line own = stored(host_id).of(row);
  if (line.empty()) return own;
  add_points(line, own);
  return line;
}

std::set<std::string> Past::commits(const std::string& host_id) const {
  std::set<std::string> commits;
  if (store_) commits = stored(host_id).commits();
  for (const Night& night : heads()) {
    if (night.host.id == host_id) commits.insert(night.commit);
  }
  return commits;
}

std::map<std::string, Host> Past::hosts() const {
  std::map<std::string, Host> hosts;
  for (const Night& night : heads()) hosts[night.host.id] = night.host;
  if (!store_) return hosts;
  for (const store::RunSummary& run : store_->runs()) {
    if (!hosts.contains(run.run.host_id)) hosts[run.run.host_id] = store_->host(run.run.host_id);
  }
  return hosts;
}

std::set<Past::BegunRun> Past::later_nights(const std::string& host_id,
                                            const std::string& now) const {
  std::set<BegunRun> later;
  for (const Night& night : heads()) {
    if (night.host.id == host_id && night.started_utc > now) {
      later.insert({night.started_utc, night.run_id});
    }
  }
  if (!store_) return later;
  for (const store::RunSummary& summary : store_->runs()) {
    const Run& run = summary.run;
    const bool night = run.origin == "measured" || run.origin == "imported";
    if (night && run.host_id == host_id && run.started_utc > now) {
      later.insert({run.started_utc, run.id});
    }
  }
  return later;
}

const std::vector<store::AlertEvent>& Past::events() {
  if (events_) return *events_;
  events_.emplace();
  if (store_) events_ = store_->alert_events();
  if (!folder_.empty()) events_ = merged_events(read_events(folder_), *events_);
  return *events_;
}

std::vector<Alert> Past::alerts() { return alerts_of(events(), utc_now()); }

std::vector<store::AlertEvent> Past::events_of(const std::string& alert_id) {
  std::vector<store::AlertEvent> own = events();
  std::erase_if(own, [&](const store::AlertEvent& e) { return e.alert_id != alert_id; });
  return own;
}

std::vector<std::string> Past::strange_events() { return judge::strange_events(events()); }

std::optional<std::string> Past::last_measured(const Alert& alert) const {
  const std::string now = utc_now();
  std::optional<std::string> last;
  for (const AlertRow& one : alert.rows) {
    Line points = line(one.row, alert.host_id);
    std::erase_if(points, [&](const Point& p) { return p.started_utc > now || p.backfilled; });
    if (!points.empty() && (!last || *last < points.back().started_utc)) {
      last = points.back().started_utc;
    }
  }
  return last;
}

void Past::append(const store::AlertEvent& event) {
  const std::vector<store::AlertEvent> all = merged_events(events(), {event});
  if (store_) store::Store(db_).append_alert_event(event);
  if (!folder_.empty()) write_events(folder_, all);
  events_ = all;
}

std::string find_host(const Past& past, const std::string& prefix) {
  if (prefix.empty()) return this_host().id;
  std::vector<std::string> found;
  std::vector<std::string> all;
  for (const auto& [id, host] : past.hosts()) {
    all.push_back(fmt::format("{} ({})", short_id(id), host.cpu_model));
    if (id.starts_with(prefix)) found.push_back(id);
  }
  if (found.size() == 1) return found[0];
  throw usage_error(fmt::format("--host {}: {} (hosts: {})", prefix,
                                found.empty() ? "no such host" : "names more than one",
                                all.empty() ? "none" : join(all, ", ")));
}

}  // namespace nsop::judge
