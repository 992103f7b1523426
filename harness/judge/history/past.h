// The past of a host as it is stored: histories and alerts, from the database, from a folder of
// files, or from both.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/history/alert.h"
#include "harness/judge/history/nights.h"
#include "harness/store/store.h"

namespace nsop::judge {

// The rows of this host's past, and its alerts. The database is optional where a folder is given: a
// machine that is thrown away has none.
class Past {
 public:
  // `db` is the database's path; `folder` may be empty. Throws Error (usage) when there is neither
  // a database nor a folder. What reads the folder throws Error (bad data) for damaged files.
  Past(const std::string& db, const std::string& folder);
  Past(const Past&) = delete;  // what it read of its store refers to it
  Past& operator=(const Past&) = delete;

  // All rows that any run of the host has.
  std::vector<RowKey> rows(const std::string& host_id) const;
  Line line(const RowKey& row, const std::string& host_id) const;
  // The commits that any run of the host measured.
  std::set<std::string> commits(const std::string& host_id) const;
  // Hosts that have a past here, by id.
  std::map<std::string, Host> hosts() const;

  // Nights of the host that began after `now`, in the order of their times.
  struct BegunRun {
    std::string started_utc, run_id;
    auto operator<=>(const BegunRun&) const = default;
  };
  std::set<BegunRun> later_nights(const std::string& host_id, const std::string& now) const;

  std::vector<Alert> alerts();
  // Everything that happened to an alert, oldest first.
  std::vector<store::AlertEvent> events_of(const std::string& alert_id);
  // Which events this version leaves out, a line each.
  std::vector<std::string> strange_events();
  // When a row of an alert was last measured on its host; what lies in the future doesn't count,
  // nor what was measured of an old commit afterwards.
  std::optional<std::string> last_measured(const Alert& alert) const;
  // Kept in the database, if there is one, and in the folder, if one is given.
  void append(const store::AlertEvent& event);

 private:
  const std::vector<store::AlertEvent>& events();

  StoredLines& stored(const std::string& host_id) const;  // there must be a store

  std::string db_, folder_;
  std::optional<store::Store> store_;                  // for reading
  mutable std::map<std::string, StoredLines> stored_;  // of the store, by host
  // Of the folder, once they were asked for: its nights without their rows, and the lines of them
  // by host.
  using Lines = std::map<RowKey, Line>;
  const std::vector<Night>& heads() const;
  const std::map<std::string, Lines>& lines() const;
  mutable std::optional<std::vector<Night>> heads_;
  mutable std::optional<std::map<std::string, Lines>> lines_;
  std::optional<std::vector<store::AlertEvent>> events_;  // once they were asked for
};

// The host whose id begins so, or this one for an empty text. Throws Error (usage) when no host of
// the past, or more than one, does.
std::string find_host(const Past& past, const std::string& prefix);

}  // namespace nsop::judge
