// The line of a report's head that says what changed against the run before.
#pragma once

#include <string>

#include "harness/report/base/context.h"

namespace nsop::report {

// `2026-01-31`: when the run started.
std::string day_of(const Run& run);

// The name of the release that the previous run is; empty where it is none of a log's, or there is
// no previous run.
std::string previous_release(const Context& context);

// What changed against the previous run or, in a log of releases, the last one, by the cells of the column that speaks of it; says so
// where there is none, or one of another machine.
std::string previous_line(const Context& context);

}  // namespace nsop::report
