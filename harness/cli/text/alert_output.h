// Alerts as text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/core/io/json.h"
#include "harness/judge/history/across_hosts.h"
#include "harness/judge/history/alert.h"
#include "harness/judge/history/past.h"

namespace nsop::cli {

void print_alerts(Context& context, const std::vector<judge::Alert>& alerts);

// The same of changes, one alert each whatever the number of its hosts; then a line for each change
// that more than one host has measured: what they say of it. `names` are those of the hosts.
void print_changes(Context& context, const std::vector<judge::HostsOfChange>& changes,
                   const std::map<std::string, Host>& names);
Json changes_json(const std::vector<judge::HostsOfChange>& changes);

// One alert with all its rows, and what to do next.
void print_alert(Context& context, const judge::Alert& alert);

// What happened to it, oldest first: when, what, by whom and why.
void print_events(Context& context, const std::vector<store::AlertEvent>& events);
Json events_json(const std::vector<store::AlertEvent>& events);

// Says on standard error which events this version leaves out.
void note_strange_events(Context& context, judge::Past& past);

}  // namespace nsop::cli
