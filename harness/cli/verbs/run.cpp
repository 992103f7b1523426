// nsop run, a verb (verbs.h): plans, measures, stores.
#include "harness/report/stored/run.h"

#include <fmt/format.h>

#include "harness/cli/selection.h"
#include "harness/cli/session.h"
#include "harness/cli/text/run_summary.h"
#include "harness/cli/text/summary_table.h"
#include "harness/cli/verbs.h"
#include "harness/core/host/host.h"
#include "harness/judge/builds/revisions.h"
#include "harness/judge/history/releases.h"
#include "harness/report/runs/run_reports.h"
#include "harness/report/stored/published_runs.h"
#include "harness/run/measure.h"
#include "harness/run/outcome.h"
#include "harness/run/plan/plan.h"
#include "harness/run/progress.h"
#include "harness/shards/task.h"

namespace nsop::cli {
namespace {

struct RunOptions : MeasureOptions {
  std::string resume, revision, shard, into;
  const CLI::Option* resume_option = nullptr;
  bool dry_run = false, rows = false, releases = false;
};

void declare_run(CLI::App& verb, RunOptions& o) {
  declare_selection(verb, o);
  verb.add_option("--revision", o.revision,
                  "Measure the worker of this commit (built, then kept) in place of our own");
  verb.add_flag("--releases", o.releases,
                "Measure, of each release that nsop-releases.toml lists, what this machine lacks "
                "for a tracking log (--suite)")
      ->excludes("--revision");
  const CLI::Option* shard = verb.add_option(
      "--shard", o.shard, "Only the cases of shard I of N, e.g. 3/8; a case is in one shard");
  verb.add_option(
          "--into", o.into,
          "Into the folder of a submission, going on with what this node stored of the shard")
      ->needs(const_cast<CLI::Option*>(shard));
  verb.add_flag("--rows", o.rows, "End with every row, not with a summary of 40 lines");
  verb.add_flag("--dry-run", o.dry_run, "Show the plan and its time, measure nothing");
  o.resume_option =
      verb.add_option("--resume", o.resume, "Go on with an interrupted run (default: the last one)")
          ->expected(0, 1)
          ->excludes("--releases")
          ->excludes("--instructions");  // a run that goes on counts what it was told to count
}

std::string plan_text(const run::Plan& plan) {
  return fmt::format("{} rows of {} cases, {} invocations each at most, about {}", plan.rows.size(),
                     plan.cases.size(), plan.profile.rounds,
                     run::duration_text(run::estimate_seconds(plan)));
}

ExitCode show_plan(Context& context, const run::Plan& plan) {
  if (context.json) {
    context.out << run::plan_to_json(plan, {}) << '\n';
    return ExitCode::kOk;
  }
  Table table({{"case"}, {"variant"}, {"threads", true}, {"note"}});
  for (const run::PlanRow& row : plan.rows) {
    table.add({row.key.case_text, row.key.variant + "@" + row.key.target,
               fmt::format("{}", row.key.threads), row.unsupported});
  }
  table.print(context.out);
  context.out << plan_text(plan) << '\n';
  return ExitCode::kOk;
}

// The reports of its suites, as `nsop report` makes them.
std::vector<Json> reports_of(const Context& context, const store::Store& store, const Run& run) {
  const Settings& settings = context.settings;
  report::RunReports reports(store, run.id, "", settings.root,
                             report::all_published(store, settings.data + "/reference/published"));
  std::vector<Json> made;
  for (const Suite& suite : measured_suites(settings, run)) made.push_back(reports.of(suite));
  return made;
}

void show(Context& context, const RunOptions& o, const store::Store& store,
          const report::RunData& data) {
  if (context.json) return print_json(context, data);
  if (o.rows) return print_table(context, data);
  const bool suites = !run::plan_from_json(data.run.plan_json).suites.empty();
  if (!suites) return print_rows(context, data);
  try {
    print_suites(context, reports_of(context, store, data.run), data);
  } catch (const Error& error) {  // of a suite that is gone since: what was measured is stored
    context.note(error.what());
    print_rows(context, data);
  }
}

ExitCode measure_and_show(Context& context, const RunOptions& o, store::Store& store,
                          const run::Job& job) {
  measure_job(context, o, store, job);
  const report::RunData data = report::load_run(store, job.run_id);
  show(context, o, store, data);
  const ExitCode code = run::run_outcome(data.rows, job.programs.workers[0].hello.variants);
  if (code == ExitCode::kInconclusive) {
    context.note("no row was measured: nothing can be said of any");
  }
  return code;
}

// From now on the worker of that commit is ours; suites, inputs and expected outputs stay.
void take_revision(Context& context, const std::string& revision) {
  if (!context.worker_flag.empty()) {
    throw usage_error("--revision and --worker name a program each: give one of them");
  }
  if (!context.settings.foreign.adapter.empty()) {
    context.settings.revision = revision;
    return;
  }
  const judge::Built built =
      judge::build_revision(build_place(context.settings), revision, 1,
                            [&](const std::string& note) { context.note(note); });
  context.settings.worker = built.workers.at(0);
  context.settings.preload = built.preload;
}

// Says what reports of this run will lack when it is too late to measure it in the same minutes.
void tell_missing_limits(Context& context, const store::Store& store, const run::Job& job) {
  const run::Plan& plan = job.plan;
  if (plan.suites.empty() || !plan.profile.tag.empty() || plan.cases.contains("peak_flops")) return;
  if (report::run_with_limits(store, this_host().id)) return;
  context.note(
      "this machine's limits are not stored: reports will give no share of them; measure them, "
      "too, with --suite limits");
}

ExitCode measure_new_job(Context& context, const RunOptions& o) {
  run::Job job = new_job(context.settings, o);
  if (!o.shard.empty()) shards::keep_shard(job.plan, shards::shard_from_text(o.shard));
  for (const std::string& one : job.programs.workers[0].hello.left_out) {
    context.note("left out: " + one);
  }
  if (o.dry_run) return show_plan(context, job.plan);
  store::Store store(context.settings.db);
  run::begin_job(o, NSOP_VERSION, store, job);
  context.note(plan_text(job.plan));
  tell_missing_limits(context, store, job);
  return measure_and_show(context, o, store, job);
}

// An array task: a shard into the folder of its submission.
ExitCode measure_shard(Context& context, const RunOptions& o) {
  const auto number = shards::shard_from_text(o.shard);
  const auto note = [&](const std::string& text) { context.note(text); };
  context.settings.db = shards::shard_database(o.into, number.index);
  shards::ShardTask task(o.into, number);
  const auto plan = [&] { return new_job(context.settings, o); };
  const auto places = [&] { return program_places(context.settings); };
  std::optional<run::Job> job = task.begin(o, NSOP_VERSION, plan, places, note);
  if (!job) return ExitCode::kOk;
  measure_job(context, o, task.store(), *job);
  const std::string run_id = job->run_id;
  task.publish(run_id);
  return run::run_outcome(report::load_run(task.store(), run_id).rows,
                          job->programs.workers[0].hello.variants);
}

ExitCode measure_releases(Context& context, const RunOptions& o) {
  if (o.suites.size() != 1) throw usage_error("--releases: give the one --suite of the log");
  const std::vector<NamedCommit> lacking = judge::lacking_releases(
      store::Store(context.settings.db), context.settings.root, o.suites.front(), this_host().id);
  if (lacking.empty()) context.note("all releases were measured on this machine");
  ExitCode worst = ExitCode::kOk;
  for (const NamedCommit& release : lacking) {
    context.note(fmt::format("{}, commit {}", release.name, release.commit));
    take_revision(context, release.commit);
    worst = run::worse_of(worst, measure_new_job(context, o));
  }
  return worst;
}

ExitCode run_verb(Context& context, const RunOptions& o) {
  if (o.releases) return measure_releases(context, o);
  if (!o.into.empty()) return measure_shard(context, o);
  if (!o.revision.empty()) take_revision(context, o.revision);
  if (o.resume_option->count() > 0 && !o.dry_run) {
    open_for_reading(context.settings);  // a missing database is a usage error here
    store::Store store(context.settings.db);
    const run::Job job = run::resumed_job(o.resume, store, program_places(context.settings));
    store.resume_run(job.run_id);
    return measure_and_show(context, o, store, job);
  }
  return measure_new_job(context, o);
}

}  // namespace

void bind_run(CLI::App& verb, Context& context) {
  bind_verb<RunOptions>(verb, context, declare_run, run_verb);
}

}  // namespace nsop::cli
