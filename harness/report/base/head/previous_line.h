// The line of a report's head that says what changed against the run before.
#pragma once

#include <string>

#include "harness/report/base/context.h"

namespace nsop::report {

// `2026-01-31`: when the run started.
std::string day_of(const Run& run);

// The name of the last release of a log, where the run that this one is compared with is that of
// it; else empty.
std::string previous_release(const Context& context);

// What changed against the previous run or, in a log of releases, the last one, by the cells of the
// column that speaks of it; says so where there is none, or one of another machine.
std::string previous_line(const Context& context);

}  // namespace nsop::report
