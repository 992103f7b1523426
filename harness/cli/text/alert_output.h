// Alerts as text.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/core/io/json.h"
#include "harness/judge/history/alert.h"
#include "harness/judge/history/past.h"

namespace nsop::cli {

void print_alerts(Context& context, const std::vector<judge::Alert>& alerts);

// One alert with all its rows, and what to do next.
void print_alert(Context& context, const judge::Alert& alert);

// What happened to it, oldest first: when, what, by whom and why.
void print_events(Context& context, const std::vector<store::AlertEvent>& events);
Json events_json(const std::vector<store::AlertEvent>& events);

// Says on standard error which events this version leaves out.
void note_strange_events(Context& context, judge::Past& past);

}  // namespace nsop::cli
