// nsop check: the nightly. Measures the current commit, looks at every row's history, measures
// what is suspicious again against the last good commit, searches for the commit, and only then
// raises an alert.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "harness/cli/check_output.h"
#include "harness/cli/duration.h"
#include "harness/cli/numbers.h"
#include "harness/cli/past.h"
#include "harness/cli/run_job.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/gate/clock_watch.h"
#include "harness/judge/nightly/commit_order.h"
#include "harness/judge/nightly/revision_lab.h"
#include "harness/judge/nightly/revisit.h"

namespace nsop::cli {
namespace {

struct CheckOptions : RunOptions {
  std::string folder, run, baseline = "release", budget = "5m", known;
  int layouts = judge::kLinkOrders;
  bool suspects_only = false, no_search = false;
};

void declare_check(CLI::App& verb, CheckOptions& o) {
  declare_selection(verb, o);
  verb.add_option("--run", o.run, "Judge this stored run instead of measuring");
  verb.add_option("--history", o.folder,
                  "Folder that keeps one file per run, and the alerts (a data branch)");
  verb.add_option("--baseline", o.baseline,
                  "Baseline or revision that slow creep is measured from (release)");
  verb.add_option("--known", o.known, "Declared changes (default nsop-known.toml of the project)");
  declare_layouts(verb, o.layouts, "Link orders of each build measured again");
  verb.add_option("--budget", o.budget, "Time of each comparison that stays open, e.g. 90s or 5m");
  verb.add_flag("--suspects-only", o.suspects_only, "Measure nothing again; exit 3 with suspects");
  verb.add_flag("--no-search", o.no_search, "Don't bisect what is confirmed");
}

// A night is of a commit: refuses what no commit names, and a worker of another commit than the
// one that is checked out, which would be measured without anybody noticing.
void check_build(Context& context, const judge::BuildPlace& place, const Build& build) {
  if (build.dirty) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{}: was built with uncommitted changes, which no history can name; "
                            "commit them and build again",
                            context.settings.worker));
  }
  const auto head = judge::known_commit(place, "HEAD");
  if (!head || build.commit == "unknown") {
    context.note(
        "no git, or a worker that names no commit: suspects can't be measured again or searched "
        "for");
    return;
  }
  const auto built = judge::known_commit(place, build.commit);
  if (built == head) return;
  const std::string text =
      fmt::format("{} was built from commit {}, {} is checked out", context.settings.worker,
                  judge::short_commit(build.commit), judge::short_commit(*head));
  if (context.settings.worker == context.settings.reference) {
    throw usage_error(text + ": build it first, or name it with --worker");
  }
  context.note(text);
}

std::vector<KnownChange> declared_changes(const CheckOptions& o, const Settings& settings) {
  if (!o.known.empty() && !std::filesystem::exists(o.known)) {
    throw usage_error(fmt::format("--known {}: no such file", o.known));
  }
  return load_known_changes(o.known.empty() ? settings.root + "/" + kKnownChangesFile : o.known);
}

// Runs are put in order by their times: a clock that went back would put tonight before yesterday.
// A single run from far in the future was measured by a clock that was wrong then: it is left out
// of what ends with tonight.
void look_at_clock(Context& context, const Past& past) {
  constexpr int64_t kSoonSeconds = 2 * 86400;
  const std::string now = utc_now();
  const auto later = past.later_nights(this_host().id, now);
  if (later.empty()) return;
  const std::string& newest = later.rbegin()->started_utc;
  const int64_t ahead =
      judge::utc_seconds(newest).value_or(0) - judge::utc_seconds(now).value_or(0);
  const std::string run =
      fmt::format("run {} of this host began {}", short_id(later.rbegin()->run_id), newest);
  if (later.size() == 1 && ahead > kSoonSeconds) {
    return context.note(fmt::format(
        "{}, later than now ({}): it is left out; if the clock went back, set it", run, now));
  }
  throw Error(
      ExitCode::kInconclusive,
      fmt::format(
          "the clock says {}, but {}{}: set the clock; if it is right, {}; nothing was "
          "measured",
          now, run,
          later.size() == 1 ? "" : fmt::format(" (and {} more later ones)", later.size() - 1),
          ahead > kSoonSeconds ? "take their files out of the folder of --history, or name "
                                 "another database by --db"
                               : "wait until then"));
}

// Nights are in order by the second that they began in: a check begins none in that of another.
void leave_second_of_last_night(const Past& past) {
  const auto begun = past.later_nights(this_host().id, "");
  const std::string now = utc_now();
  if (std::any_of(begun.begin(), begun.end(),
                  [&](const Past::BegunRun& run) { return run.started_utc == now; })) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

judge::Night measured_night(Context& context, const CheckOptions& o, store::Store& store, Job job) {
  begin_job(o, store, job);
  const judge::ClockWatch clock;
  measure_job(context, o, store, job);
  if (const std::string jump = clock.jump(); !jump.empty()) context.note(jump);
  return judge::night_of(store, job.run_id, job.programs.workers[0].build.id);
}

// A history is of complete runs that measured commits, on this host.
void check_stored(const Run& run) {
  const std::string name = "run " + short_id(run.id);
  if (run.host_id != this_host().id) {
    throw Error(ExitCode::kInconclusive, name + " is of another host: judge it there");
  }
  if (run.state != RunState::kComplete) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("{} is {}: finish it by `nsop run --resume`, or measure again", name,
                            run_state_text(run.state)));
  }
  if (run.origin != "measured" && run.origin != "imported") {
    throw usage_error(fmt::format("{} is of origin {}: no night", name, run.origin));
  }
  if (run.trust == "pr") throw usage_error(name + " is of a pull request, which makes no history");
}

