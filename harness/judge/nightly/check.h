// The judgement of a night: what the history makes suspicious is measured again, and what that says
// becomes alerts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/suite/known_changes.h"
#include "harness/judge/builds/revisions.h"
#include "harness/judge/history/alert.h"
#include "harness/judge/history/nights.h"
#include "harness/judge/history/past.h"
#include "harness/judge/nightly/follow_up.h"
#include "harness/run/plan/plan.h"

namespace nsop::judge {

struct CheckReport {
  std::string run_id, commit, host_id;
  size_t rows = 0;                   // of ours that this night measured
  size_t judged = 0;                 // of them with a history long enough
  std::vector<std::string> wrong;    // rows of ours with a wrong result
  std::vector<std::string> failing;  // rows of ours that failed, and never worked before
  std::vector<std::string> gone;     // rows that the night before had and this one hasn't
  std::vector<Suspect> suspects;     // not dealt with in earlier nights
  FollowUp follow_up;
  std::vector<Alert> open;    // of this host, regressions only
  std::vector<Alert> closed;  // by this check, of any host
  bool confirmed = true;      // false: suspects were not to be measured again
};

// 1 with an open regression, a wrong row or one that never worked, 3 with suspects that could not
// be decided or without any history, else 0.
ExitCode exit_of(const CheckReport& report);

struct CheckRules {
  BuildPlace place;
  std::string baseline;            // baseline or revision that slow creep is measured from
  std::vector<KnownChange> known;  // declared changes
  bool confirm = true;             // measure suspects again
  bool search = true;              // bisect what is confirmed
};

// What a night is judged by: everything must outlive the call.
struct CheckSources {
  const store::Store& store;
  Past& past;              // the night among it
  const run::Hello& ours;  // of the worker whose rows are judged
  Lab& lab;                // measures again
  const BuildNote& note;
};

// Failed in this night, without a wrong result, and in every one before: no suspect, because
// nothing changed, and not right.
bool never_worked(const Line& line);

// Looks for suspects, measures them again if the rules say so, then looks at the alerts that are
// there. Every event is stored as soon as it is certain. Throws as follow_up() and revisit() do.
CheckReport check_night(const Night& night, const CheckRules& rules, const CheckSources& sources);

}  // namespace nsop::judge
