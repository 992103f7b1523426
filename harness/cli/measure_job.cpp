// Measuring what a job plans, into the store.
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "harness/cli/numbers.h"
#include "harness/cli/run_job.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/run/interrupt.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"

namespace nsop::cli {
namespace {

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

}  // namespace

void declare_selection(CLI::App& verb, RunOptions& o) {
  verb.add_option("cases", o.cases, "Case lines, e.g. 'relu pass=forward n=1000 range=-3:3'");
  verb.add_option("--profile", o.profile, "quick, comprehensive, full or manual");
  verb.add_option("--suite", o.suites, "Only these suites (repeatable)");
  verb.add_option("--variant", o.variants, "Only these, e.g. hwy or hwy@AVX2 (repeatable)");
  verb.add_option("--threads", o.threads, "Thread counts")->check(CLI::Range(1, 4096));
  verb.add_option("--filter", o.filter, "Only matching cases, e.g. 'tanh n=*'");
  verb.add_option("--rounds", o.rounds, "Invocations per row")->check(CLI::Range(1, 1000));
  declare_seed(verb, o.seed);
  verb.add_option("--trust", o.trust, "Where this runs")
      ->check(CLI::IsMember({"local", "ci", "pr"}));
  declare_lock_wait(verb, o.lock_wait_s);
}

void begin_job(const RunOptions& o, store::Store& store, Job& job) {
  const Run run = new_run(job.plan, job.programs.workers, o);
  job.run_id = run.id;
  store.put_host(this_host());
  for (const run::Worker& worker : job.programs.workers) store.put_build(worker.build);
  store.begin_run(run);
}

void measure_job(Context& context, const RunOptions& o, store::Store& store, const Job& job) {
  const Programs& programs = job.programs;
  const run::MeasuringLock lock(run::measuring_lock_path(), o.lock_wait_s,
                                [&](const std::string& text) { context.note(text); });
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
}

}  // namespace nsop::cli
