// Events of alerts (store.h, rows/kept.h): appended, never changed.
#include <fmt/format.h>

#include "harness/store/event_digest.h"
#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/record/record.h"
#include "harness/store/rows/events.h"
#include "harness/store/rows/kept.h"
#include "harness/store/store_db.h"

namespace nsop::store {
namespace {

using Text = std::string;

void check_event(const AlertEvent& event) {
  check_id("event", event.id);
  check_id("alert", event.alert_id);
  check_id("host", event.host_id, 128);
  check_id("action", event.action, 32);
  check_name("at_utc", event.at_utc);
  const Json body = parse_json(event.body, "event " + event.id);
  if (!body.is_object()) throw bad_data(fmt::format("event {}: no JSON object", event.id));
}

using Row = std::tuple<Text, Text, Text, Text, Text, Text>;
constexpr const char* kEventColumns = "id, alert_id, host_id, action, at_utc, body";

AlertEvent event_of(const Row& row) {
  const auto& [id, alert, host, action, at, body] = row;
  return {id, alert, host, action, at, body};
}

}  // namespace

void add_alert_event(Database& db, const AlertEvent& event) {
  check_event(event);
  AlertEvent stored = event;
  stored.body = body_text(parse_json(event.body, "event " + event.id));
  const auto known = first<Row>(
      db, fmt::format("SELECT {} FROM alert_event WHERE id = :i", kEventColumns), stored.id);
  if (known && event_of(*known) == stored) return;
  if (known)
    throw bad_data(fmt::format("event {} is stored already with other content", stored.id));
  execute(db,
          "INSERT INTO alert_event (seq, id, alert_id, host_id, action, at_utc, body, sha256) "
          "VALUES (:q, :i, :a, :h, :what, :t, :b, :s)",
          next_event(db, "alert_event"), stored.id, stored.alert_id, stored.host_id, stored.action,
          stored.at_utc, stored.body, alert_event_digest(stored));
}

std::vector<AlertEvent> read_alert_events(Database& db, const std::string& order) {
  std::vector<AlertEvent> list;
  for (const Row& row :
       all<Row>(db, fmt::format("SELECT {} FROM alert_event ORDER BY {}", kEventColumns, order))) {
    list.push_back(event_of(row));
  }
  return list;
}

void Store::append_alert_event(const AlertEvent& event) {
  check_event(event);
  db_->guard([&] {
    Transaction transaction(*db_);
    db_->backend().lock("events", false);
    add_alert_event(*db_, event);
    transaction.commit();
  });
}

std::vector<AlertEvent> Store::alert_events() const {
  return db_->guard([&] { return read_alert_events(*db_, "at_utc, seq"); });
}

}  // namespace nsop::store
