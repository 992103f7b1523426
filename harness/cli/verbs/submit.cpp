// nsop submit and nsop merge, two verbs (verbs.h): a run in shards, on the nodes of a Slurm cluster
// or the cores of this machine.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "harness/cli/selection.h"
#include "harness/cli/submission.h"
#include "harness/cli/verbs.h"
#include "harness/run/progress.h"
#include "harness/shards/gates.h"
#include "harness/shards/lacking.h"
#include "harness/shards/merge.h"
#include "harness/shards/slurm.h"

namespace nsop::cli {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> kMayChange = {"--partition", "--constraint", "--time", "--nodes",
                                          "--wait"};

struct SubmitOptions : MeasureOptions, SubmissionOptions {
  std::string resume;
  std::vector<const CLI::Option*> fixed;  // what a submission that goes on takes from its folder
};

struct MergeOptions {
  std::string folder;
};

void declare_submit(CLI::App& verb, SubmitOptions& o) {
  declare_selection(verb, o);
  declare_submission(verb, o);
  for (const CLI::Option* option : verb.get_options()) {
    if (!kMayChange.contains(option->get_name())) o.fixed.push_back(option);
  }
  verb.add_option("--resume", o.resume,
                  "Submit again what this folder's submission lacks; --partition, --constraint, "
                  "--time and --nodes may be others than before");
}

void declare_merge(CLI::App& verb, MergeOptions& o) {
  verb.add_option("folder", o.folder, "The folder of the submission")->required();
}

ExitCode submit_new(Context& context, const SubmitOptions& o) {
  if (o.shards < 1) throw usage_error("give --shards N, or --resume FOLDER");
  refuse_secret(context.settings);
  MeasureOptions measured = o;
  measured.seed = run::seed_of(o.seed);
  size_t cases = 0;
  {
    const run::Job job = new_job(context.settings, measured);  // what it refuses costs no node
    cases = shards::shards_of_cases(job.plan, o.shards).size();
    if (cases >= static_cast<size_t>(o.shards)) {
      context.note(fmt::format("{} rows of {} cases in {} shards, about {} each",
                               job.plan.rows.size(), job.plan.cases.size(), o.shards,
                               run::duration_text(run::estimate_seconds(job.plan) / o.shards)));
    }
  }
  return submit(context, o, "run", selection_arguments(context, measured), cases);
}

std::vector<shards::ShardReport> reports_of(const std::string& folder,
                                            const shards::Submission& submission) {
  if (submission.verb == "gate") return shards::read_gates(folder, submission).reports;
  return shards::read_shards(folder, submission).reports;
}

void refuse_other_words(const Context& context, const SubmitOptions& o,
                        const shards::Submission& submission) {
  const auto refuse = [](const std::string& name) {
    throw usage_error(name +
                      ": --resume measures what was submitted; only --partition, --constraint, "
                      "--time and --nodes may be others");
  };
  for (const CLI::Option* option : o.fixed) {
    if (option->count() > 0) refuse(option->get_name());
  }
  for (const auto& [name, value] : {std::pair("--worker", context.worker_flag),
                                    {"--suites", context.suites_flag},
                                    {"--adapter", context.adapter_flag},
                                    {"--program", context.program_flag}}) {
    if (!value.empty()) refuse(name);
  }
  if (!context.db_flag.empty() && stored_address(context.settings.db) != submission.db) {
    refuse("--db");
  }
}

ExitCode resume(Context& context, const SubmitOptions& o) {
  const std::string folder = fs::absolute(o.resume).string();
  shards::Submission submission = shards::read_submission(folder);
  refuse_other_words(context, o, submission);
  take_cluster_options(o, submission);
  context.settings.db = submission.db;
  if (submission.local == 0) {
    const std::vector<shards::SlurmJob> active = shards::active_jobs(submission);
    if (!active.empty()) {
      throw usage_error(
          fmt::format("{}: job {} still waits or runs; see squeue, end it with scancel", folder,
                      active.front().id));
    }
  }
  const std::vector<int> lacking =
      shards::take_lacking(folder, submission, reports_of(folder, submission));
  if (lacking.empty()) return merge_folder(context, folder);
  shards::write_submission(folder, submission);
  return start_shards(context, o, folder, submission, lacking);
}

ExitCode submit_verb(Context& context, const SubmitOptions& o) {
  return o.resume.empty() ? submit_new(context, o) : resume(context, o);
}

ExitCode merge_verb(Context& context, const MergeOptions& o) {
  return merge_folder(context, fs::absolute(o.folder).string());
}

}  // namespace

void bind_submit(CLI::App& verb, Context& context) {
  bind_verb<SubmitOptions>(verb, context, declare_submit, submit_verb);
}

void bind_merge(CLI::App& verb, Context& context) {
  bind_verb<MergeOptions>(verb, context, declare_merge, merge_verb);
}

}  // namespace nsop::cli
