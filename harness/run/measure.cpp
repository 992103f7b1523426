#include "harness/run/measure.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"
#include "harness/run/scratch.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::run {

Run new_run(const JobOptions& options, const std::string& tool_version, const Job& job) {
  const Plan& plan = job.plan;
  Run run;
  run.id = new_uuid();
  run.host_id = this_host().id;
  run.conditions = read_conditions();
  run.profile = plan.profile.name;
  run.seed = plan.seed;
  for (const auto& [text, description] : plan.cases) run.facts[text] = description.facts;
  run.plan_json = plan_to_json(plan, job.programs.workers);
  run.invocations_planned = static_cast<int64_t>(plan.rows.size()) * (plan.profile.rounds + 1);
  run.started_utc = utc_now();
  run.trust = options.trust;
  run.tool_version = tool_version;
  return run;
}

void begin_job(const JobOptions& options, const std::string& tool_version, store::Store& store,
               Job& job) {
  const Run run = new_run(options, tool_version, job);
  job.run_id = run.id;
  store.put_host(this_host());
  for (const Worker& worker : job.programs.workers) store.put_build(worker.build);
  store.begin_run(run);
}

void measure_job(const Job& job, double lock_wait_s, store::Store& store, Observer& observer,
                 const Note& note) {
  const Programs& programs = job.programs;
  const MeasuringLock lock(measuring_lock_path(), lock_wait_s, note);
  const Conditions now = read_conditions();
  if (now.load1 >= static_cast<double>(now.allowed_cpus.size())) {
    note(
        fmt::format("load average {:.1f} on {} CPUs: other programs are working, numbers "
                    "will be doubtful; see `nsop doctor`",
                    now.load1, now.allowed_cpus.size()));
  }
  const ScratchFolder scratch;
  OracleCache oracle = open_oracle(programs.reference, scratch.path());
  Runner runner(job.plan, programs.workers, oracle, scratch.path(), observer);
  try {
    const RunOutcome outcome = runner.run(
        job.run_id, job.done, [&](const Invocation& invocation) { store.append(invocation); });
    store.end_run(job.run_id, RunState::kComplete, utc_now());
    note(fmt::format("run {} is complete: {} invocations, timing took {}", short_id(job.run_id),
                     outcome.done, duration_text(outcome.timing_s)));
  } catch (const Interrupted&) {
    clear_interrupt();
    store.end_run(job.run_id, RunState::kAborted, utc_now());
    note(
        fmt::format("interrupted; what was finished is stored, go on with "
                    "`nsop run --resume {}`",
                    short_id(job.run_id)));
    throw;
  } catch (const Error& error) {  // of the database, such as a full disk: it is still `running`
    throw Error(error.code(),
                fmt::format("{}; what was finished is stored, go on with `nsop run --resume {}`",
                            error.what(), short_id(job.run_id)));
  }
}

}  // namespace nsop::run
