// nsop submit and nsop merge, two verbs (verbs.h): a run in shards, on the nodes of a Slurm cluster
// or the cores of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/cli/selection.h"
#include "harness/cli/session.h"
#include "harness/cli/text/table.h"
#include "harness/cli/verbs.h"
#include "harness/core/files.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/core/io/json.h"
#include "harness/judge/builds/command.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"
#include "harness/shards/merge.h"
#include "harness/shards/scripts.h"
#include "harness/shards/slurm.h"
#include "harness/store/backend/address.h"

namespace nsop::cli {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions : MeasureOptions {
  int shards = 0, local = 0, nodes = 0;
  std::string folder, resume, partition, constraint, time_limit;
  bool wait = false;
};

struct MergeOptions {
  std::string folder;
};

void declare_submit(CLI::App& verb, SubmitOptions& o) {
  declare_selection(verb, o);
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
  verb.add_option("--resume", o.resume, "Submit again what this folder's submission lacks")
      ->excludes("--shards")
      ->excludes("--folder")
      ->excludes("--local");
  verb.add_flag("--wait", o.wait, "Wait for the end, then show it as `nsop merge` does");
}

void declare_merge(CLI::App& verb, MergeOptions& o) {
  verb.add_option("folder", o.folder, "The folder of the submission")->required();
}

Json report_json(const shards::ShardReport& report) {
  return {{"index", report.index},
          {"state", shards::shard_state_text(report.state)},
          {"node", report.node},
          {"host", report.host_id},
          {"invocations", report.invocations},
          {"reason", report.reason}};
}

void show(Context& context, const shards::Shards& all, const shards::Merged& merged) {
  if (context.json) {
    Json reports = Json::array(), runs = Json::array();
    for (const shards::ShardReport& report : all.reports) reports.push_back(report_json(report));
    for (const shards::Merged::Kind& kind : merged.kinds) {
      runs.push_back({{"run", kind.run_id},
                      {"host", kind.host_id},
                      {"cpu", kind.cpu_model},
                      {"added", kind.added},
                      {"known", kind.known},
                      {"complete", kind.is_complete}});
    }
    context.out << Json{{"schema", "nsop.merge/1"},
                        {"shards", reports},
                        {"runs", runs},
                        {"doubts", all.doubts},
                        {"clocks", all.clocks}}
                       .dump(2)
                << '\n';
    return;
  }
  Table table({{"shard", true}, {"state"}, {"node"}, {"invocations", true}, {"reason"}});
  for (const shards::ShardReport& report : all.reports) {
    table.add({fmt::format("{}", report.index), shards::shard_state_text(report.state), report.node,
               fmt::format("{}", report.invocations), report.reason});
  }
  table.print(context.out);
  for (const shards::Merged::Kind& kind : merged.kinds) {
    context.out << fmt::format("run {} on {}: {} invocations added, {} were there, {}\n",
                               short_id(kind.run_id), kind.cpu_model, kind.added, kind.known,
                               kind.is_complete ? "complete" : "not complete");
  }
  for (const std::string& doubt : all.doubts) context.out << doubt << '\n';
  for (const std::string& clock : all.clocks) context.out << clock << '\n';
}

ExitCode merge_folder(Context& context, const std::string& folder) {
  const shards::Submission submission = shards::read_submission(folder);
  const run::MeasuringLock lock(folder + "/merge.lock", 60, [](const std::string&) {});
  const shards::Shards all = shards::read_shards(folder, submission);
  const bool any = std::any_of(all.reports.begin(), all.reports.end(), [](const auto& report) {
    return report.state == shards::ShardState::kComplete;
  });
  shards::Merged merged;
  if (any) {
    store::Store store(context.settings.db);
    merged = shards::merge_shards(folder, submission, all, store);
  }
  show(context, all, merged);
  const auto count = [&](shards::ShardState state) {
    return std::count_if(all.reports.begin(), all.reports.end(),
                         [&](const auto& report) { return report.state == state; });
  };
  const auto lacking = submission.shards - count(shards::ShardState::kComplete);
  if (lacking == 0) return all.doubts.empty() ? ExitCode::kOk : ExitCode::kInconclusive;
  context.note(fmt::format("{} of {} shards lack; `nsop submit --resume {}` measures them", lacking,
                           submission.shards, folder));
  return count(shards::ShardState::kDamaged) > 0 ? ExitCode::kBadData : ExitCode::kInconclusive;
}

// Empty where a shell would take it for something else than one.
std::vector<std::string> slurm_options(const SubmitOptions& o) {
  std::vector<std::string> options;
  if (!o.partition.empty()) options.push_back("--partition=" + o.partition);
  if (!o.constraint.empty()) options.push_back("--constraint=" + o.constraint);
  if (!o.time_limit.empty()) options.push_back("--time=" + o.time_limit);
  return options;
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

ExitCode start(Context& context, const SubmitOptions& o, const std::string& folder,
               shards::Submission& submission, const std::vector<int>& lacking) {
  if (submission.local > 0) return measure_here(context, folder, submission, lacking);
  write_script(folder + "/shard.sh", shards::shard_script(folder, submission));
  write_script(folder + "/merge.sh", shards::merge_script(folder, submission));
  shards::submit_array(folder, submission, lacking, o.nodes);
  const size_t jobs = submission.jobs.size();
  context.out << fmt::format("array job {} of {} shards, merge job {}; folder {}\n",
                             submission.jobs[jobs - 2], lacking.size(), submission.jobs[jobs - 1],
                             folder);
  if (!o.wait) return ExitCode::kOk;
  shards::wait_for_jobs(submission);
  return merge_folder(context, folder);
}

ExitCode submit_new(Context& context, const SubmitOptions& o) {
  if (o.shards < 1) throw usage_error("give --shards N, or --resume FOLDER");
  if (store::has_secret(context.settings.db)) {
    throw usage_error(
        "--db has a password in it, which the submission's folder would keep: put it into "
        "~/.pgpass, or into a connection service file and give --db service=NAME");
  }
  MeasureOptions measured = o;
  measured.seed = run::seed_of(o.seed);
  {
    const run::Job job = new_job(context.settings, measured);  // what it refuses costs no node
    const auto of_case = shards::shards_of_cases(job.plan, o.shards);
    if (of_case.size() < static_cast<size_t>(o.shards)) {
      throw usage_error(
          fmt::format("--shards {}: there are {} cases, at least one for each shard is needed",
                      o.shards, of_case.size()));
    }
    context.note(fmt::format("{} rows of {} cases in {} shards, about {} each",
                             job.plan.rows.size(), job.plan.cases.size(), o.shards,
                             run::duration_text(run::estimate_seconds(job.plan) / o.shards)));
  }
  shards::Submission submission;
  submission.id = new_uuid();
  submission.created_utc = utc_now();
  submission.program = fs::canonical("/proc/self/exe").string();
  submission.project = fs::absolute(context.settings.root).string();
  submission.db = store::is_server(context.settings.db)
                      ? context.settings.db
                      : fs::absolute(context.settings.db).string();
  submission.shards = o.shards;
  submission.local = o.local;
  submission.arguments = selection_arguments(context, measured);
  submission.slurm = slurm_options(o);
  const std::string folder =
      fs::absolute(o.folder.empty() ? "nsop-submit-" + short_id(submission.id) : o.folder).string();
  if (fs::exists(folder) && !fs::is_empty(folder)) {
    throw usage_error(folder + ": the folder isn't empty; `nsop submit --resume` goes on with one");
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw environment_error(folder + ": " + error.message());
  write_submission(folder, submission);
  std::vector<int> all(static_cast<size_t>(o.shards));
  for (int index = 1; index <= o.shards; ++index) all[static_cast<size_t>(index) - 1] = index;
  return start(context, o, folder, submission, all);
}

ExitCode resume(Context& context, const SubmitOptions& o) {
  const std::string folder = fs::absolute(o.resume).string();
  shards::Submission submission = shards::read_submission(folder);
  context.settings.db = submission.db;
  if (submission.local == 0) {
    const std::vector<std::string> active = shards::active_jobs(submission);
    if (!active.empty()) {
      throw usage_error(
          fmt::format("{}: job {} still waits or runs; see squeue, end it with scancel", folder,
                      active.front()));
    }
  }
  std::vector<int> lacking;
  for (const shards::ShardReport& report : shards::read_shards(folder, submission).reports) {
    if (report.state == shards::ShardState::kComplete) continue;
    lacking.push_back(report.index);
    if (report.state == shards::ShardState::kMissing) continue;
    const bool is_aside = report.state == shards::ShardState::kAside;
    shards::put_away(folder, report.index, is_aside ? "aside" : "damaged");
    const auto known =
        std::find(submission.excluded.begin(), submission.excluded.end(), report.node);
    if (is_aside && known == submission.excluded.end()) submission.excluded.push_back(report.node);
  }
  if (lacking.empty()) return merge_folder(context, folder);
  shards::write_submission(folder, submission);
  return start(context, o, folder, submission, lacking);
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
