// The front page of a site: what holds now.
#pragma once

#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/judge/history/across_hosts.h"
#include "harness/report/site/cases.h"
#include "harness/store/store.h"

namespace nsop::report {

struct FrontSource {
  const std::vector<store::RunSummary>& runs;  // that are shown, newest first
  const judge::AcrossHosts& across;            // alerts of the hosts that are shown
  const std::vector<SiteCase>& cases;
  const ShownSuites& shown;
  const std::vector<Host>& hosts;  // that are shown
  std::string newest;              // when the newest run or night began; empty: there is none
  std::string unfinished;          // when a later run began that is not complete; empty: none did
  size_t rows = 0, looked_at = 0;  // of our own, and those with enough runs to look for changes
};

// Members of the site's line: conclusions, nightly, alerts, gains_peers, gains_limit, stale,
// health, hosts, runs and newest. Ages count from the newest run: no clock is read.
Json front_json(const FrontSource& source);

// How each host of the runs did in its newest one: as sentences with a state, ok or warn.
Json health_json(const ShownSuites& shown);

}  // namespace nsop::report
