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

}  // namespace

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

Json hosts_of_changes_json(const std::vector<judge::HostsOfChange>& changes) {
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
    list.push_back({{"first_bad", change.first->first_bad},
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
  Table table({{"alert"},
               {"state"},
               {"kind"},
               {"change", true},
               {"rows"},
               {"commit"},
               {"owner"},
               {"since"},
               {"reason"}});
  for (const judge::Alert& a : alerts) {
    const std::string state =
        judge::state_text(a.state) + (a.expires.empty() ? "" : " until " + a.expires);
    table.add({a.id, state, a.kind, report::change_text(a), worst_text(a), report::culprit_text(a),
               a.owner, a.opened_utc.substr(0, 10), a.reason});
  }
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
