// What `nsop check` says at its end.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/context.h"
#include "harness/judge/nightly/alert.h"
#include "harness/judge/nightly/follow_up.h"

namespace nsop::cli {

struct CheckReport {
  std::string run_id, commit, host_id;
  size_t rows = 0;                       // of ours that this night measured
  size_t judged = 0;                     // of them with a history long enough
  std::vector<std::string> wrong;        // rows of ours with a wrong result
  std::vector<std::string> failing;      // rows of ours that failed, and never worked before
  std::vector<std::string> gone;         // rows that the night before had and this one hasn't
  std::vector<judge::Suspect> suspects;  // not dealt with in earlier nights
  judge::FollowUp follow_up;
  std::vector<judge::Alert> open;    // of this host, regressions only
  std::vector<judge::Alert> closed;  // by this check, of any host
  bool confirmed = true;             // false: suspects were not to be measured again
};

// Text or, with --json, `nsop.check/1`. Returns the exit code: 1 with an open regression, a wrong
// row or one that never worked, 3 with suspects that could not be decided or without any history,
// else 0.
ExitCode show_check(Context& context, const CheckReport& report);

}  // namespace nsop::cli
