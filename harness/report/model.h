// From a suite and a run to the report model, JSON of schema `nsop.report/1`
// (docs/report.schema.json).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/report/base/run_data.h"

namespace nsop::report {

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
