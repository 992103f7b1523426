#include "harness/judge/nightly/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/history/commit_order.h"
#include "harness/judge/nightly/revisit.h"
#include "harness/judge/nightly/suspects.h"

namespace nsop::judge {
namespace {

bool is_ours(const RowKey& row, const run::Hello& hello) {
  return std::any_of(hello.variants.begin(), hello.variants.end(), [&](const auto& v) {
    return is_own(v.role) && v.name == row.variant && row.case_text.starts_with(v.op + " ");
  });
}

// Our rows with their past, this night last: what came after a stored run is not known to it.
std::map<RowKey, Line> lines_of(const Past& past, const Night& night, const run::Hello& hello) {
  std::map<RowKey, Line> lines;
  for (const NightRow& row : night.rows) {
    if (row.status == Status::kUnsupported || !is_ours(row.row, hello)) continue;
    Line line = past.line(row.row, night.host.id);
    end_with(line, night.run_id);
    if (!line.empty()) lines[row.row] = std::move(line);
  }
  return lines;
}

// Nights of other branches, and of releases that were measured afterwards, are no part of the line
// of commits whose changes are looked for.
void follow_commits(const BuildPlace& place, const Night& night, std::map<RowKey, Line>& lines,
                    const BuildNote& note) {
  if (!known_commit(place, night.commit)) return;
  std::set<std::string> commits, dropped;
  for (const auto& [row, line] : lines) {
    for (const Point& point : line) commits.insert(point.commit);
  }
  CommitOrder order(place, night.commit, commits);
  for (auto& [row, line] : lines) dropped.merge(keep_followed(line, order));
  if (dropped.empty()) return;
  note(fmt::format(
      "histories leave out {} run{} of commits that are not on the way to {}, or were measured "
      "after later ones",
      dropped.size(), dropped.size() == 1 ? "" : "s", short_commit(night.commit)));
}

// The run that slow creep is measured from; empty: there is none.
std::string baseline_run(const CheckRules& rules, const store::Store& store,
                         const std::string& host_id, const std::map<RowKey, Line>& lines) {
  for (const store::Baseline& b : store.baselines()) {
    if (b.name == rules.baseline && b.host_id == host_id) return b.run_id;
  }
  const auto commit = known_commit(rules.place, rules.baseline);
  if (!commit) return {};
  std::string run;
  for (const auto& [row, line] : lines) {
    for (const Point& point : line) {
      if (point.commit == *commit) run = point.run_id;
    }
    if (!run.empty()) break;
  }
  return run;
}

struct Findings {
  std::map<RowKey, Line> lines;
  CheckReport report;
};

Findings find(const Night& night, const CheckRules& rules, const CheckSources& from) {
  Findings f;
  f.lines = judged_lines(from.past, night, from.ours, rules.place, from.note);
  f.report.run_id = night.run_id;
  f.report.commit = night.commit;
  f.report.host_id = night.host.id;
  f.report.rows = f.lines.size();
  f.report.gone = gone_rows(from.past, night);
  f.report.confirmed = rules.confirm;
  SuspectPolicy policy;
  policy.baseline_run = baseline_run(rules, from.store, night.host.id, f.lines);
  const std::vector<Alert> alerts = from.past.alerts();
  for (const auto& [row, line] : f.lines) {
    if (line.back().status == Status::kWrong) f.report.wrong.push_back(row.text());
    if (never_worked(line)) f.report.failing.push_back(row.text());
    f.report.judged += usable_points(line).points.size() >= policy.change.fewest ? 1 : 0;
    for (Suspect& s : open_suspects(row, line, policy, alerts)) {
      f.report.suspects.push_back(std::move(s));
    }
  }
  return f;
}

// Measures suspects again, then looks at the alerts that are there.
void conclude(const Night& night, const CheckRules& rules, const CheckSources& from, Findings& f) {
  const auto keep = [&](const store::AlertEvent& event) { from.past.append(event); };
  if (rules.confirm) {
    for (const Suspect& s : f.report.suspects) {
      from.note(fmt::format("suspect: {}: {}", s.row.text(), s.why));
    }
    f.report.follow_up =
        follow_up(f.report.suspects, f.lines, from.past.alerts(),
                  {night.host.id, utc_now(), rules.known, rules.search}, from.lab, keep);
  }
  const std::vector<Alert> changed = revisit(
      from.past.alerts(), f.lines,
      {night.host.id, utc_now(), night.run_id, night.commit, rules.known, f.report.suspects},
      [&](const Alert& alert) { return from.past.last_measured(alert); },
      rules.confirm ? &from.lab : nullptr, keep);
  for (const Alert& alert : changed) {
    const bool closed = alert.state == AlertState::kClosed;
    (closed ? f.report.closed : f.report.follow_up.found).push_back(alert);
  }
}

}  // namespace

ExitCode exit_of(const CheckReport& report) {
  if (!report.open.empty() || !report.wrong.empty() || !report.failing.empty()) {
    return ExitCode::kFailed;
  }
  const bool undecided = !report.follow_up.unresolved.empty() ||
                         (!report.confirmed && !report.suspects.empty()) || report.judged == 0;
  return undecided ? ExitCode::kInconclusive : ExitCode::kOk;
}

std::map<RowKey, Line> judged_lines(const Past& past, const Night& night, const run::Hello& ours,
                                    const BuildPlace& place, const BuildNote& note) {
  std::map<RowKey, Line> lines = lines_of(past, night, ours);
  follow_commits(place, night, lines, note);
  return lines;
}

std::vector<std::string> gone_rows(const Past& past, const Night& night) {
  std::string before;
  std::set<std::string> followed;  // nights of one second: the last of them is the one before
  std::vector<std::pair<RowKey, Point>> ended;
  for (const RowKey& row : past.rows(night.host.id)) {
    Line line = past.line(row, night.host.id);
    std::erase_if(line, [&](const Point& p) {
      return p.run_id == night.run_id || p.started_utc > night.started_utc;
    });
    if (line.empty()) continue;
    before = std::max(before, line.back().started_utc);
    ended.emplace_back(row, line.back());
    line.pop_back();
    for (const Point& point : line) followed.insert(point.run_id);
  }
  std::vector<std::string> gone;
  for (const auto& [row, point] : ended) {
    const bool measured =
        std::any_of(night.rows.begin(), night.rows.end(), [&row = row](const NightRow& r) {
          return r.row == row && r.status != Status::kUnsupported;
        });
    const bool could = point.status != Status::kUnsupported;
    const bool latest = point.started_utc == before && !followed.contains(point.run_id);
    if (latest && !measured && could) gone.push_back(row.text());
  }
  return gone;
}

bool never_worked(const Line& line) {
  const bool wrong = line.back().status == Status::kWrong;  // said anyway
  return !wrong && std::none_of(line.begin(), line.end(),
                                [](const Point& p) { return p.status == Status::kOk; });
}

CheckReport check_night(const Night& night, const CheckRules& rules, const CheckSources& sources) {
  Findings f = find(night, rules, sources);
  conclude(night, rules, sources, f);
  for (Alert& alert : sources.past.alerts()) {
    const bool open = alert.state == AlertState::kOpen && alert.direction == "worse";
    if (open && alert.host_id == night.host.id) f.report.open.push_back(std::move(alert));
  }
  return std::move(f.report);
}

}  // namespace nsop::judge
