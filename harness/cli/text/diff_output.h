// What `nsop diff` prints.
#pragma once

#include <string>

#include "harness/cli/context.h"
#include "harness/judge/history/diff.h"
#include "harness/report/base/data/run_data.h"
#include "harness/stats/comparison.h"

namespace nsop::cli {

// The table or, with --json, `nsop.diff/1`. `all`: rows with the verdict `same`, too.
void show_diff(Context& context, const report::RunData& before, const report::RunData& after,
               const stats::Diff& diff, bool all);

// How much runs of one build are expected to differ, and from what that is known.
std::string tau_text(const judge::RunDiff& diff);

}  // namespace nsop::cli
