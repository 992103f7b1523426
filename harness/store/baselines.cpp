// Named pointers to runs (store.h, rows/kept.h), per host, with their history.
#include <fmt/format.h>

#include "harness/core/case.h"
#include "harness/core/identity.h"
#include "harness/store/event_digest.h"
#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/rows/events.h"
#include "harness/store/rows/kept.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

void check_baseline_name(const std::string& name) {
  bool ok = !name.empty() && name.size() <= kMaxNameBytes && name[0] != '@' && name[0] != '-';
  for (const char c : name)
    ok = ok && static_cast<unsigned char>(c) > 0x20 && c != ':' && c != 0x7f;
  if (!ok) {
    throw usage_error(
        fmt::format("baseline name '{}': expected 1 to {} bytes without blanks or ':', not "
                    "starting with '@' or '-'",
                    name, kMaxNameBytes));
  }
}

void require_baseline_run(Database& db, const Baseline& baseline) {
  const auto run = first<std::tuple<Text, Text>>(db, "SELECT state, host_id FROM run WHERE id = :i",
                                                 baseline.run_id);
  if (!run) throw usage_error(fmt::format("no run '{}'", baseline.run_id));
  const auto& [state, host_id] = *run;
  if (state != "complete") {
    throw usage_error(
        fmt::format("run {} is {}; only a complete run can be a baseline", baseline.run_id, state));
  }
  if (host_id != baseline.host_id) {
    throw usage_error(fmt::format("run {} was measured on another host than the baseline is for",
                                  baseline.run_id));
  }
}

void add_event(Database& db, const std::string& action, const Baseline& b) {
  const long long seq = next_event(db, "baseline_event");
  execute(db,
          "INSERT INTO baseline_event (seq, action, name, host_id, run_id, reason, at_utc, sha256) "
          "VALUES (:q, :a, :n, :h, :r, :why, :t, :s)",
          seq, action, b.name, b.host_id, b.run_id, b.reason, b.set_utc,
          event_digest(seq, {action, b.name, b.host_id, b.run_id, b.reason, b.set_utc}));
}

void point(Database& db, const Baseline& b) {
  execute(db,
          "INSERT INTO baseline (name, host_id, run_id, reason, set_utc) VALUES (:n, :h, :r, :why, "
          ":t) ON CONFLICT (name, host_id) DO UPDATE SET run_id = excluded.run_id, reason = "
          "excluded.reason, set_utc = excluded.set_utc",
          b.name, b.host_id, b.run_id, b.reason, b.set_utc);
}

std::optional<Text> baseline_run(Database& db, const std::string& name,
                                 const std::string& host_id) {
  return first_value<Text>(db, "SELECT run_id FROM baseline WHERE name = :n AND host_id = :h", name,
                           host_id);
}

[[noreturn]] void throw_no_baseline(Database& db, const std::string& name,
                                    const std::string& host_id) {
  std::vector<Text> names;
  for (auto& [other] :
       all<std::tuple<Text>>(db, "SELECT name FROM baseline WHERE host_id = :h", host_id)) {
    names.push_back(other);
  }
  const auto near = nearest(name, names);
  throw usage_error(fmt::format(
      "no baseline '{}' on this host; {}", name,
      near ? fmt::format("did you mean '{}'?", *near) : "`nsop baseline list` shows them"));
}

}  // namespace

void apply_baseline_event(Database& db, const BaselineEvent& event) {
  const Baseline& b = event.baseline;
  add_event(db, event.action, b);
  if (event.action != "remove") return point(db, b);
  execute(db, "DELETE FROM baseline WHERE name = :n AND host_id = :h", b.name, b.host_id);
}

std::vector<BaselineEvent> read_baseline_events(Database& db) {
  std::vector<BaselineEvent> list;
  for (auto& [action, name, host, run, reason, at] :
       all<std::tuple<Text, Text, Text, Text, Text, Text>>(
           db,
           "SELECT action, name, host_id, run_id, reason, at_utc FROM baseline_event "
           "ORDER BY seq")) {
    list.push_back({action, {name, host, run, reason, at}});
  }
  return list;
}

void Store::set_baseline(const Baseline& baseline) {
  check_baseline_name(baseline.name);
  Baseline b = baseline;
  if (b.set_utc.empty()) b.set_utc = utc_now();
  db_->guard([&] {
    Transaction transaction(*db_);
    db_->backend().lock("events", false);
    require_baseline_run(*db_, b);
    apply_baseline_event(*db_, {baseline_run(*db_, b.name, b.host_id) ? "move" : "set", b});
    transaction.commit();
  });
}

void Store::remove_baseline(const std::string& name, const std::string& host_id,
                            const std::string& reason) {
  db_->guard([&] {
    Transaction transaction(*db_);
    db_->backend().lock("events", false);
    const auto run_id = baseline_run(*db_, name, host_id);
    if (!run_id) throw_no_baseline(*db_, name, host_id);
    apply_baseline_event(*db_, {"remove", {name, host_id, *run_id, reason, utc_now()}});
    transaction.commit();
  });
}

std::vector<Baseline> Store::baselines() const {
  return db_->guard([&] {
    std::vector<Baseline> list;
    for (auto& [name, host, run, reason, at] : all<std::tuple<Text, Text, Text, Text, Text>>(
             *db_,
             "SELECT name, host_id, run_id, reason, set_utc FROM baseline ORDER BY name, "
             "host_id")) {
      list.push_back({name, host, run, reason, at});
    }
    return list;
  });
}

std::vector<BaselineEvent> Store::baseline_events() const {
  return db_->guard([&] { return read_baseline_events(*db_); });
}

}  // namespace nsop::store
