// Events of alerts (store.h): appended, never changed.
#include <fmt/format.h>

#include "harness/store/event_digest.h"
#include "harness/store/query.h"
#include "harness/store/record/limits.h"
#include "harness/store/record/record.h"
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

void Store::append_alert_event(const AlertEvent& event) {
  check_event(event);
  AlertEvent stored = event;
  stored.body = body_text(parse_json(event.body, "event " + event.id));
  db_->guard([&] {
    Transaction transaction(*db_);
    const auto known = first<Row>(
        *db_, fmt::format("SELECT {} FROM alert_event WHERE id = :i", kEventColumns), stored.id);
    if (known) {
      if (event_of(*known) == stored) return;
      throw bad_data(fmt::format("event {} is stored already with other content", stored.id));
    }
    execute(*db_,
            "INSERT INTO alert_event (id, alert_id, host_id, action, at_utc, body, sha256) VALUES "
            "(:i, :a, :h, :what, :t, :b, :s)",
            stored.id, stored.alert_id, stored.host_id, stored.action, stored.at_utc, stored.body,
            alert_event_digest(stored));
    transaction.commit();
  });
}

std::vector<AlertEvent> Store::alert_events() const {
  return db_->guard([&] {
    std::vector<AlertEvent> list;
    for (const Row& row : all<Row>(
             *db_, fmt::format("SELECT {} FROM alert_event ORDER BY at_utc, seq", kEventColumns))) {
      list.push_back(event_of(row));
    }
    return list;
  });
}

}  // namespace nsop::store
