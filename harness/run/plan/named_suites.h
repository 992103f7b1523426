// Suites by their names.
#pragma once

#include <string>
#include <vector>

#include "harness/core/sample.h"
#include "harness/core/suite/suite.h"

namespace nsop::run {

// Throws Error (usage) with a hint when a name is none of the known ones.
void must_be_suites(const std::vector<std::string>& names, const std::vector<std::string>& known);

// The suites with these names, in the order of the names, or all of them when there are
// none. Throws as must_be_suites().
std::vector<Suite> named_suites(std::vector<Suite> all, const std::vector<std::string>& names);

// The suites that a run measured, or of these names, as it measured them: of a tagged run only the
// tagged cases, and a sentence that says so; none without a case. Of benchmarks of other projects,
// a suite for each program, which no file names. Throws Error (usage) where it measured single
// cases and no name is given, and as must_be_suites(). `all`: as they are now.
std::vector<Suite> measured_suites(std::vector<Suite> all, const Run& run,
                                   const std::vector<std::string>& names);

}  // namespace nsop::run
