// What an alert says, as text.
#pragma once

#include <map>
#include <string>

#include "harness/core/sample.h"
#include "harness/judge/history/across_hosts.h"
#include "harness/judge/history/alert.h"

namespace nsop::report {

// `+6.1 % [+5.4 %, +6.9 %]`, or what was seen in place of a time.
std::string change_text(const judge::AlertRow& row);
// `+6.1 % .. +8.0 %` of all its rows, or its kind in place of times.
std::string change_text(const judge::Alert& alert);

// `1a2b3c4d5e6f Subject`, `... or one of 3 before it that can't be judged`, `1a2b..3c4d` where the
// commit isn't known.
std::string culprit_text(const judge::Alert& alert);

// `worse +8.0 % on A (1a2b3c4d), alert 0123456789ab`, or `no change found on B (...), 14 runs
// before and 20 since`; `names` are those of the hosts.
std::string on_host_text(const judge::HostsOfChange& change, const judge::OnHost& host,
                         const std::map<std::string, Host>& names);

}  // namespace nsop::report
