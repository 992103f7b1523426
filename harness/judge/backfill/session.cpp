#include "harness/judge/backfill/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/case.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/gate/clock_watch.h"
#include "harness/judge/history/reference_runs.h"
#include "harness/run/lock.h"
#include "harness/run/plan/programs.h"
#include "harness/run/scratch.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::judge {
namespace {

// Why a worker can't measure a row; empty: it can.
std::string lacks(const run::Worker& worker, const RowKey& row) {
  const std::string op = case_op(row.case_text);
  for (const run::VariantInfo& v : worker.hello.variants) {
    if (v.op != op || v.name != row.variant) continue;
    const bool has = std::find(v.targets.begin(), v.targets.end(), row.target) != v.targets.end();
    return has ? "" : fmt::format("this commit has no target {} of {}", row.target, row.variant);
  }
  return fmt::format("this commit has no {} of {}", row.variant, op);
}

// The plan as the worker can carry it out.
run::Plan plan_for(run::Plan plan, const run::Worker& worker) {
  for (run::PlanRow& row : plan.rows) {
    if (row.unsupported.empty()) row.unsupported = lacks(worker, row.key);
  }
  return plan;
}

bool is_measured(const run::PlanRow& row) { return row.unsupported.empty(); }

// The rows of the commit that both have.
run::Plan reference_plan(const run::Plan& own, const run::Worker& reference) {
  run::Plan plan = plan_for(own, reference);
  std::erase_if(plan.rows, [](const run::PlanRow& row) { return !is_measured(row); });
  plan.suites.clear();  // it measured none of them for its own sake
  return plan;
}

// Both plans as one, in which neighbours take turns: worker 0 has the commit's rows, worker 1 the
// reference's. It may take as long as both.
run::Plan alternating(const run::Plan& own, const run::Plan& beside) {
  std::set<RowKey> shared;
  for (const run::PlanRow& row : beside.rows) shared.insert(row.key);
  run::Plan both = own;
  both.profile.total_budget_s *= 2;
  both.rows.clear();
  for (const run::PlanRow& row : own.rows) {
    both.rows.push_back(row);
    if (!shared.contains(row.key)) continue;
    both.rows.push_back(row);
    both.rows.back().worker = 1;
  }
  return both;
}

// The two runs of a session and whose an invocation is.
class Runs {
 public:
  Runs(Run commit, Run reference, std::string commit_build, std::string reference_build)
      : commit_(std::move(commit)),
        reference_(std::move(reference)),
        commit_build_(std::move(commit_build)),
        reference_build_(std::move(reference_build)) {}

  void begin(store::Store& store) const {
    store.begin_run(reference_);
    store.begin_run(commit_);  // the last, so that it is `@last`
  }
  void end(store::Store& store, RunState state) const {
    const std::string now = utc_now();
    store.end_run(reference_.id, state, now);
    store.end_run(commit_.id, state, now);  // who finds it complete finds the other so, too
  }
  const std::string& night() const { return commit_.id; }

  // Of a build that is measured beside itself the first of two is the commit's.
  const std::string& run_of(const Invocation& one) {
    if (commit_build_ != reference_build_) {
      return one.build_id == commit_build_ ? commit_.id : reference_.id;
    }
    const bool first = seen_.insert({one.phase, one.round, one.row}).second;
    return first ? commit_.id : reference_.id;
  }

 private:
  Run commit_, reference_;
  std::string commit_build_, reference_build_;
  std::set<run::Slot> seen_;
};

Runs runs_of(const BackfillSetup& setup, const run::Plan& own, const run::Plan& beside,
             const run::Worker& commit, const run::Worker& reference) {
  const auto run_for = [&](const run::Plan& plan, const run::Worker& worker) {
    return run::new_run(setup.options, setup.tool_version,
                        {plan, "", {}, {{worker}, {}, setup.oracle}});
  };
  Run night = run_for(own, commit), other = run_for(beside, reference);
  other.started_utc = night.started_utc;
  make_reference_run(other, setup.reference, night.id);
  return {std::move(night), std::move(other), commit.build.id, reference.build.id};
}

}  // namespace

run::Plan own_rows(run::Plan plan) {
  std::erase_if(plan.rows, [](const run::PlanRow& row) { return row.worker != 0; });
  if (plan.rows.empty()) {
    throw usage_error("nothing to measure: other libraries don't change with our commits");
  }
  return plan;
}

run::Worker open_commit(const BuildPlace& place, const std::string& commit, const BuildNote& note) {
  try {
    const Built built = build_revision(place, commit, 1, note);
    run::Worker worker = run::open_worker({built.workers.at(0)}, built.preload);
    if (worker.build.commit == commit && !worker.build.dirty) return worker;
    throw Unmeasurable(fmt::format("its worker says that it is of {}{}", worker.build.commit,
                                   worker.build.dirty ? " with uncommitted changes" : ""));
  } catch (const DoesNotBuild& failure) {
    throw Unmeasurable(failure.what());
  } catch (const NoWorker& lacking) {
    throw Unmeasurable(lacking.what());
  } catch (const run::WorkerFailure& failure) {
    throw Unmeasurable(fmt::format("its worker can't be used: {}", failure.what()));
  }
}

std::string measure_beside(const BackfillSetup& setup, const run::Worker& commit,
                           const run::Worker& reference, store::Store& store,
                           run::Observer& observer, const BuildNote& note) {
  const run::Plan own = plan_for(setup.plan, commit);
  if (std::none_of(own.rows.begin(), own.rows.end(), is_measured)) {
    throw Unmeasurable("it has none of the rows: " + own.rows.at(0).unsupported);
  }
  const run::Plan beside = reference_plan(own, reference);
  const run::MeasuringLock lock(run::measuring_lock_path(), setup.lock_wait_s, note);
  const run::ScratchFolder scratch;
  run::OracleCache oracle = run::open_oracle(setup.oracle, scratch.path());
  Runs runs = runs_of(setup, own, beside, commit, reference);
  store.put_host(this_host());
  for (const run::Worker* worker : {&commit, &reference}) store.put_build(worker->build);
  runs.begin(store);
  const ClockWatch clock;
  const run::Plan both = alternating(own, beside);
  const std::vector<run::Worker> workers = {commit, reference};
  run::Runner runner(both, workers, oracle, scratch.path(), observer);
  try {
    runner.run("", {}, [&](Invocation invocation) {
      invocation.run_id = runs.run_of(invocation);
      store.append(invocation);
    });
  } catch (const run::Interrupted&) {
    run::clear_interrupt();
    runs.end(store, RunState::kAborted);
    throw;
  }
  runs.end(store, RunState::kComplete);
  if (const std::string jump = clock.jump(); !jump.empty()) note(jump);
  return runs.night();
}

}  // namespace nsop::judge
