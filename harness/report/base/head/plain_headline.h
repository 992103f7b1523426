// The first line of a report that compares its rows with nothing but other runs.
#pragma once

#include <string>

#include "harness/report/base/context.h"

namespace nsop::report {

// `answer`: what the form says first; empty: nothing. Then, of a log of releases, what they brought
// from the first to this run, and how many rows were measured.
std::string plain_headline(const Context& context, const std::string& answer);

}  // namespace nsop::report
