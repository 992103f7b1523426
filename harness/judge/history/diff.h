// Two stored runs against each other, with what the host's past says of the noise between runs.
#pragma once

#include <vector>

#include "harness/core/error.h"
#include "harness/core/sample.h"
#include "harness/stats/between_runs.h"
#include "harness/stats/comparison.h"
#include "harness/store/store.h"

namespace nsop::judge {

// A stored run with its summaries; what is referred to must outlive it.
struct DiffSide {
  const Run& run;
  const Host& host;
  const std::vector<Build>& builds;
  const std::vector<stats::RowSummary>& rows;
};

struct RunDiff {
  stats::Diff diff;
  stats::LearnedTau learned;  // of the host of `after`
  stats::Policy policy;
};

RunDiff diff_runs(const store::Store& store, const DiffSide& before, const DiffSide& after);

// Does any row stand in both runs?
bool has_common_row(const stats::Diff& diff);

// 1 with a worse row; 3 with one that is inconclusive, incomparable or lost, for runs of unlike
// hosts, when an unfinished run may not have reached a row, and when no row is in both; else 0.
ExitCode exit_of(const stats::Diff& diff, bool both_complete);

}  // namespace nsop::judge
