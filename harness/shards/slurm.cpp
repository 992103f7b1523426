#include "harness/shards/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/judge/builds/command.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::shards {
namespace {

// What the program wrote, without blanks around it.
std::string slurm_says(const std::vector<std::string>& command) {
  if (program_on_path(command.front()).empty()) {
    throw environment_error(fmt::format(
        "{} isn't on the search path: install Slurm's client (Debian: slurm-client), or measure on "
        "this machine with --local N",
        command.front()));
  }
  const judge::CommandResult result = judge::run_command(command, ".");
  if (result.status == 0) return trim(result.output);
  throw environment_error(
      fmt::format("{} refuses: {}; nothing is lost, `nsop submit --resume` tries again",
                  command.front(), judge::first_error(result.output)));
}

std::vector<std::string> sbatch(const std::string& folder, const Submission& s,
                                const std::string& name) {
  std::vector<std::string> command = {"sbatch",           "--parsable", "--job-name=" + name,
                                      "--nodes=1",        "--ntasks=1", "--open-mode=append",
                                      "--chdir=" + folder};
  command.insert(command.end(), s.slurm.begin(), s.slurm.end());
  return command;
}

// `12` of `12;cluster`.
std::string job_id(const std::string& said) {
  const std::string id = split(said, ';').front();
  const bool is_number = !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return c >= '0' && c <= '9';
  });
  if (is_number) return id;
  throw environment_error("sbatch gave no job's number, but: " + message_line(said));
}

}  // namespace

void submit_array(const std::string& folder, Submission& s, const std::vector<int>& shards) {
  const std::string name = "nsop-" + short_id(s.id);
  std::vector<std::string> array = sbatch(folder, s, name);
  array.push_back("--exclusive");
  array.push_back("--no-requeue");
  array.push_back(fmt::format("--array={}{}", fmt::join(shards, ","),
                              s.nodes > 0 ? fmt::format("%{}", s.nodes) : ""));
  if (!s.excluded.empty()) array.push_back("--exclude=" + join(s.excluded, ","));
  array.push_back("--output=" + folder + "/shard-%a.log");
  array.push_back(folder + "/shard.sh");
  const std::string first = job_id(slurm_says(array));
  s.jobs.push_back(first);
  write_submission(folder, s);
  std::vector<std::string> merge = sbatch(folder, s, name + "-merge");
  merge.push_back("--dependency=afterany:" + first);
  merge.push_back("--output=" + folder + "/merge.log");
  merge.push_back(folder + "/merge.sh");
  s.jobs.push_back(job_id(slurm_says(merge)));
  write_submission(folder, s);
}

std::vector<std::string> active_jobs(const Submission& submission) {
  if (submission.jobs.empty()) return {};
  // Slurm forgets jobs some minutes after their end, and then doesn't know their numbers.
  std::vector<std::string> active;
  for (const std::string& job :
       split(slurm_says({"squeue", "--noheader", "--format=%A", "--me"}), '\n')) {
    const bool is_ours = std::find(submission.jobs.begin(), submission.jobs.end(), trim(job)) !=
                         submission.jobs.end();
    if (is_ours) active.push_back(trim(job));
  }
  std::sort(active.begin(), active.end());
  active.erase(std::unique(active.begin(), active.end()), active.end());
  return active;
}

void wait_for_jobs(const Submission& submission) {
  while (!active_jobs(submission).empty()) {
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      run::throw_if_interrupted();
    }
  }
}

}  // namespace nsop::shards
