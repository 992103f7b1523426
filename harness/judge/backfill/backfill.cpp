#include "harness/judge/backfill/backfill.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/host/host.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/history/nights.h"
#include "harness/judge/history/reference_runs.h"
#include "harness/run/workers/interrupt.h"

namespace nsop::judge {
namespace {

run::Worker open_reference(const BackfillSetup& setup, const BuildNote& note) {
  try {
    return open_commit(setup.place, setup.reference, note);
  } catch (const Unmeasurable& failure) {
    throw environment_error(fmt::format("the reference {}: {}; --reference names another",
                                        short_commit(setup.reference), failure.what()));
  }
}

void write_night_file(const BackfillSetup& setup, const store::Store& store,
                      const std::string& run_id, const std::string& build_id) {
  if (!setup.folder.empty()) write_night(setup.folder, night_of(store, run_id, build_id));
}

// What only the database has becomes a file, too.
void write_missing_files(const BackfillSetup& setup, const std::vector<BackfillCommit>& commits,
                         const store::Store& store) {
  if (setup.folder.empty()) return;
  const WantedNight wanted = wanted_night(setup.plan);
  std::set<std::string> present;
  for (const BackfillCommit& one : commits) {
    if (one.state == BackfillState::kPresent) present.insert(one.commit);
  }
  const auto files = present_files(setup.folder, wanted);
  for (const auto& [commit, night] : present_nights(store, wanted, present)) {
    if (!files.contains(commit)) write_night_file(setup, store, night.run_id, night.build_id);
  }
}

void measure_commit(const BackfillSetup& setup, BackfillCommit& one, const run::Worker& reference,
                    store::Store& store, run::Observer& observer, const BuildNote& note) {
  try {
    const run::Worker worker = open_commit(setup.place, one.commit, note);
    one.run_id = measure_beside(setup, worker, reference, store, observer, note);
    one.state = BackfillState::kMeasured;
    write_night_file(setup, store, one.run_id, worker.build.id);
  } catch (const Unmeasurable& failure) {
    one.state = BackfillState::kSkipped;
    one.why = failure.what();
    note(fmt::format("{} is skipped: {}", short_commit(one.commit), one.why));
  }
}

}  // namespace

size_t count_state(const std::vector<BackfillCommit>& commits, BackfillState state) {
  return static_cast<size_t>(std::count_if(commits.begin(), commits.end(),
                                           [&](const auto& one) { return one.state == state; }));
}

WantedNight wanted_night(const run::Plan& plan) {
  WantedNight wanted{this_host().id, plan.profile.name, plan.suites, {}};
  for (const run::PlanRow& row : plan.rows) wanted.rows.insert(row.key);
  return wanted;
}

std::vector<BackfillCommit> plan_backfill(const std::vector<std::string>& commits,
                                          const WantedNight& wanted, const store::Store* database,
                                          const std::string& folder) {
  std::map<std::string, PresentNight> present;
  if (database != nullptr) {
    present = present_nights(*database, wanted, {commits.begin(), commits.end()});
  }
  if (!folder.empty()) present.merge(present_files(folder, wanted));
  std::vector<BackfillCommit> plan;
  for (const std::string& commit : commits) {
    const auto night = present.find(commit);
    if (night == present.end()) {
      plan.push_back({commit});
    } else {
      plan.push_back({commit, BackfillState::kPresent, night->second.run_id});
    }
  }
  return plan;
}

void measure_backfill(const BackfillSetup& setup, std::vector<BackfillCommit>& commits,
                      store::Store& store, run::Observer& observer, const BuildNote& note) {
  write_missing_files(setup, commits, store);
  const size_t wanted = count_state(commits, BackfillState::kWanted);
  if (wanted == 0) return note("all commits of the range are measured on this machine");
  const run::Worker reference = open_reference(setup, note);
  size_t number = 0;
  for (BackfillCommit& one : commits) {
    if (one.state != BackfillState::kWanted) continue;
    try {
      note(fmt::format("{} of {}: {} {}", ++number, wanted, short_commit(one.commit),
                       subject_of(setup.place, one.commit)));
      measure_commit(setup, one, reference, store, observer, note);
    } catch (const run::Interrupted&) {
      note(fmt::format("interrupted; {} of {} commits are complete, the same command goes on",
                       count_state(commits, BackfillState::kMeasured), wanted));
      throw;
    }
  }
}

std::vector<ReferenceValues> reference_values(const store::Store& store,
                                              const std::string& reference,
                                              const std::vector<BackfillCommit>& commits) {
  std::map<std::string, std::string> beside;  // the reference's run by that of the commit
  for (const ReferenceRun& run : reference_runs(store, this_host().id)) {
    if (run.reference == reference) beside[run.night] = run.run_id;
  }
  std::vector<ReferenceValues> values;
  for (const BackfillCommit& one : commits) {
    const auto run = beside.find(one.run_id);
    if (run == beside.end()) continue;
    values.push_back({one.commit, run->second, stats::summarize(store.invocations(run->second))});
  }
  return values;
}

ExitCode exit_of(const std::vector<BackfillCommit>& commits) {
  const bool none = count_state(commits, BackfillState::kSkipped) == commits.size();
  return none ? ExitCode::kInconclusive : ExitCode::kOk;
}

}  // namespace nsop::judge
