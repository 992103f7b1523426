// Slurm's commands, as they are on the search path: sbatch and squeue.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/run/measure.h"
#include "harness/shards/submission.h"

namespace nsop::shards {

// Submits an array of these shards, a node for each, and the merge after it; adds the jobs to the
// submission. Throws Error (environment) in one line where Slurm isn't there or refuses.
void submit_array(const std::string& folder, Submission& submission,
                  const std::vector<int>& shards);

// A job, or tasks of an array, that waits or runs.
struct SlurmJob {
  std::string id;  // of the array: each of its tasks has another one of its own
  bool waits = false;
  std::string reason;  // why it waits, in Slurm's words
  bool operator==(const SlurmJob&) const = default;
};

// Those of the submission in what squeue says in lines of `%F %T %r`.
std::vector<SlurmJob> jobs_in(const std::string& squeue, const Submission& submission);

// Why jobs wait, in Slurm's words, and which one does; not those whose turn in the submission
// itself hasn't come.
std::map<std::string, std::string> waiting_for(const std::vector<SlurmJob>& jobs);
// A job that Slurm took and will never start as it was asked for; nullptr: none.
const SlurmJob* hopeless_job(const std::vector<SlurmJob>& jobs);

// Why a command of Slurm's failed, out of what it wrote.
std::string refusal_text(const std::string& output);

// Waits until none of its jobs waits or runs, and notes once each reason why they wait. Throws
// Error (environment) where one never starts, run::Interrupted: the jobs go on.
void wait_for_jobs(const std::string& folder, const Submission& submission, const run::Note& note);

// Those of the submission's jobs that wait or run. Throws Error (environment).
std::vector<SlurmJob> active_jobs(const Submission& submission);

}  // namespace nsop::shards
