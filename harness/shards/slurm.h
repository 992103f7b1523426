// Slurm's commands, as they are on the search path: sbatch and squeue.
#pragma once

#include <string>
#include <vector>

#include "harness/shards/submission.h"

namespace nsop::shards {

// Submits an array of these shards, a node for each, and the merge after it; adds the jobs to the
// submission. Throws Error (environment) in one line where Slurm isn't there or refuses.
void submit_array(const std::string& folder, Submission& submission,
                  const std::vector<int>& shards);

// Waits until none of its jobs waits or runs. Throws run::Interrupted: the jobs go on.
void wait_for_jobs(const Submission& submission);

// Those of the submission's jobs that wait or run. Throws Error (environment).
std::vector<std::string> active_jobs(const Submission& submission);

}  // namespace nsop::shards
