// nsop backfill, a verb (verbs.h): measures old commits into the history, newest first, each
// alternately with a fixed reference.
#include "harness/judge/backfill/backfill.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/cli/selection.h"
#include "harness/cli/session.h"
#include "harness/cli/text/backfill_output.h"
#include "harness/cli/text/progress_output.h"
#include "harness/cli/verbs.h"
#include "harness/core/suite/releases.h"
#include "harness/run/plan/plan.h"
#include "harness/run/progress.h"

namespace nsop::cli {
namespace {

using judge::BackfillState;

struct BackfillOptions : MeasureOptions {
  BackfillOptions() { lock_wait_s = 600; }
  std::string from, to = "HEAD", reference, folder;
  int every = 1;
  bool dry_run = false;
};

void declare_backfill(CLI::App& verb, BackfillOptions& o) {
  declare_selection(verb, o);
  verb.add_option("--from", o.from, "The oldest revision")->required();
  verb.add_option("--to", o.to, "The newest revision (default HEAD)");
  verb.add_option("--every", o.every,
                  "Of the commits between them only each N-th, and releases (default 1)")
      ->check(CLI::Range(1, 1'000'000));
  verb.add_option("--reference", o.reference,
                  "The revision that every commit is measured beside (default that of --to)");
  verb.add_option("--history", o.folder, "Folder that keeps one file per night, too");
  verb.add_flag("--dry-run", o.dry_run, "Show which commits would be measured, measure nothing");
}

void must_be_clear(const Context& context, const BackfillOptions& o) {
  if (o.cases.empty() && o.suites.empty()) {
    throw usage_error("backfill: what is to be measured? give --suite or case lines");
  }
  if (!context.worker_flag.empty()) {
    throw usage_error("--worker: backfill measures commits, each with its own worker");
  }
  if (o.trust == "pr") throw usage_error("--trust pr: a pull request makes no history");
}

judge::BackfillRange range_of(const BackfillOptions& o, const Settings& settings) {
  judge::BackfillRange range{o.from, o.to, o.every};
  for (const NamedCommit& release : load_releases(settings.root + "/" + kReleasesFile)) {
    range.always.push_back(release.commit);
  }
  return range;
}

// Plans by today's worker, whatever NSOP_WORKER names: suites, inputs and expected outputs are
// today's.
judge::BackfillSetup setup_of(const Settings& settings, const BackfillOptions& o,
                              const judge::BuildPlace& place) {
  Settings own = settings;
  own.worker = own.reference;
  const run::Job job = new_job(own, o);
  return {place,
          judge::commit_of(place, o.reference.empty() ? o.to : o.reference),
          o,
          judge::own_rows(job.plan),
          job.programs.reference,
          NSOP_VERSION,
          o.lock_wait_s,
          o.folder};
}

void tell_plan(Context& context, const std::vector<judge::BackfillCommit>& commits,
               const run::Plan& plan) {
  const size_t wanted = judge::count_state(commits, BackfillState::kWanted);
  context.note(
      fmt::format("{} of {} commits to measure: {} rows each, beside the reference, about "
                  "{} and the time to build it",
                  wanted, commits.size(), plan.rows.size(),
                  run::duration_text(2 * run::estimate_seconds(plan))));
}

// How to see what was measured.
void tell_reports(Context& context, const BackfillOptions& o, const BackfillView& view) {
  const auto newest = std::find_if(view.commits.begin(), view.commits.end(),
                                   [](const auto& one) { return !one.run_id.empty(); });
  if (o.suites.empty() || newest == view.commits.end()) return;
  context.note(fmt::format("`nsop report {} --suite {}` reports the newest of them",
                           short_id(newest->run_id), o.suites.front()));
}

ExitCode show_plan(Context& context, const judge::BackfillSetup& setup,
                   const std::vector<std::string>& commits) {
  std::optional<store::Store> database;
  if (store::database_exists(context.settings.db)) {
    database.emplace(open_for_reading(context.settings));
  }
  const BackfillView view{setup.place,
                          setup.reference,
                          judge::plan_backfill(commits, judge::wanted_night(setup.plan),
                                               database ? &*database : nullptr, setup.folder),
                          {}};
  show_backfill(context, view);
  tell_plan(context, view.commits, setup.plan);
  return ExitCode::kOk;
}

ExitCode backfill_verb(Context& context, const BackfillOptions& o) {
  must_be_clear(context, o);
  const judge::BuildPlace place = build_place(context.settings);
  const auto note = [&](const std::string& text) { context.note(text); };
  const std::vector<std::string> commits =
      judge::backfill_commits(place, range_of(o, context.settings));
  const judge::BackfillSetup setup = setup_of(context.settings, o, place);
  if (o.to == "HEAD" && judge::is_dirty(place)) {
    note("uncommitted changes are not measured: only commits are");
  }
  if (o.dry_run) return show_plan(context, setup, commits);
  if (o.instructions) tell_missing_valgrind(context);
  store::Store store(context.settings.db);
  BackfillView view{
      place,
      setup.reference,
      judge::plan_backfill(commits, judge::wanted_night(setup.plan), &store, o.folder),
      {}};
  tell_plan(context, view.commits, setup.plan);
  ProgressOutput progress(context);
  judge::measure_backfill(setup, view.commits, store, progress, note);
  view.drifts =
      judge::reference_drift(judge::reference_values(store, setup.reference, view.commits));
  show_backfill(context, view);
  note(backfill_summary(view));
  tell_reports(context, o, view);
  return judge::exit_of(view.commits);
}

}  // namespace

void bind_backfill(CLI::App& verb, Context& context) {
  bind_verb<BackfillOptions>(verb, context, declare_backfill, backfill_verb);
}

}  // namespace nsop::cli
