// From a suite and a run to the report model, JSON of schema `nsop.report/1`
// (docs/report.schema.json).
#pragma once

#include <optional>
#include <string>
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
};

// Builds the whole report: typed cells, notes, plots and footer. Pure: equal arguments give equal
// JSON, and no time but the runs' own appears in it. Cases of the suite that the run did not
// measure are said to be missing, never guessed. A suite line is found among the run's canonical
// case texts by its op and its key=value pairs, numbers compared by value; a key with its absent
// value must be left out of the line. `limits` is a run that measured what the machine can do, for
// a current run that did not; it is left alone when it is of another host. Throws Error (usage) for
// an unknown template.
Json build_report(const Suite& suite, const RunData& current,
                  const std::optional<RunData>& previous,
                  const std::optional<RunData>& limits = std::nullopt);

// The JSON as it is written to a file: indented, with a final newline.
std::string report_text(const Json& report);

}  // namespace nsop::report
