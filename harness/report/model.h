// From a suite and a run to the report model, JSON of schema `nsop.report/1`, and to its file, of
// schema `nsop.report/2` (docs/report.schema.json).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/io/json.h"
#include "harness/core/suite/suite.h"
#include "harness/report/base/data/run_data.h"
#include "harness/report/base/published/published.h"

namespace nsop::report {

// Builds the whole report: typed cells, notes, plots and footer. Pure: equal arguments give equal
// JSON, and no time but the runs' own appears in it. Cases of the suite that the run did not
// measure are said to be missing, never guessed. A suite line is found among the run's canonical
// case texts by its op and its key=value pairs, numbers compared by value; a key with its absent
// value must be left out of the line. `limits` is a run that measured what the machine can do, for
// a current run that did not; it is left alone when it is of another host. `releases` are the
// lines of a tracking log, oldest first; the last one is the current run: for a form that lists
// releases. `published`: what others published, shown where it is of the suite's cases, but not in
// a tracking log. Throws Error (usage) for an unknown form.
Json build_report(const Suite& suite, const RunData& current,
                  const std::optional<RunData>& previous,
                  const std::optional<RunData>& limits = std::nullopt,
                  const std::vector<Release>& releases = {},
                  const std::vector<Published>& published = {});

// The JSON as it is written to a file, with a final newline: a report compact (base/compact.h), a
// line for each row; a gate's report indented.
std::string report_text(const Json& report);

}  // namespace nsop::report
