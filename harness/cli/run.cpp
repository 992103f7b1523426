// nsop run: plans, measures, stores.
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "harness/cli/run_job.h"
#include "harness/cli/summary_table.h"
#include "harness/core/host.h"
#include "harness/core/util.h"
#include "harness/run/interrupt.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"

namespace nsop::cli {
namespace {

void declare(CLI::App& verb, RunOptions& o) {
  verb.add_option("cases", o.cases, "Case lines, e.g. 'relu pass=forward n=1000 range=-3:3'");
  verb.add_option("--profile", o.profile, "quick, comprehensive, full or manual");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--variant", o.variants, "Only these, e.g. hwy or hwy@AVX2 (repeatable)");
  verb.add_option("--threads", o.threads, "Thread counts")->check(CLI::Range(1, 4096));
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'tanh n=*'");
  verb.add_option("--rounds", o.rounds, "Invocations per row")->check(CLI::Range(1, 1000));
  verb.add_option("--seed", o.seed, "Of the shuffling (default: a fresh one; stored)");
  verb.add_option("--trust", o.trust, "Where this runs")
      ->check(CLI::IsMember({"local", "ci", "pr"}));
  verb.add_option("--lock-wait", o.lock_wait_s, "Seconds to wait for another measuring process");
  verb.add_flag("--dry-run", o.dry_run, "Show the plan and its time, measure nothing");
  o.resume_option =
      verb.add_option("--resume", o.resume, "Go on with an interrupted run (default: the last one)")
          ->expected(0, 1);
}

class Reporter : public run::Observer {
 public:
  explicit Reporter(Context& context)
      : line_(stderr,
              context.quiet             ? run::ProgressLine::Mode::kSilent
              : context.err_is_terminal ? run::ProgressLine::Mode::kTerminal
                                        : run::ProgressLine::Mode::kPlain,
              columns()) {}
  void note(const std::string& text) override { line_.note(text); }
  void progress(const RowKey& row, int64_t done, int64_t planned, double left_s) override {
    line_.update(row.text(), done, planned, left_s);
  }
  void finished(const Invocation& invocation) override {
    if (invocation.status == Status::kOk || invocation.status == Status::kUnsupported) return;
    line_.note(fmt::format("{}: {}: {}", invocation.row.text(), status_text(invocation.status),
                           invocation.reason));
  }

 private:
  static int columns() {
    winsize size{};
    return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }
  run::ProgressLine line_;
};

ExitCode show_plan(Context& context, const run::Plan& plan) {
  const double seconds = run::estimate_seconds(plan);
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
  context.out << fmt::format("{} rows of {} cases, {} invocations each at most, about {}\n",
                             plan.rows.size(), plan.cases.size(), plan.profile.rounds,
                             run::duration_text(seconds));
  return ExitCode::kOk;
}

Run new_run(const run::Plan& plan, const std::vector<run::Worker>& workers, const RunOptions& o) {
  Run run;
  run.id = new_uuid();
  run.host_id = this_host().id;
  run.conditions = read_conditions();
  run.trust = o.trust;
  run.profile = plan.profile.name;
  run.seed = plan.seed;
  for (const auto& [text, description] : plan.cases) run.facts[text] = description.facts;
  run.plan_json = run::plan_to_json(plan, workers);
  run.invocations_planned = static_cast<int64_t>(plan.rows.size()) * (plan.profile.rounds + 1);
  run.started_utc = utc_now();
  run.tool_version = NSOP_VERSION;
  return run;
}

// The newest run of this host that is not complete.
std::string last_unfinished(const store::Store& store) {
  for (const store::RunSummary& s : store.runs()) {
    if (s.run.state != RunState::kComplete && s.run.host_id == this_host().id) return s.run.id;
  }
  throw usage_error("no unfinished run of this machine: nothing to resume");
}

Job resumed_job(const RunOptions& o, store::Store& store, const Settings& settings) {
  const std::string run_id =
      o.resume.empty() ? last_unfinished(store) : store.resolve_run(o.resume, this_host().id);
  const Run run = store.run(run_id);
  if (run.state == RunState::kComplete) {
    throw usage_error(fmt::format("run {} is complete: nothing to resume", short_id(run_id)));
  }
  if (run.host_id != this_host().id) {
    throw usage_error(fmt::format("run {} was started on another machine", short_id(run_id)));
  }
  Job job{run::plan_from_json(run.plan_json), run_id, {}, {}};
  std::vector<std::string> peers;
  for (const run::PlanRow& row : job.plan.rows) {
    if (row.worker != 0) peers.push_back(row.key.variant);
  }
  job.programs = open_programs(settings, peers);
  try {
    run::rebind_workers(job.plan, run.plan_json, job.programs.workers);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("run {}: {}", short_id(run_id), error.what()));
  }
  for (const Invocation& i : store.invocations(run_id)) {
    job.done[{i.phase, i.round, i.row}] = i.status;
  }
  return job;
}

ExitCode measure(Context& context, const RunOptions& o, store::Store& store, const Job& job) {
  const Programs& programs = job.programs;
  const run::MeasuringLock lock(
      run::measuring_lock_path(), o.lock_wait_s,
      [](const std::string& holder) { fmt::print(stderr, "waiting: {} is measuring\n", holder); });
  const Conditions now = read_conditions();
  if (now.load1 >= static_cast<double>(now.allowed_cpus.size())) {
    context.note(
        fmt::format("load average {:.1f} on {} CPUs: other programs are working, numbers "
                    "will be doubtful; see `nsop doctor`",
                    now.load1, now.allowed_cpus.size()));
  }
  const run::ScratchFolder scratch;
  run::OracleCache oracle = open_oracle(programs.reference, scratch.path());
  Reporter reporter(context);
  run::Runner runner(job.plan, programs.workers, oracle, scratch.path(), reporter);
  try {
    const run::RunOutcome outcome = runner.run(
        job.run_id, job.done, [&](const Invocation& invocation) { store.append(invocation); });
    store.end_run(job.run_id, RunState::kComplete, utc_now());
    context.note(fmt::format("run {} is complete: {} invocations, timing took {}",
                             short_id(job.run_id), outcome.done,
                             run::duration_text(outcome.timing_s)));
  } catch (const run::Interrupted&) {
    run::clear_interrupt();
    store.end_run(job.run_id, RunState::kAborted, utc_now());
    context.note(
        fmt::format("interrupted; what was finished is stored, go on with "
                    "`nsop run --resume {}`",
                    short_id(job.run_id)));
    throw;
  }
  const report::RunData data = load_run(store, job.run_id);
  print_summary(context, data);
  return has_wrong_own_row(data, programs.workers[0].hello) ? ExitCode::kFailed : ExitCode::kOk;
}

ExitCode run_verb(Context& context, const RunOptions& o) {
  if (o.resume_option->count() > 0 && !o.dry_run) {
    open_for_reading(context.settings);  // a missing database is a usage error here
    store::Store store(context.settings.db);
    const Job job = resumed_job(o, store, context.settings);
    store.resume_run(job.run_id);
    return measure(context, o, store, job);
  }
  Job job = new_job(o, context.settings);
  if (o.dry_run) return show_plan(context, job.plan);
  store::Store store(context.settings.db);
  const Run run = new_run(job.plan, job.programs.workers, o);
  job.run_id = run.id;
  store.put_host(this_host());
  for (const run::Worker& worker : job.programs.workers) store.put_build(worker.build);
  store.begin_run(run);
  return measure(context, o, store, job);
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  add_verb<RunOptions>(app, context, "run", "Measure cases or suites and store every result",
                       declare, run_verb);
}

}  // namespace nsop::cli
