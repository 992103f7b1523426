// nsop check, a verb (verbs.h): the nightly. Measures the current commit, looks at every row's
// history, measures what is suspicious again against the last good commit, searches for the commit,
// and only then raises an alert.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "harness/cli/selection.h"
#include "harness/cli/session.h"
#include "harness/cli/text/alert_output.h"
#include "harness/cli/text/check_output.h"
#include "harness/cli/text/numbers.h"
#include "harness/cli/verbs.h"
#include "harness/core/host/host.h"
#include "harness/core/identity.h"
#include "harness/judge/gate/clock_watch.h"
#include "harness/judge/nightly/eligible.h"
#include "harness/judge/nightly/revision_lab.h"
#include "harness/run/measure.h"

namespace nsop::cli {
namespace {

struct CheckOptions : MeasureOptions {
  std::string folder, run, baseline = "release", budget = "5m", known;
  int layouts = judge::kLinkOrders;
  bool suspects_only = false, no_search = false;
};

void declare_check(CLI::App& verb, CheckOptions& o) {
  declare_selection(verb, o);
  verb.add_option("--run", o.run, "Judge this stored run instead of measuring")
      ->excludes("--instructions");
  verb.add_option("--history", o.folder,
                  "Folder that keeps one file per run, and the alerts (a data branch)");
  verb.add_option("--baseline", o.baseline,
                  "Baseline or revision that slow creep is measured from (release)");
  verb.add_option("--known", o.known, "Declared changes (default nsop-known.toml of the project)");
  declare_layouts(verb, o.layouts, "Link orders of each build measured again");
  verb.add_option("--budget", o.budget, "Most time of each comparison, e.g. 90s or 5m");
  verb.add_flag("--suspects-only", o.suspects_only, "Measure nothing again; exit 3 with suspects");
  verb.add_flag("--no-search", o.no_search, "Don't bisect what is confirmed");
}

std::vector<KnownChange> declared_changes(const CheckOptions& o, const Settings& settings) {
  if (!o.known.empty() && !std::filesystem::exists(o.known)) {
    throw usage_error(fmt::format("--known {}: no such file", o.known));
  }
  return load_known_changes(o.known.empty() ? settings.root + "/" + kKnownChangesFile : o.known);
}

judge::Night measured_night(Context& context, const CheckOptions& o, store::Store& store,
                            run::Job job) {
  run::begin_job(o, NSOP_VERSION, store, job);
  const judge::ClockWatch clock;
  measure_job(context, o, store, job);
  if (const std::string jump = clock.jump(); !jump.empty()) context.note(jump);
  return judge::night_of(store, job.run_id, job.programs.workers[0].build.id);
}

// Refuses what can't be the newest night of this host, and waits until it can be.
void look_at_past(Context& context, const CheckOptions& o) {
  const judge::Past past(context.settings.db, o.folder);
  judge::must_be_latest(past, this_host().id, utc_now(),
                        [&](const std::string& text) { context.note(text); });
  if (o.run.empty() && judge::began_in(past, this_host().id, utc_now())) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

ExitCode check_verb(Context& context, const CheckOptions& o) {
  if (o.trust == "pr") throw usage_error("--trust pr: a pull request makes no history; use gate");
  parse_seconds("--budget", o.budget);
  Settings& settings = context.settings;
  const bool foreign = !settings.foreign.adapter.empty();
  if (foreign) settings.revision = "HEAD";  // a night is of a commit
  const std::function note = [&](const std::string& text) { context.note(text); };
  const judge::CheckRules rules{build_place(settings), o.baseline, declared_changes(o, settings),
                                !o.suspects_only, !o.no_search};
  run::Job job = o.run.empty() ? new_job(settings, o)
                               : run::Job{{}, "", {}, run::open_programs(program_places(settings))};
  const run::Programs programs = job.programs;
  if (o.run.empty() && !foreign) {
    judge::must_be_of_commit(rules.place, settings.worker, settings.worker == settings.reference,
                             programs.workers[0].build, note);
  }
  store::Store store(settings.db);
  look_at_past(context, o);
  const judge::Night night =
      o.run.empty()
          ? measured_night(context, o, store, std::move(job))
          : judge::stored_night(store, store.resolve_run(o.run, this_host().id), this_host().id);
  if (!o.folder.empty()) judge::write_night(o.folder, night);
  judge::Past past(settings.db, o.folder);
  note_strange_events(context, past);
  const run::Worker controls = controls_worker(settings, programs);
  judge::RevisionLab lab(lab_options(settings, {o.layouts, o.budget, o.seed, o.lock_wait_s}),
                         controls, store, note);
  const judge::CheckReport report =
      judge::check_night(night, rules, {store, past, programs.workers[0].hello, lab, note});
  return show_check(context, report, judge::across_hosts(past, past.alerts(), rules.place));
}

}  // namespace

void bind_check(CLI::App& verb, Context& context) {
  bind_verb<CheckOptions>(verb, context, declare_check, check_verb);
}

}  // namespace nsop::cli
