// nsop alert, a verb (verbs.h): what nightly checks have confirmed, and what people answer.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "harness/cli/text/alert_output.h"
#include "harness/cli/verbs.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/judge/history/past.h"

namespace nsop::cli {
namespace {

using judge::Alert;

struct AlertListOptions {
  std::string folder, host;
  bool all = false;
};
struct ShowOptions {
  std::string folder, id;
};
struct ChangeOptions {
  std::string folder, id, host, owner, reason, expires;
};

void declare_folder(CLI::App& verb, std::string& folder) {
  verb.add_option("--history", folder, "Folder that `nsop check --history` keeps");
}

std::string user() {
  const char* name = std::getenv("USER");
  return name != nullptr && *name != '\0' ? name : fmt::format("uid {}", getuid());
}

judge::BuildPlace place_of(const Context& context) { return {context.settings.root, {}}; }

// With the id of its change.
Json alert_of_change_json(const Alert& alert, const judge::HostsOfChange& change) {
  Json one = alert_json(alert);
  one["change"] = change.first->id;
  return one;
}

ExitCode list_alerts(Context& context, const AlertListOptions& o) {
  judge::Past past(context.settings.db, o.folder);
  note_strange_events(context, past);
  std::vector<Alert> alerts = past.alerts();
  if (!o.host.empty()) {
    const std::string host = judge::find_host(past, o.host);
    std::erase_if(alerts, [&](const Alert& a) { return a.host_id != host; });
  }
  judge::AcrossHosts across = judge::across_hosts(past, std::move(alerts), place_of(context));
  if (!o.all) {
    std::erase_if(across.changes, [](const judge::HostsOfChange& change) {
      return !judge::is_waiting(judge::speaker_of(change).state);
    });
  }
  if (context.json) {
    Json list = Json::array();
    for (const judge::HostsOfChange& change : across.changes) {
      for (const Alert* alert : judge::alerts_in(change)) {
        list.push_back(alert_of_change_json(*alert, change));
      }
    }
    context.out << Json{{"schema", "nsop.alerts/1"},
                        {"alerts", std::move(list)},
                        {"changes", changes_json(across.changes)}}
                       .dump(2)
                << '\n';
    return ExitCode::kOk;
  }
  if (across.changes.empty()) {
    context.note(o.all ? "no alerts"
                       : "no open, accepted or inconclusive alerts (--all shows the others)");
  } else {
    print_changes(context, across.changes, across.hosts);
  }
  return ExitCode::kOk;
}

ExitCode show_alert(Context& context, const ShowOptions& o) {
  judge::Past past(context.settings.db, o.folder);
  const judge::AcrossHosts across = judge::across_hosts(past, past.alerts(), place_of(context));
  const judge::HostsOfChange& change =
      judge::change_of(across, judge::find_alert(across.alerts, o.id).id);
  Json list = Json::array();
  for (const Alert* alert : judge::alerts_in(change)) {
    const std::vector<store::AlertEvent> events = past.events_of(alert->id);
    if (context.json) {
      Json one = alert_of_change_json(*alert, change);
      one["events"] = events_json(events);
      list.push_back(std::move(one));
      continue;
    }
    if (alert != change.first) context.out << '\n';
    print_alert(context, *alert);
    print_events(context, events);
  }
  if (context.json) {
    context.out << Json{{"schema", "nsop.alerts/1"}, {"alerts", std::move(list)}}.dump(2) << '\n';
  }
  return ExitCode::kOk;
}

ExitCode change_alert(Context& context, const ChangeOptions& o, const std::string& action) {
  judge::Past past(context.settings.db, o.folder);
  const judge::AcrossHosts across = judge::across_hosts(past, past.alerts(), place_of(context));
  const std::vector<store::AlertEvent> events =
      judge::answers(across, judge::find_alert(across.alerts, o.id).id, o.host,
                     {action, o.owner, o.reason, o.expires, user()}, utc_now());
  for (const store::AlertEvent& event : events) past.append(event);
  const std::vector<Alert> after = past.alerts();
  for (const store::AlertEvent& event : events) {
    const Alert& alert = judge::find_alert(after, event.alert_id);
    context.note(
        fmt::format("alert {} is {}{} now{}", alert.id, judge::state_text(alert.state),
                    alert.expires.empty() ? "" : " until " + alert.expires,
                    events.size() > 1 ? fmt::format(" on host {}", short_id(alert.host_id)) : ""));
  }
  return ExitCode::kOk;
}

void add_change(CLI::App& verb, Context& context, const std::string& action,
                const std::string& help) {
  add_verb<ChangeOptions>(
      verb, context, action, help,
      [action](CLI::App& v, ChangeOptions& o) {
        v.add_option("alert", o.id, "Start of its id")->required();
        v.add_option("--reason", o.reason, "Why; kept with it")->required();
        v.add_option("--owner", o.owner, "Who answers for it from now on");
        v.add_option("--host", o.host, "Start of a host's id (default: all that have the change)");
        if (action == "accept") {
          v.add_option("--expires", o.expires, "Last day of it, e.g. 2026-12-31; then it is open");
        }
        declare_folder(v, o.folder);
      },
      [action](Context& c, const ChangeOptions& o) { return change_alert(c, o, action); });
}

}  // namespace

void bind_alert(CLI::App& verb, Context& context) {
  verb.require_subcommand(1);
  add_verb<AlertListOptions>(
      verb, context, "list", "Open, accepted and inconclusive alerts",
      [](CLI::App& v, AlertListOptions& o) {
        v.add_flag("--all", o.all, "Also closed ones, improvements and what was noise");
        v.add_option("--host", o.host, "Start of a host's id (default: all)");
        declare_folder(v, o.folder);
      },
      list_alerts);
  add_verb<ShowOptions>(
      verb, context, "show", "One alert with its rows",
      [](CLI::App& v, ShowOptions& o) {
        v.add_option("alert", o.id, "Start of its id")->required();
        declare_folder(v, o.folder);
      },
      show_alert);
  add_change(verb, context, "accept", "It may stay, for a reason and perhaps until a day");
  add_change(verb, context, "close", "It is dealt with");
  add_change(verb, context, "reopen", "It is not");
}

}  // namespace nsop::cli
