#include "harness/shards/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/judge/builds/command.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::shards {
namespace {

constexpr const char* kAgain = "nothing is lost, `nsop submit --resume` tries again";

// What the program wrote, without blanks around it.
std::string slurm_says(const std::vector<std::string>& command,
                       const std::string& advice = kAgain) {
  if (program_on_path(command.front()).empty()) {
    throw environment_error(fmt::format(
        "{} isn't on the search path: install Slurm's client (Debian: slurm-client), or measure on "
        "this machine with --local N",
        command.front()));
  }
  const judge::CommandResult result = judge::run_command(command, ".");
  if (result.status == 0) return trim(result.output);
  throw environment_error(
      fmt::format("{} refuses: {}; {}", command.front(), refusal_text(result.output), advice));
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

std::set<std::string> ids_of(const std::vector<SlurmJob>& jobs) {
  std::set<std::string> ids;
  for (const SlurmJob& job : jobs) ids.insert(job.id);
  return ids;
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
  s.jobs.push_back(job_id(slurm_says(
      merge, fmt::format("array job {} measures all the same: when it has ended, `nsop merge {}` "
                         "stores it",
                         first, folder))));
  write_submission(folder, s);
}

std::string refusal_text(const std::string& output) {
  std::string said;  // but that it tries again, which it did for two minutes
  for (const std::string& line : split(output, '\n')) {
    if (!line.ends_with("retrying")) said += line + "\n";
  }
  const std::string reason = judge::first_error(said);
  const bool is_full = reason.find("Resource temporarily unavailable") != std::string::npos;
  return is_full ? reason + " (its queue is full: MaxJobCount)" : reason;
}

std::vector<SlurmJob> jobs_in(const std::string& squeue, const Submission& submission) {
  std::vector<SlurmJob> jobs;
  for (const std::string& line : split(squeue, '\n')) {
    const std::vector<std::string> words = split(trim(line), ' ');
    const bool is_ours =
        words.size() > 1 && std::find(submission.jobs.begin(), submission.jobs.end(), words[0]) !=
                                submission.jobs.end();
    if (!is_ours) continue;
    const bool waits = words[1] == "PENDING";
    jobs.push_back({words[0], waits, waits ? join({words.begin() + 2, words.end()}, " ") : ""});
  }
  return jobs;
}

std::map<std::string, std::string> waiting_for(const std::vector<SlurmJob>& jobs) {
  // The merge waits for the array, and the array for its own tasks: what was asked for.
  static const std::set<std::string> kOwn = {"", "None", "Dependency", "JobArrayTaskLimit"};
  std::map<std::string, std::string> reasons;
  for (const SlurmJob& job : jobs) {
    if (job.waits && !kOwn.contains(job.reason)) reasons.emplace(job.reason, job.id);
  }
  return reasons;
}

const SlurmJob* hopeless_job(const std::vector<SlurmJob>& jobs) {
  static const std::set<std::string> kNever = {"BadConstraints", "InvalidAccount", "InvalidQOS",
                                               "PartitionNodeLimit", "PartitionTimeLimit"};
  const auto found = std::find_if(jobs.begin(), jobs.end(), [](const SlurmJob& job) {
    return job.waits && kNever.contains(job.reason);
  });
  return found == jobs.end() ? nullptr : &*found;
}

std::vector<SlurmJob> active_jobs(const Submission& submission) {
  if (submission.jobs.empty()) return {};
  // Slurm forgets jobs some minutes after their end, and then doesn't know their numbers.
  return jobs_in(slurm_says({"squeue", "--noheader", "--format=%F %T %r", "--me"}), submission);
}

void wait_for_jobs(const std::string& folder, const Submission& submission, const run::Note& note) {
  std::set<std::string> said;
  for (auto jobs = active_jobs(submission); !jobs.empty(); jobs = active_jobs(submission)) {
    if (const SlurmJob* job = hopeless_job(jobs)) {
      throw environment_error(fmt::format(
          "job {} never starts: {}; end it with `scancel {}`, then `nsop submit --resume "
          "{}` goes on, with other options",
          job->id, job->reason, fmt::join(ids_of(jobs), " "), folder));
    }
    for (const auto& [reason, id] : waiting_for(jobs)) {
      if (said.insert(reason).second) note(fmt::format("job {} waits: {}", id, reason));
    }
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      run::throw_if_interrupted();
    }
  }
}

}  // namespace nsop::shards