// A run that was measured before: of the build with most of its invocations.
judge::Night stored_night(const CheckOptions& o, const store::Store& store) {
  const std::string run_id = store.resolve_run(o.run, this_host().id);
  check_stored(store.run(run_id));
  std::map<std::string, int> counts;
  for (const Invocation& i : store.invocations(run_id)) ++counts[i.build_id];
  if (counts.empty()) throw usage_error(fmt::format("run {} is empty", short_id(run_id)));
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (store.build(most->first).dirty) {
    throw Error(ExitCode::kInconclusive,
                fmt::format("run {} is of a build with uncommitted changes, which no history can "
                            "name",
                            short_id(run_id)));
  }
  return judge::night_of(store, run_id, most->first);
}

bool is_ours(const RowKey& row, const run::Hello& hello) {
  return std::any_of(hello.variants.begin(), hello.variants.end(), [&](const auto& v) {
    return v.role == Role::kOurs && v.name == row.variant && row.case_text.starts_with(v.op + " ");
  });
}

// Our rows with their past, this night last: what came after a stored run is not known to it.
std::map<RowKey, judge::Line> lines_of(const Past& past, const judge::Night& night,
                                       const run::Hello& hello) {
  std::map<RowKey, judge::Line> lines;
  for (const judge::NightRow& row : night.rows) {
    if (row.status == Status::kUnsupported || !is_ours(row.row, hello)) continue;
    judge::Line line = past.line(row.row, night.host.id);
    judge::end_with(line, night.run_id);
    if (!line.empty()) lines[row.row] = std::move(line);
  }
  return lines;
}

// Nights of other branches, and of releases that were measured afterwards, are no part of the line
// of commits whose changes are looked for.
void follow_commits(Context& context, const judge::BuildPlace& place, const judge::Night& night,
                    std::map<RowKey, judge::Line>& lines) {
  if (!judge::known_commit(place, night.commit)) return;
  std::set<std::string> commits, dropped;
  for (const auto& [row, line] : lines) {
    for (const judge::Point& point : line) commits.insert(point.commit);
  }
  judge::CommitOrder order(place, night.commit, commits);
  for (auto& [row, line] : lines) dropped.merge(judge::keep_followed(line, order));
  if (dropped.empty()) return;
  context.note(fmt::format(
      "histories leave out {} run{} of commits that are not on the way to {}, or were measured "
      "after later ones",
      dropped.size(), dropped.size() == 1 ? "" : "s", judge::short_commit(night.commit)));
}

// Rows that the latest night before this one measured, of this host, and this one
// did not: whoever takes a row out of the suites must see that nobody watches it any more.
std::vector<std::string> gone_rows(const Past& past, const judge::Night& night) {
  std::string before;
  std::set<std::string> followed;  // nights of one second: the last of them is the one before
  std::vector<std::pair<RowKey, judge::Point>> ended;
  for (const RowKey& row : past.rows(night.host.id)) {
    judge::Line line = past.line(row, night.host.id);
    std::erase_if(line, [&](const judge::Point& p) {
      return p.run_id == night.run_id || p.started_utc > night.started_utc;
    });
    if (line.empty()) continue;
    before = std::max(before, line.back().started_utc);
    ended.emplace_back(row, line.back());
    line.pop_back();
    for (const judge::Point& point : line) followed.insert(point.run_id);
  }
  std::vector<std::string> gone;
  for (const auto& [row, point] : ended) {
    const bool measured =
        std::any_of(night.rows.begin(), night.rows.end(), [&row = row](const judge::NightRow& r) {
          return r.row == row && r.status != Status::kUnsupported;
        });
    const bool could = point.status != Status::kUnsupported;
    const bool latest = point.started_utc == before && !followed.contains(point.run_id);
    if (latest && !measured && could) gone.push_back(row.text());
  }
  return gone;
}

// The run that slow creep is measured from; empty: there is none.
std::string baseline_run(const CheckOptions& o, const store::Store& store,
                         const judge::BuildPlace& place,
                         const std::map<RowKey, judge::Line>& lines) {
  for (const store::Baseline& b : store.baselines()) {
    if (b.name == o.baseline && b.host_id == this_host().id) return b.run_id;
  }
  const auto commit = judge::known_commit(place, o.baseline);
  if (!commit) return {};
  std::string run;
  for (const auto& [row, line] : lines) {
    for (const judge::Point& point : line) {
      if (point.commit == *commit) run = point.run_id;
    }
    if (!run.empty()) break;
  }
  return run;
}

