#include "harness/store/rows/events.h"

#include <fmt/format.h>

#include "harness/store/event_digest.h"
#include "harness/store/query.h"

namespace nsop::store {
namespace {

using Text = std::string;

struct Event {
  long long seq = 0;
  Text stated, digest;  // what is stored with it, and what should be
};

std::vector<Event> baseline_events(Database& db) {
  std::vector<Event> events;
  each<std::tuple<long long, Text, Text, Text, Text, Text, Text, Text>>(
      db,
      "SELECT seq, action, name, host_id, run_id, reason, at_utc, sha256 FROM baseline_event "
      "ORDER BY seq",
      [&](const auto& event) {
        const auto& [seq, action, name, host, run, reason, at, sha256] = event;
        events.push_back({seq, sha256, event_digest(seq, {action, name, host, run, reason, at})});
      });
  return events;
}

std::vector<Event> removals(Database& db) {
  std::vector<Event> events;
  each<std::tuple<long long, Text, Text, Text, Text, Text, long long, Text, Text, Text>>(
      db,
      "SELECT seq, run_id, host_id, origin, started_utc, sha256, invocations, reason, at_utc, "
      "event_sha256 FROM removed_run ORDER BY seq",
      [&](const auto& event) {
        const auto& [seq, run, host, origin, started, seal, count, reason, at, sha256] = event;
        events.push_back({seq, sha256,
                          event_digest(seq, {run, host, origin, started, seal,
                                             fmt::format("{}", count), reason, at})});
      });
  return events;
}

std::vector<Event> prunings(Database& db) {
  std::vector<Event> events;
  each<std::tuple<long long, Text, Text, Text, long long, Text, Text>>(
      db,
      "SELECT seq, run_id, sha256, thinned_sha256, invocations, at_utc, event_sha256 FROM "
      "pruned_run ORDER BY seq",
      [&](const auto& event) {
        const auto& [seq, run, seal, thinned, count, at, sha256] = event;
        events.push_back(
            {seq, sha256, event_digest(seq, {run, seal, thinned, fmt::format("{}", count), at})});
      });
  return events;
}

std::vector<Event> alert_events(Database& db) {
  std::vector<Event> events;
  each<std::tuple<long long, Text, Text, Text, Text, Text, Text, Text>>(
      db,
      "SELECT seq, id, alert_id, host_id, action, at_utc, body, sha256 FROM alert_event ORDER BY "
      "seq",
      [&](const auto& event) {
        const auto& [seq, id, alert, host, action, at, body, sha256] = event;
        events.push_back({seq, sha256, alert_event_digest({id, alert, host, action, at, body})});
      });
  return events;
}

void add_problems(const char* what, const std::vector<Event>& events,
                  std::vector<std::string>& problems) {
  long long last = 0;
  for (const Event& event : events) {
    if (event.seq != last + 1) problems.push_back(fmt::format("{} {} is gone", what, last + 1));
    if (event.stated != event.digest) {
      problems.push_back(fmt::format("{} {} doesn't have its SHA-256", what, event.seq));
    }
    last = event.seq;
  }
}

}  // namespace

long long next_event(Database& db, const std::string& table) {
  return first_value<long long>(db, "SELECT COALESCE(MAX(seq), 0) + 1 FROM " + table).value();
}

void seal_events(Database& db) {
  for (const Event& event : baseline_events(db)) {
    execute(db, "UPDATE baseline_event SET sha256 = :s WHERE seq = :q", event.digest, event.seq);
  }
  for (const Event& event : removals(db)) {
    execute(db, "UPDATE removed_run SET event_sha256 = :s WHERE seq = :q", event.digest, event.seq);
  }
}

std::vector<std::string> event_problems(Database& db) {
  std::vector<std::string> problems;
  add_problems("event of alerts", alert_events(db), problems);
  add_problems("event of baselines", baseline_events(db), problems);
  add_problems("removal", removals(db), problems);
  add_problems("pruning", prunings(db), problems);
  return problems;
}

}  // namespace nsop::store
