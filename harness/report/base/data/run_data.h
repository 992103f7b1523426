// What a report is made of: stored runs with their summaries.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/sample.h"
#include "harness/report/base/data/history_status.h"
#include "harness/stats/comparison.h"

namespace nsop::report {

// What a report needs of a stored run; `rows` is stats::summarize of its invocations.
struct RunData {
  Run run;
  Host host;
  std::vector<Build> builds;
  std::vector<stats::RowSummary> rows;
  // Cases and thread counts that the run was to measure; empty: not known.
  std::set<std::pair<std::string, int>> planned{};
  std::string nodes{};  // which of them measured what, in one line; empty: one machine all
  std::optional<HistoryStatus> history{};  // of the report's own run; nullopt: nobody asked
};

// A run in a tracking log.
struct Release {
  std::string name;    // of the release or baseline, or as it was asked for
  std::string reason;  // of the baseline
  RunData data;        // without a run: nobody measured it on the host of the report's run
  std::vector<std::string> changes;  // one line each
  std::string commit{};              // as the project lists it; empty: it doesn't
  bool measured() const { return !data.run.id.empty(); }
};

}  // namespace nsop::report
