#include "harness/judge/nightly/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

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

using Lines = std::map<RowKey, Line>;

// Texts of points, each once. Points share them: most are known by where they are.
class DifferentTexts {
 public:
  void add(const SharedText& text) {
    if (known_.insert(&text.str()).second) texts_.insert(text);
  }
  const std::set<std::string>& texts() const { return texts_; }

 private:
  std::unordered_set<const std::string*> known_;
  std::set<std::string> texts_;
};

// Every row of the host with all that is known of it.
Lines whole_past(const Past& past, const std::string& host_id) {
  Lines lines;
  for (const RowKey& row : past.rows(host_id)) lines[row] = past.line(row, host_id);
  return lines;
}

// Our rows with their past, this night last: what came after a stored run is not known to it.
Lines own_lines(Lines past, const Night& night, const run::Hello& hello) {
  Lines lines;
  for (const NightRow& row : night.rows) {
    if (row.status == Status::kUnsupported || !is_ours(row.row, hello)) continue;
    Line line = std::move(past[row.row]);
    end_with(line, night.run_id);
    if (!line.empty()) lines[row.row] = std::move(line);
  }
  return lines;
}

// Rows that the latest night of the host before this one measured and this one did not: whoever
// takes a row out of the suites must see that nobody watches it any more.
std::vector<std::string> gone_rows(const Lines& past, const Night& night) {
  std::string before;
  DifferentTexts followed;  // nights of one second: the last of them is the one before
  std::vector<std::pair<RowKey, Point>> ended;
  for (const auto& [row, line] : past) {
    const Point* last = nullptr;
    for (const Point& point : line) {
      if (point.run_id == night.run_id || point.started_utc > night.started_utc ||
          point.backfilled) {
        continue;
      }
      if (last != nullptr) followed.add(last->run_id);
      last = &point;
    }
    if (last == nullptr) continue;
    before = std::max(before, last->started_utc.str());
    ended.emplace_back(row, *last);
  }
  std::set<RowKey> measured;
  for (const NightRow& r : night.rows) {
    if (r.status != Status::kUnsupported) measured.insert(r.row);
  }
  std::vector<std::string> gone;
  for (const auto& [row, point] : ended) {
    const bool could = point.status != Status::kUnsupported;
    const bool latest = point.started_utc == before && !followed.texts().contains(point.run_id);
    if (latest && !measured.contains(row) && could) gone.push_back(row.text());
  }
  return gone;
}

// Nights of other branches, and of releases that were measured afterwards, are no part of the line
// of commits whose changes are looked for.
void follow_commits(const BuildPlace& place, const Night& night, std::map<RowKey, Line>& lines,
                    const BuildNote& note) {
  if (!known_commit(place, night.commit)) {
    for (auto& [row, line] : lines) {
      std::erase_if(line, [&](const Point& point) {  // in no order
        return point.backfilled && point.run_id != night.run_id;
      });
    }
    return;
  }
  DifferentTexts commits;
  for (const auto& [row, line] : lines) {
    for (const Point& point : line) commits.add(point.commit);
  }
  CommitOrder order(place, night.commit, commits.texts());
  std::set<std::string> dropped;
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
  Lines past = whole_past(from.past, night.host.id);
  f.report.gone = gone_rows(past, night);
  f.lines = own_lines(std::move(past), night, from.ours);
  follow_commits(rules.place, night, f.lines, from.note);
  f.report.run_id = night.run_id;
  f.report.commit = night.commit;
  f.report.host_id = night.host.id;
  f.report.rows = f.lines.size();
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
  const bool inconclusive = !report.follow_up.unresolved.empty() ||
                            (!report.confirmed && !report.suspects.empty()) || report.judged == 0;
  return inconclusive ? ExitCode::kInconclusive : ExitCode::kOk;
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
