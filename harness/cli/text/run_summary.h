// What `nsop run` ends with on a terminal: at most kMostLines lines.
#pragma once

#include <vector>

#include "harness/cli/context.h"
#include "harness/core/io/json.h"
#include "harness/report/base/data/run_data.h"

namespace nsop::cli {

constexpr size_t kMostLines = 40;

// Per report of a suite (see report::build_report()) how it ended and, where there is room, its
// slowest rows and the rest of its head; what of these is left out; what was not measured and why,
// in one line; where the reports are made.
void print_suites(Context& context, const std::vector<Json>& reports, const report::RunData& data);

// The measured rows, as many as fit, and why others were not.
void print_rows(Context& context, const report::RunData& data);

}  // namespace nsop::cli
