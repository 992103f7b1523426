// Suites by their names.
#pragma once

#include <string>
#include <vector>

#include "harness/core/suite/suite.h"

namespace nsop::run {

// Throws Error (usage) with a hint when a name is none of the known ones.
void must_be_suites(const std::vector<std::string>& names, const std::vector<std::string>& known);

// The suites with these names, in the order of the names, or all of them when there are
// none. Throws as must_be_suites().
std::vector<Suite> named_suites(std::vector<Suite> all, const std::vector<std::string>& names);

}  // namespace nsop::run
