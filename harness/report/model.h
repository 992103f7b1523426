// From a suite and a run to the report model, JSON of schema `nsop.report/1`
// (docs/report.schema.json).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/json.h"
#include "harness/core/sample.h"
#include "harness/core/suite.h"
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
};

// A run in a tracking log.
struct Release {
  std::string name;    // of the baseline, or as it was asked for
  std::string reason;  // of the baseline
  RunData data;
  std::vector<std::string> changes;  // one line each
};

// Builds the whole report: typed cells, notes, plots and footer. Pure: equal arguments give equal
// JSON, and no time but the runs' own appears in it. Cases of the suite that the run did not
// measure are said to be missing, never guessed. A suite line is found among the run's canonical
// case texts by its op and its key=value pairs, numbers compared by value; a key with its absent
// value must be left out of the line. `limits` is a run that measured what the machine can do, for
// a current run that did not; it is left alone when it is of another host. `releases` are the
// lines of a tracking log, oldest first; the last one is the current run. Throws Error (usage) for
// an unknown template.
Json build_report(const Suite& suite, const RunData& current,
                  const std::optional<RunData>& previous,
                  const std::optional<RunData>& limits = std::nullopt,
                  const std::vector<Release>& releases = {});

// The JSON as it is written to a file: indented, with a final newline.
std::string report_text(const Json& report);

}  // namespace nsop::report
