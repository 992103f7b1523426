// Two runs of a machine, as the site compares them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/store/store.h"

namespace nsop::report {

// Two runs of a store, by id.
struct RunPair {
  std::string before, after;
};

using PairSink = std::function<void(const Json& pair)>;

// Throws Error (usage) for one run twice, for runs of two hosts, and for a run that no site shows.
void must_be_comparable(const store::Store& store, const RunPair& pair);

// Any two of each host's newest eight runs that share a suite, or that measured none both; a run
// that shares none with those has an earlier one: the newest of those with which it shares most.
// Then `asked`, two runs that are comparable. A line as a gate's, with `of` set to `runs`.
// `runs` are those that are shown, newest first; `all` are the suites of the project. Throws Error
// (usage) if no row is in both runs that are asked for.
void send_run_pairs(const store::Store& store, const std::vector<store::RunSummary>& runs,
                    const std::vector<Suite>& all, const std::vector<RunPair>& asked,
                    const PairSink& sink);

}  // namespace nsop::report
