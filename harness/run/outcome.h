// What a measured run comes to, as an exit code.
#pragma once

#include <vector>

#include "harness/core/error.h"
#include "harness/run/workers/worker_client.h"
#include "harness/stats/summary.h"

namespace nsop::run {

// kFailed where a variant of ours (not a peer, not a `before`) gave a wrong result, crashed or
// hung; else kOk where a row has a time, kInconclusive where none has. `variants` are those of our
// worker.
ExitCode run_outcome(const std::vector<stats::RowSummary>& rows,
                     const std::vector<VariantInfo>& variants);

// Which of two ends counts where both happened, by the order of precedence of ExitCode; an end by a
// signal comes before all.
ExitCode worse_of(ExitCode a, ExitCode b);

}  // namespace nsop::run
