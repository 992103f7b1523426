#include "harness/cli/text/alert_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/cli/text/table.h"
#include "harness/core/text.h"
#include "harness/judge/builds/commits.h"
#include "harness/report/base/format.h"
#include "harness/report/site/site_links.h"
#include "harness/report/stored/alert_texts.h"

namespace nsop::cli {
namespace {

using judge::short_commit;

// The row that changed most speaks for the others.
std::string worst_text(const judge::Alert& alert) {
  if (alert.rows.empty()) return "-";
  const auto worst = std::max_element(
      alert.rows.begin(), alert.rows.end(), [](const judge::AlertRow& a, const judge::AlertRow& b) {
        return std::abs(std::log(a.ratio)) < std::abs(std::log(b.ratio));
      });
  const std::string more =
      alert.rows.size() > 1 ? fmt::format(" (and {} more)", alert.rows.size() - 1) : "";
  return worst->row.case_text + more;
}

std::string state_text(const judge::Alert& alert) {
  return judge::state_text(alert.state) + (alert.expires.empty() ? "" : " until " + alert.expires);
}

// `open`; where hosts have unlike answers, `open on 1 of 3`.
std::string state_text(const judge::HostsOfChange& change) {
  const judge::Alert& speaker = judge::speaker_of(change);
  const std::vector<const judge::Alert*> alerts = judge::alerts_in(change);
  const auto same = std::count_if(alerts.begin(), alerts.end(), [&](const judge::Alert* alert) {
    return alert->state == speaker.state;
  });
  const std::string state = state_text(speaker);
  if (static_cast<size_t>(same) == alerts.size()) return state;
  return fmt::format("{} on {} of {}", state, same, alerts.size());
}

void print_hosts_of_changes(Context& context, const std::vector<judge::HostsOfChange>& changes,
                            const std::map<std::string, Host>& names) {
  for (const judge::HostsOfChange& change : changes) {
    if (change.hosts.size() < 2) continue;
    std::vector<std::string> hosts;
    for (const judge::OnHost& host : change.hosts) {
      hosts.push_back(report::on_host_text(change, host, names));
    }
    const std::string text = report::culprit_text(*change.first) + ": " + join(hosts, "; ");
    context.out << printable(text) << '\n';
  }
}

Table alert_table() {
  return Table({{"alert"},
                {"state"},
                {"kind"},
                {"change", true},
                {"rows"},
                {"commit"},
                {"owner"},
                {"since"},
                {"reason"}});
}

// A line of the table, `shown` under an id and a state that may be those of a change.
void add_alert(Table& table, const std::string& id, const std::string& state,
               const judge::Alert& shown) {
  table.add({id, state, shown.kind, report::change_text(shown), worst_text(shown),
             report::culprit_text(shown), shown.owner, shown.opened_utc.substr(0, 10),
             shown.reason});
}

}  // namespace

void print_changes(Context& context, const std::vector<judge::HostsOfChange>& changes,
                   const std::map<std::string, Host>& names) {
  Table table = alert_table();
  for (const judge::HostsOfChange& change : changes) {
    add_alert(table, change.first->id, state_text(change), judge::speaker_of(change));
  }
  table.print(context.out);
  print_hosts_of_changes(context, changes, names);
}

Json changes_json(const std::vector<judge::HostsOfChange>& changes) {
  Json list = Json::array();
  for (const judge::HostsOfChange& change : changes) {
    Json hosts = Json::array();
    for (const judge::OnHost& host : change.hosts) {
      hosts.push_back({{"host", host.host_id},
                       {"alert", host.alert != nullptr ? Json(host.alert->id) : Json()},
                       {"before", host.alert != nullptr ? Json() : Json(host.before)},
                       {"after", host.alert != nullptr ? Json() : Json(host.after)},
                       {"known", judge::is_known(host)}});
    }
    list.push_back({{"id", change.first->id},
                    {"state", judge::state_text(judge::speaker_of(change).state)},
                    {"first_bad", change.first->first_bad},
                    {"direction", change.first->direction},
                    {"hosts", std::move(hosts)}});
  }
  return list;
}

Json events_json(const std::vector<store::AlertEvent>& events) {
  Json list = Json::array();
  for (const store::AlertEvent& event : events) {
    const Json body = parse_json(event.body, "event " + event.id);
    const auto text = [&](const char* key) {
      const auto it = body.find(key);
      return it != body.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    list.push_back({{"at", event.at_utc},
                    {"action", event.action},
                    {"by", text("by")},
                    {"reason", text("reason")}});
  }
  return list;
}

void print_events(Context& context, const std::vector<store::AlertEvent>& events) {
  Table table({{"when"}, {"what"}, {"by"}, {"why"}});
  for (const Json& one : events_json(events)) {
    table.add({one["at"], one["action"], one["by"], one["reason"]});
  }
  table.print(context.out);
}

void print_alerts(Context& context, const std::vector<judge::Alert>& alerts) {
  Table table = alert_table();
  for (const judge::Alert& alert : alerts) add_alert(table, alert.id, state_text(alert), alert);
  table.print(context.out);
}

void print_alert(Context& context, const judge::Alert& a) {
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty()) context.out << fmt::format("{:<10} {}\n", what, printable(text));
  };
  context.out << fmt::format("alert {}: {} {}, {}\n", a.id, a.kind, a.direction,
                             judge::state_text(a.state));
  line("commit", report::culprit_text(a));
  line("last good", short_commit(a.last_good));
  line("reason", a.reason);
  line("owner", a.owner);
  line("expires", a.expires);
  line("since", a.opened_utc);
  line("host", a.host_id.substr(0, 12));
  Table table({{"case"}, {"variant"}, {"threads", true}, {"change"}});
  for (const judge::AlertRow& row : a.rows) {
    table.add({row.row.case_text, row.row.variant + "@" + row.row.target,
               fmt::format("{}", row.row.threads), report::change_text(row)});
  }
  table.print(context.out);
  if (a.rows.empty() || a.kind == "creep") return;
  const std::string site = report::site_address(context.settings.site, ".");
  if (!site.empty()) {
    context.out << fmt::format("look at it: {}\n",
                               report::case_address(site, a.rows[0].row.case_text));
  }
  context.out << fmt::format("measure it again: nsop gate --base {} --head {} '{}'\n",
                             short_commit(a.last_good), short_commit(a.first_bad),
                             printable(a.rows[0].row.case_text));
}

void note_strange_events(Context& context, judge::Past& past) {
  for (const std::string& line : past.strange_events()) context.note("alerts: " + line);
}

}  // namespace nsop::cli
