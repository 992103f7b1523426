#include "harness/judge/alert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "harness/core/error.h"
#include "harness/core/util.h"

namespace nsop::judge {
namespace {

constexpr std::array<const char*, 5> kStates = {"noise", "noted", "open", "accepted", "closed"};

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

AlertRow row_from(const Json& json) {
  AlertRow r;
  r.row = {json.at("case"), json.at("variant"), json.at("target"), json.at("threads")};
  r.ratio = json.at("ratio");
  r.lo = json.at("lo");
  r.hi = json.at("hi");
  r.note = json.at("note");
  return r;
}

// A row that is known already takes the newer numbers.
void merge_rows(std::vector<AlertRow>& rows, const Json& more) {
  for (const Json& one : more) {
    AlertRow row = row_from(one);
    const auto known =
        std::find_if(rows.begin(), rows.end(), [&](const AlertRow& r) { return r.row == row.row; });
    if (known == rows.end()) {
      rows.push_back(std::move(row));
    } else {
      *known = std::move(row);
    }
  }
}

void take_finding(Alert& alert, const store::AlertEvent& event, const Json& body) {
  alert.kind = body.at("kind");
  alert.direction = body.at("direction");
  alert.last_good = body.at("last_good");
  alert.first_bad = body.at("first_bad");
  alert.subject = body.at("subject");
  alert.candidates = body.at("candidates").get<std::vector<std::string>>();
  alert.good_run = body.at("good_run");
  alert.bad_run = body.at("bad_run");
  alert.reason = body.at("reason");
  alert.owner = body.at("owner");
  alert.expires = body.at("expires");
  merge_rows(alert.rows, body.at("rows"));
  alert.opened_utc = event.at_utc;
}

void take_change(Alert& alert, AlertState state, const Json& body) {
  alert.state = state;
  alert.reason = body.at("reason");
  alert.expires = body.at("expires");
  if (const std::string owner = body.at("owner"); !owner.empty()) alert.owner = owner;
}

void apply(Alert& alert, const store::AlertEvent& event) {
  static const std::map<std::string, AlertState> findings = {{"noise", AlertState::kNoise},
                                                             {"noted", AlertState::kNoted},
                                                             {"open", AlertState::kOpen},
                                                             {"declared", AlertState::kAccepted}};
  static const std::map<std::string, AlertState> changes = {{"accept", AlertState::kAccepted},
                                                            {"close", AlertState::kClosed},
                                                            {"reopen", AlertState::kOpen}};
  const Json body = parse_json(event.body, "event " + event.id);
  try {
    if (const auto it = findings.find(event.action); it != findings.end()) {
      alert.state = it->second;
      take_finding(alert, event, body);
    } else if (const auto change = changes.find(event.action); change != changes.end()) {
      take_change(alert, change->second, body);
    } else if (event.action == "update") {
      merge_rows(alert.rows, body.at("rows"));
    } else {
      return;
    }
  } catch (const nlohmann::json::exception& error) {
    throw bad_data(fmt::format("event {} of alert {}: {}", event.id, event.alert_id, error.what()));
  }
  alert.changed_utc = event.at_utc;
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
  if (action == "close") return {AlertState::kOpen, AlertState::kAccepted, AlertState::kNoted};
  return {AlertState::kClosed, AlertState::kAccepted, AlertState::kNoise, AlertState::kNoted};
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

std::string alert_id(const Alert& alert) {
  std::string identity =
      fmt::format("{}\n{}\n{}\n{}\n", alert.host_id, alert.kind, alert.direction, alert.first_bad);
  // What is compared is part of what creep or noise is; a step is where it begins.
  if (alert.kind == "creep" || alert.state == AlertState::kNoise) {
    identity += alert.last_good + "\n";
    for (const AlertRow& row : alert.rows) identity += row.row.text() + "\n";
    identity += state_text(alert.state);
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
  return {new_uuid(), finding.id, finding.host_id,
          action,     at_utc,     body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

store::AlertEvent change_event(const Alert& alert, const AlertChange& change,
                               const std::string& at_utc) {
  check_change(alert, change, at_utc);
  const Json body = {{"owner", change.owner},
                     {"reason", change.reason},
                     {"expires", change.expires},
                     {"by", change.by}};
  return {new_uuid(),    alert.id, alert.host_id,
          change.action, at_utc,   body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

std::vector<Alert> alerts_of(const std::vector<store::AlertEvent>& events,
                             const std::string& now_utc) {
  std::vector<Alert> alerts;
  std::map<std::string, size_t> at;
  for (const store::AlertEvent& event : events) {
    const auto [it, fresh] = at.emplace(event.alert_id, alerts.size());
    if (fresh) {
      alerts.emplace_back();
      alerts.back().id = event.alert_id;
      alerts.back().host_id = event.host_id;
    }
    apply(alerts[it->second], event);
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
          {"rows", std::move(rows)}};
}

}  // namespace nsop::judge
