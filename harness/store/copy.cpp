#include "harness/store/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/store/backend/address.h"
#include "harness/store/query.h"
#include "harness/store/rows/kept.h"
#include "harness/store/rows/rows.h"
#include "harness/store/schema.h"

namespace nsop::store {
namespace {

using Text = std::string;
using Name = std::pair<Text, Text>;  // of a baseline, and its host

auto fields_of(const BaselineEvent& event) {
  const Baseline& b = event.baseline;
  return std::tie(event.action, b.name, b.host_id, b.run_id, b.reason, b.set_utc);
}

auto fields_of(const PrunedRun& r) {
  return std::tie(r.run_id, r.sha256, r.thinned_sha256, r.invocations, r.at_utc);
}

auto fields_of(const RemovedRun& r) {
  return std::tie(r.run_id, r.host_id, r.origin, r.started_utc, r.sha256, r.invocations, r.reason,
                  r.at_utc);
}

bool same(const auto& a, const auto& b) { return fields_of(a) == fields_of(b); }

class Copying {
 public:
  Copying(Database& from, Database& to) : from_(from), to_(to) {}

  Copied all_of_it(bool running) {
    copy_nouns();
    copy_runs(running);
    to_.guard([&] {
      Transaction transaction(to_);
      to_.backend().lock("events", false);
      copy_baselines();
      copy_alerts();
      copy_removals();
      copy_prunings();
      transaction.commit();
    });
    return copied_;
  }

 private:
  // Those that no run refers to, too.
  void copy_nouns() {
    to_.guard([&] {
      Transaction transaction(to_);
      for (const auto& [body] : all<std::tuple<Text>>(from_, "SELECT body FROM host ORDER BY id")) {
        insert_host(to_, host_from_json(parse_json(body, from_.path())), body);
      }
      for (const auto& [body] :
           all<std::tuple<Text>>(from_, "SELECT body FROM build ORDER BY seq")) {
        insert_build(to_, build_from_json(parse_json(body, from_.path())), body);
      }
      transaction.commit();
    });
  }

  void copy_runs(bool running) {
    std::set<Text> gone;
    to_.guard([&] {
      for (const RemovedRun& removal : read_removals(to_)) gone.insert(removal.run_id);
    });
    for (const auto& [id, state, sha256] : all<std::tuple<Text, Text, Text>>(
             from_, "SELECT id, state, sha256 FROM run ORDER BY seq")) {
      if (state == "running" && !running) {
        ++copied_.running;
      } else if (gone.contains(id)) {
        ++copied_.removed;
      } else if (is_there(id, sha256)) {
        ++copied_.known;
      } else {
        const bool is_new = add_record(to_, load_record(from_, id), from_.path()).is_new;
        ++(is_new ? copied_.runs : copied_.known);
      }
    }
  }

  bool is_there(const Text& id, const Text& sha256) {
    return to_.guard([&] {
      return first_value<Text>(to_, "SELECT id FROM run WHERE id = :i AND sha256 = :s", id, sha256)
          .has_value();
    });
  }

  static std::map<Name, std::vector<BaselineEvent>> by_name(
      const std::vector<BaselineEvent>& events) {
    std::map<Name, std::vector<BaselineEvent>> grouped;
    for (const BaselineEvent& event : events) {
      grouped[{event.baseline.name, event.baseline.host_id}].push_back(event);
    }
    return grouped;
  }

  // What happened to a baseline in one database continues what happened in the other, or the other
  // way round.
  void copy_baselines() {
    const std::vector<BaselineEvent> events = read_baseline_events(from_);
    const auto own = by_name(events);
    const auto others = by_name(read_baseline_events(to_));
    std::map<Name, size_t> known;
    for (const auto& [name, there] : others) {
      const auto found = own.find(name);
      if (found == own.end()) continue;
      const size_t shared = std::min(there.size(), found->second.size());
      const bool agree =
          std::equal(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(shared),
                     found->second.begin(), same<BaselineEvent, BaselineEvent>);
      if (!agree) {
        throw bad_data(fmt::format(
            "baseline '{}' of host {} went different ways in {} and {}; remove it from one of them",
            name.first, name.second, from_.path(), to_.path()));
      }
      known[name] = shared;
    }
    for (const BaselineEvent& event : events) {
      size_t& left = known[{event.baseline.name, event.baseline.host_id}];
      if (left > 0) {
        --left;
        continue;
      }
      apply_baseline_event(to_, event);
      ++copied_.events;
    }
  }

  void copy_alerts() {
    const size_t before = read_alert_events(to_, "seq").size();
    for (const AlertEvent& event : read_alert_events(from_, "seq")) add_alert_event(to_, event);
    copied_.events += static_cast<int64_t>(read_alert_events(to_, "seq").size() - before);
  }

  void copy_removals() {
    const std::vector<RemovedRun> there = read_removals(to_);
    for (const RemovedRun& removal : read_removals(from_)) {
      const bool known = std::any_of(there.begin(), there.end(),
                                     [&](const RemovedRun& other) { return same(other, removal); });
      if (known) continue;
      add_removal(to_, removal);
      ++copied_.events;
    }
  }

  // Of runs that are there as they were left.
  void copy_prunings() {
    const std::vector<PrunedRun> there = read_prunings(to_);
    for (const PrunedRun& pruning : read_prunings(from_)) {
      const bool known = std::any_of(there.begin(), there.end(),
                                     [&](const PrunedRun& other) { return same(other, pruning); });
      if (known || !is_there(pruning.run_id, pruning.thinned_sha256)) continue;
      add_pruning(to_, pruning);
      ++copied_.events;
    }
  }

  Database& from_;
  Database& to_;
  Copied copied_;
};

}  // namespace

Copied copy_history(Database& from, Database& to, bool running) {
  return from.guard([&] {
    Transaction snapshot(from, Transaction::Kind::kRead);
    return Copying(from, to).all_of_it(running);
  });
}

Copied copy_history(const std::string& from, const std::string& to) {
  Database source(from, true);
  if (!is_server(to) && real_path(to) == source.path()) {
    throw usage_error(fmt::format("{}: is copied to itself; name another database", to));
  }
  Database target(to, false);
  if (is_server(from) && is_server(to) && source.path() == target.path()) {
    throw usage_error(fmt::format("{}: is copied to itself; name another database", source.path()));
  }
  return copy_history(source, target, false);
}

void copy_to_file(Database& from, const std::string& to_path) {
  write_backup(from.path(), to_path, [&](const std::string& temporary) {
    Database to(temporary, false);
    copy_history(from, to, true);
    to.script("PRAGMA journal_mode = DELETE");  // one file
  });
}

}  // namespace nsop::store
