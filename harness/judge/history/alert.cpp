#include "harness/judge/history/alert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/identity.h"
#include "harness/core/io/json_field.h"
#include "harness/core/text.h"
#include "harness/judge/history/nights.h"

namespace nsop::judge {
namespace {

constexpr std::array<const char*, 6> kStates = {"noise",    "noted",  "open",
                                                "accepted", "closed", "inconclusive"};

// What `inconclusive` is called in events of earlier versions, and in what ids are made of.
constexpr const char* kFormerly = "undecided";

const std::map<std::string, AlertState> kFindings = {{"noise", AlertState::kNoise},
                                                     {"noted", AlertState::kNoted},
                                                     {"open", AlertState::kOpen},
                                                     {"declared", AlertState::kAccepted},
                                                     {"inconclusive", AlertState::kInconclusive},
                                                     {kFormerly, AlertState::kInconclusive}};
const std::map<std::string, AlertState> kChanges = {{"accept", AlertState::kAccepted},
                                                    {"close", AlertState::kClosed},
                                                    {"reopen", AlertState::kOpen}};

Json row_json(const AlertRow& r) {
  return {{"case", r.row.case_text},
          {"variant", r.row.variant},
          {"target", r.row.target},
          {"threads", r.row.threads},
          {"ratio", r.ratio},
          {"lo", r.lo},
          {"hi", r.hi},
          {"note", r.note}};
}

AlertRow alert_row_from(const Json& json) {
  AlertRow r;
  r.row = {field(json, "case"), field(json, "variant"), field(json, "target"),
           field(json, "threads")};
  r.ratio = field(json, "ratio");
  r.lo = field(json, "lo");
  r.hi = field(json, "hi");
  r.note = field(json, "note");
  return r;
}

// A row that is known already takes the newer numbers.
void merge_rows(std::vector<AlertRow>& rows, const Json& more) {
  for (const Json& one : more) {
    AlertRow row = alert_row_from(one);
    const auto known =
        std::find_if(rows.begin(), rows.end(), [&](const AlertRow& r) { return r.row == row.row; });
    if (known == rows.end()) {
      rows.push_back(std::move(row));
    } else {
      *known = std::move(row);
    }
  }
}

// The state after a finding of an alert that is there already: two machines may find the same, and
// what people answered stays, unless it was closed or has rows that nobody answered for.
AlertState state_after(const Alert& alert, AlertState found, const Json& rows) {
  if (alert.state == AlertState::kClosed) return found;
  std::vector<AlertRow> all = alert.rows;
  merge_rows(all, rows);
  const bool covers = rows.size() == all.size(), adds = all.size() > alert.rows.size();
  const bool answered =
      alert.state == AlertState::kOpen && found == AlertState::kAccepted && covers;
  const bool unanswered =
      alert.state == AlertState::kAccepted && found == AlertState::kOpen && adds;
  return answered || unanswered ? found : alert.state;
}

void take_details(Alert& alert, const Json& body) {
  alert.kind = field(body, "kind");
  alert.direction = field(body, "direction");
  alert.last_good = field(body, "last_good");
  alert.first_bad = field(body, "first_bad");
  alert.subject = field(body, "subject");
  alert.candidates = field(body, "candidates");
  alert.good_run = field(body, "good_run");
  alert.bad_run = field(body, "bad_run");
  alert.reason = field(body, "reason");
  alert.owner = field(body, "owner");
  alert.expires = field(body, "expires");
}

void take_finding(Alert& alert, AlertState found, const store::AlertEvent& event, const Json& body,
                  bool fresh) {
  const AlertState before = alert.state;
  alert.state = fresh ? found : state_after(alert, found, body.at("rows"));
  // The details of an alert that stays what it was stay, too.
  if (fresh || alert.state != before || found == AlertState::kInconclusive)
    take_details(alert, body);
  if (fresh || before == AlertState::kClosed) {
    alert.opened_utc = event.at_utc;
    alert.reopened = false;
    alert.looks = 0;
    alert.looked_run.clear();
  }
  if (found == AlertState::kInconclusive) ++alert.attempts;
  alert.confirmed = found != AlertState::kInconclusive;
  merge_rows(alert.rows, body.at("rows"));
}

void take_change(Alert& alert, AlertState state, const Json& body) {
  alert.state = state;
  alert.reopened = state == AlertState::kOpen;
  if (alert.reopened) {
    if (!alert.confirmed) alert.state = AlertState::kInconclusive;
    alert.attempts = alert.looks = 0;
    alert.looked_run.clear();
  }
  alert.reason = field(body, "reason");
  alert.expires = field(body, "expires");
  if (const std::string owner = field(body, "owner"); !owner.empty()) alert.owner = owner;
}

void apply(Alert& alert, const store::AlertEvent& event, bool fresh) {
  const Json body = parse_json(event.body, "event " + event.id);
  read_fields(fmt::format("event {} of alert {}", event.id, event.alert_id), [&] {
    if (const auto it = kFindings.find(event.action); it != kFindings.end()) {
      take_finding(alert, it->second, event, body, fresh);
    } else if (const auto change = kChanges.find(event.action); change != kChanges.end()) {
      take_change(alert, change->second, body);
    } else if (event.action == "look") {
      ++alert.looks;
      alert.looked_run = field(body, "run");
    } else {
      merge_rows(alert.rows, body.at("rows"));
    }
  });
  alert.changed_utc = event.at_utc;
}

bool is_known(const std::string& action) {
  return kFindings.contains(action) || kChanges.contains(action) || action == "update" ||
         action == "look";
}

// Why an event says nothing here; empty: it does.
std::string strangeness(const store::AlertEvent& event, const std::set<std::string>& found) {
  if (!is_known(event.action)) return fmt::format("'{}' (of a newer nsop?)", event.action);
  if (!kFindings.contains(event.action) && !found.contains(event.alert_id)) {
    return fmt::format("'{}' of alerts whose finding isn't there", event.action);
  }
  return {};
}

std::string event_body(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_day(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  const int month = std::stoi(text.substr(5, 2)), day = std::stoi(text.substr(8, 2));
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

std::vector<AlertState> states_for(const std::string& action) {
  if (action == "accept") return {AlertState::kOpen, AlertState::kAccepted};
  if (action == "close") {
    return {AlertState::kOpen, AlertState::kAccepted, AlertState::kNoted,
            AlertState::kInconclusive};
  }
  return {AlertState::kClosed, AlertState::kAccepted, AlertState::kNoise, AlertState::kNoted,
          AlertState::kInconclusive};
}

void check_change(const Alert& alert, const AlertChange& change, const std::string& at_utc) {
  if (trim(change.reason).empty()) {
    throw usage_error("--reason: a few words why; they are kept with the alert");
  }
  if (!change.expires.empty() && !is_day(change.expires)) {
    throw usage_error(fmt::format("--expires {}: expected a day like 2026-12-31", change.expires));
  }
  if (!change.expires.empty() && change.expires < at_utc.substr(0, 10)) {
    throw usage_error(fmt::format("--expires {}: is in the past", change.expires));
  }
  const auto allowed = states_for(change.action);
  if (std::find(allowed.begin(), allowed.end(), alert.state) != allowed.end()) return;
  std::vector<std::string> names;
  for (const AlertState state : allowed) names.push_back(state_text(state));
  throw usage_error(fmt::format("alert {} is {}: {} is for alerts that are {}", alert.id,
                                state_text(alert.state), change.action, join(names, " or ")));
}

}  // namespace

std::string state_text(AlertState state) { return kStates.at(static_cast<size_t>(state)); }

bool is_waiting(AlertState state) {
  return state == AlertState::kOpen || state == AlertState::kAccepted ||
         state == AlertState::kInconclusive;
}

bool has_row(const Alert& alert, const RowKey& row) {
  return std::any_of(alert.rows.begin(), alert.rows.end(),
                     [&](const AlertRow& r) { return r.row == row; });
}

std::string alert_id(const Alert& alert) {
  std::string identity =
      fmt::format("{}\n{}\n{}\n{}\n", alert.host_id, alert.kind, alert.direction, alert.first_bad);
  // What is compared is part of what creep or noise is; a step is where it begins.
  if (alert.kind == "creep" || alert.state == AlertState::kNoise ||
      alert.state == AlertState::kInconclusive) {
    identity += alert.last_good + "\n";
    for (const AlertRow& row : alert.rows) identity += row.row.text() + "\n";
    const bool inconclusive = alert.state == AlertState::kInconclusive;
    identity += inconclusive ? kFormerly : state_text(alert.state);
  }
  return sha256_hex(identity).substr(0, 12);
}

store::AlertEvent finding_event(const Alert& finding, const std::string& action,
                                const std::string& at_utc) {
  Json rows = Json::array();
  for (const AlertRow& row : finding.rows) rows.push_back(row_json(row));
  const Json body = {{"kind", finding.kind},           {"direction", finding.direction},
                     {"last_good", finding.last_good}, {"first_bad", finding.first_bad},
                     {"subject", finding.subject},     {"candidates", finding.candidates},
                     {"good_run", finding.good_run},   {"bad_run", finding.bad_run},
                     {"owner", finding.owner},         {"reason", finding.reason},
                     {"expires", finding.expires},     {"rows", std::move(rows)}};
  return {new_uuid(), finding.id, finding.host_id, action, at_utc, event_body(body)};
}

std::string event_time(const Alert& alert, const std::string& now_utc) {
  const auto last = utc_seconds(alert.changed_utc);
  return last && now_utc <= alert.changed_utc ? utc_text(*last + 1) : now_utc;
}

store::AlertEvent change_event(const Alert& alert, const AlertChange& change,
                               const std::string& at_utc) {
  check_change(alert, change, at_utc);
  const Json body = {{"owner", change.owner},
                     {"reason", change.reason},
                     {"expires", change.expires},
                     {"by", change.by}};
  return {new_uuid(),      alert.id, alert.host_id, change.action, event_time(alert, at_utc),
          event_body(body)};
}

store::AlertEvent look_event(const Alert& alert, const std::string& run, const std::string& reason,
                             const std::string& at_utc) {
  return {new_uuid(),
          alert.id,
          alert.host_id,
          "look",
          event_time(alert, at_utc),
          event_body({{"run", run}, {"reason", reason}})};
}

std::vector<Alert> alerts_of(const std::vector<store::AlertEvent>& events,
                             const std::string& now_utc) {
  std::vector<Alert> alerts;
  std::map<std::string, size_t> at;
  std::set<std::string> found;
  for (const store::AlertEvent& event : events) {
    if (!strangeness(event, found).empty()) continue;
    found.insert(event.alert_id);
    const auto [it, fresh] = at.emplace(event.alert_id, alerts.size());
    if (fresh) {
      alerts.emplace_back();
      alerts.back().id = event.alert_id;
      alerts.back().host_id = event.host_id;
    }
    apply(alerts[it->second], event, fresh);
  }
  for (Alert& alert : alerts) {
    if (alert.state == AlertState::kAccepted && !alert.expires.empty() &&
        alert.expires < now_utc.substr(0, 10)) {
      alert.state = AlertState::kOpen;
      alert.reason = fmt::format("accepted until {}: {}", alert.expires, alert.reason);
    }
  }
  return alerts;
}

std::vector<std::string> strange_events(const std::vector<store::AlertEvent>& events) {
  std::map<std::string, int> counts;
  std::set<std::string> found;
  for (const store::AlertEvent& event : events) {
    const std::string why = strangeness(event, found);
    if (why.empty()) {
      found.insert(event.alert_id);
    } else {
      ++counts[why];
    }
  }
  std::vector<std::string> lines;
  for (const auto& [why, n] : counts) {
    lines.push_back(fmt::format("left out {} event{} {}", n, n == 1 ? "" : "s", why));
  }
  return lines;
}

const Alert& find_alert(const std::vector<Alert>& alerts, const std::string& prefix) {
  const Alert* found = nullptr;
  for (const Alert& alert : alerts) {
    if (prefix.empty() || !alert.id.starts_with(prefix)) continue;
    if (found != nullptr) {
      throw usage_error(fmt::format("'{}' names alerts {} and {}; give more characters", prefix,
                                    found->id, alert.id));
    }
    found = &alert;
  }
  if (found == nullptr) {
    throw usage_error(
        fmt::format("no alert is called '{}'; `nsop alert list --all` shows them", prefix));
  }
  return *found;
}

Json alert_json(const Alert& alert) {
  Json rows = Json::array();
  for (const AlertRow& row : alert.rows) rows.push_back(row_json(row));
  return {{"id", alert.id},
          {"state", state_text(alert.state)},
          {"kind", alert.kind},
          {"direction", alert.direction},
          {"host", alert.host_id},
          {"last_good", alert.last_good},
          {"first_bad", alert.first_bad},
          {"candidates", alert.candidates},
          {"subject", alert.subject},
          {"owner", alert.owner},
          {"reason", alert.reason},
          {"expires", alert.expires},
          {"opened", alert.opened_utc},
          {"changed", alert.changed_utc},
          {"confirmed", alert.confirmed},
          {"attempts", alert.attempts},
          {"looks", alert.looks},
          {"rows", std::move(rows)}};
}

}  // namespace nsop::judge