// Failed tonight and in every night before: no suspect, because nothing changed, and not right.
bool never_worked(const judge::Line& line) {
  const bool wrong = line.back().status == Status::kWrong;  // said anyway
  return !wrong && std::none_of(line.begin(), line.end(),
                                [](const judge::Point& p) { return p.status == Status::kOk; });
}

struct Findings {
  std::map<RowKey, judge::Line> lines;
  CheckReport report;
};

Findings find(Context& context, const CheckOptions& o, const store::Store& store, Past& past,
              const judge::BuildPlace& place, const judge::Night& night, const run::Hello& hello) {
  Findings f;
  f.lines = lines_of(past, night, hello);
  follow_commits(context, place, night, f.lines);
  f.report.run_id = night.run_id;
  f.report.commit = night.commit;
  f.report.host_id = night.host.id;
  f.report.rows = f.lines.size();
  f.report.gone = gone_rows(past, night);
  judge::SuspectPolicy policy;
  policy.baseline_run = baseline_run(o, store, place, f.lines);
  const std::vector<judge::Alert> alerts = past.alerts();
  for (const auto& [row, line] : f.lines) {
    if (line.back().status == Status::kWrong) f.report.wrong.push_back(row.text());
    if (never_worked(line)) f.report.failing.push_back(row.text());
    f.report.judged += judge::usable_points(line).points.size() >= policy.change.fewest ? 1 : 0;
    for (judge::Suspect& s : judge::open_suspects(row, line, policy, alerts)) {
      f.report.suspects.push_back(std::move(s));
    }
  }
  return f;
}

judge::LabOptions lab_options(const CheckOptions& o, const judge::BuildPlace& place) {
  judge::LabOptions options;
  options.place = place;
  options.gate.layouts = o.layouts;
  options.gate.budget_s = parse_seconds("--budget", o.budget);
  options.gate.seed = seed_of(o.seed);
  options.lock_wait_s = o.lock_wait_s;
  options.tool_version = NSOP_VERSION;
  return options;
}

// Measures suspects again, then looks at the alerts that are there.
void conclude(Context& context, const CheckOptions& o, Past& past, judge::Lab& lab,
              const judge::Night& night, const std::vector<KnownChange>& known, Findings& f) {
  const auto keep = [&](const store::AlertEvent& event) { past.append(event); };
  if (!o.suspects_only) {
    for (const judge::Suspect& s : f.report.suspects) {
      context.note(fmt::format("suspect: {}: {}", s.row.text(), s.why));
    }
    f.report.follow_up =
        judge::follow_up(f.report.suspects, f.lines, past.alerts(),
                         {night.host.id, utc_now(), known, !o.no_search}, lab, keep);
  }
  const std::vector<judge::Alert> changed = judge::revisit(
      past.alerts(), f.lines,
      {night.host.id, utc_now(), night.run_id, night.commit, known, f.report.suspects},
      [&](const judge::Alert& alert) { return past.last_measured(alert); },
      o.suspects_only ? nullptr : &lab, keep);
  for (const judge::Alert& alert : changed) {
    const bool closed = alert.state == judge::AlertState::kClosed;
    (closed ? f.report.closed : f.report.follow_up.found).push_back(alert);
  }
}

ExitCode check_verb(Context& context, const CheckOptions& o) {
  if (o.trust == "pr") throw usage_error("--trust pr: a pull request makes no history; use gate");
  parse_seconds("--budget", o.budget);
  const std::vector<KnownChange> known = declared_changes(o, context.settings);
  const judge::BuildPlace place{context.settings.root, judge::default_builds_folder()};
  Job job = o.run.empty() ? new_job(o, context.settings)
                          : Job{{}, "", {}, open_programs(context.settings)};
  if (o.run.empty()) check_build(context, place, job.programs.workers[0].build);
  const Programs programs = job.programs;
  store::Store store(context.settings.db);
  {
    const Past past(context.settings, o.folder);
    look_at_clock(context, past);
    if (o.run.empty()) leave_second_of_last_night(past);
  }
  const judge::Night night =
      o.run.empty() ? measured_night(context, o, store, std::move(job)) : stored_night(o, store);
  if (!o.folder.empty()) judge::write_night(o.folder, night);
  Past past(context.settings, o.folder);
  past.note_strange_events(context);
  Findings f = find(context, o, store, past, place, night, programs.workers[0].hello);
  f.report.confirmed = !o.suspects_only;
  judge::RevisionLab lab(lab_options(o, place), programs.reference, store,
                         [&](const std::string& text) { context.note(text); });
  conclude(context, o, past, lab, night, known, f);
  for (judge::Alert& alert : past.alerts()) {
    const bool open = alert.state == judge::AlertState::kOpen && alert.direction == "worse";
    if (open && alert.host_id == night.host.id) f.report.open.push_back(std::move(alert));
  }
  return show_check(context, f.report);
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  add_verb<CheckOptions>(app, context, "check",
                         "Measure, compare with the history, confirm and search what changed",
                         declare_check, check_verb);
}

}  // namespace nsop::cli
