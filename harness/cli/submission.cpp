#include "harness/cli/submission.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/cli/text/shards_output.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/command.h"
#include "harness/run/lock.h"
#include "harness/shards/gates.h"
#include "harness/shards/lacking.h"
#include "harness/shards/merge.h"
#include "harness/shards/scripts.h"
#include "harness/shards/slurm.h"
#include "harness/store/backend/address.h"
#include "harness/store/store.h"

namespace nsop::cli {
namespace {

namespace fs = std::filesystem;

void note_lacking(Context& context, const std::string& folder,
                  const std::vector<shards::ShardReport>& reports) {
  const size_t lacking = reports.size() - shards::count_of(reports, shards::ShardState::kComplete);
  if (lacking == 0) return;
  context.note(fmt::format("{} of {} shards lack; `nsop submit --resume {}` measures them", lacking,
                           reports.size(), folder));
}

ExitCode merge_run(Context& context, const std::string& folder,
                   const shards::Submission& submission) {
  const shards::Shards all = shards::read_shards(folder, submission);
  shards::Merged merged;
  if (shards::count_of(all.reports, shards::ShardState::kComplete) > 0) {
    store::Store store(context.settings.db);
    merged = shards::merge_shards(folder, submission, all, store);
  }
  show_merged(context, all, merged);
  note_lacking(context, folder, all.reports);
  return shards::outcome_of(all);
}

ExitCode merge_gate(Context& context, const std::string& folder,
                    const shards::Submission& submission) {
  const shards::Gates gates = shards::read_gates(folder, submission);
  if (shards::count_of(gates.reports, shards::ShardState::kComplete) > 0) {
    store::Store store(context.settings.db);
    shards::store_gates(folder, gates, store);
  }
  show_gates(context, gates);
  note_lacking(context, folder, gates.reports);
  return shards::outcome_of(gates);
}

void write_script(const std::string& path, const std::string& text) {
  write_file_atomically(path, text);
  fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
}

ExitCode measure_here(Context& context, const std::string& folder,
                      const shards::Submission& submission, const std::vector<int>& lacking) {
  const run::MeasuringLock lock(run::measuring_lock_path(), 10,
                                [&](const std::string& text) { context.note(text); });
  const auto slots = shards::shared_out(read_conditions().allowed_cpus, submission.local);
  write_script(folder + "/local.sh", shards::local_script(folder, submission, slots));
  std::vector<std::string> command = {"xargs", "--max-args=1",
                                      fmt::format("--max-procs={}", submission.local),
                                      "--process-slot-var=NSOP_SLOT", folder + "/local.sh"};
  std::string input;
  for (const int index : lacking) input += fmt::format("{}\n", index);
  judge::run_command(command, submission.project, input);  // a shard that failed is named below
  return merge_folder(context, folder);
}

}  // namespace

void declare_submission(CLI::App& verb, SubmissionOptions& o) {
  verb.add_option("--shards", o.shards, "Parts in which the cases are measured, each on one node")
      ->check(CLI::Range(1, 100'000));
  verb.add_option("--nodes", o.nodes, "Most nodes at once (default: as many as are free)")
      ->check(CLI::Range(1, 100'000));
  verb.add_option("--partition", o.partition, "Slurm's partition");
  verb.add_option("--constraint", o.constraint, "Only nodes with this feature, e.g. zen4");
  verb.add_option("--time", o.time_limit,
                  "Most time of a shard, as sbatch takes it, e.g. 30 or 1:00:00");
  verb.add_option("--folder", o.folder,
                  "What shards read and write, seen by all nodes (default: nsop-submit-ID here)");
  verb.add_option("--local", o.local,
                  "Without Slurm: so many processes on this machine, each with CPUs of its own")
      ->check(CLI::Range(1, 4096));
  verb.add_flag("--wait", o.wait, "Wait for the end, then show it as `nsop merge` does");
}

void take_cluster_options(const SubmissionOptions& o, shards::Submission& submission) {
  if (o.nodes > 0) submission.nodes = o.nodes;
  bool is_any = o.nodes > 0;
  for (const auto& [name, value] : {std::pair("--partition", o.partition),
                                    {"--constraint", o.constraint},
                                    {"--time", o.time_limit}}) {
    if (!value) continue;
    is_any = true;
    shards::set_slurm_option(submission, name, *value);
  }
  if (is_any && submission.local > 0) {
    throw usage_error(
        "--partition, --constraint, --time and --nodes are for Slurm; with --local this machine "
        "measures");
  }
}

std::string stored_address(const std::string& db) {
  return store::is_server(db) ? db : fs::absolute(db).string();
}

void refuse_secret(const Settings& settings) {
  if (!store::has_secret(settings.db)) return;
  throw usage_error(
      "--db has a password in it, which the submission's folder would keep: put it into "
      "~/.pgpass, or into a connection service file and give --db service=NAME");
}

ExitCode start_shards(Context& context, const SubmissionOptions& o, const std::string& folder,
                      shards::Submission& submission, const std::vector<int>& lacking) {
  if (submission.local > 0) return measure_here(context, folder, submission, lacking);
  write_script(folder + "/shard.sh", shards::shard_script(folder, submission));
  write_script(folder + "/merge.sh", shards::merge_script(folder, submission));
  shards::submit_array(folder, submission, lacking);
  const size_t jobs = submission.jobs.size();
  context.out << fmt::format("array job {} of {} shards, merge job {}; folder {}\n",
                             submission.jobs[jobs - 2], lacking.size(), submission.jobs[jobs - 1],
                             folder);
  if (!o.wait) return ExitCode::kOk;
  shards::wait_for_jobs(folder, submission, [&](const std::string& text) { context.note(text); });
  return merge_folder(context, folder);
}

ExitCode submit(Context& context, const SubmissionOptions& o, const std::string& verb,
                const std::vector<std::string>& arguments, size_t cases) {
  if (cases < static_cast<size_t>(o.shards)) {
    throw usage_error(fmt::format(
        "--shards {}: there are {} cases, at least one for each shard is needed", o.shards, cases));
  }
  shards::Submission submission;
  submission.id = new_uuid();
  submission.created_utc = utc_now();
  submission.program = fs::canonical("/proc/self/exe").string();
  submission.project = fs::absolute(context.settings.root).string();
  submission.db = stored_address(context.settings.db);
  submission.shards = o.shards;
  submission.local = o.local;
  submission.verb = verb;
  submission.arguments = arguments;
  take_cluster_options(o, submission);
  const std::string folder =
      fs::absolute(o.folder.empty() ? "nsop-submit-" + short_id(submission.id) : o.folder).string();
  if (fs::exists(folder) && !fs::is_empty(folder)) {
    throw usage_error(folder + ": the folder isn't empty; `nsop submit --resume` goes on with one");
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw environment_error(folder + ": " + error.message());
  shards::write_submission(folder, submission);
  std::vector<int> all(static_cast<size_t>(o.shards));
  for (int index = 1; index <= o.shards; ++index) all[static_cast<size_t>(index) - 1] = index;
  return start_shards(context, o, folder, submission, all);
}

ExitCode merge_folder(Context& context, const std::string& folder) {
  const shards::Submission submission = shards::read_submission(folder);
  const run::MeasuringLock lock(folder + "/merge.lock", 60, [](const std::string&) {});
  return submission.verb == "gate" ? merge_gate(context, folder, submission)
                                   : merge_run(context, folder, submission);
}

}  // namespace nsop::cli
