#include "harness/judge/nightly/suspects.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/identity.h"

namespace nsop::judge {
namespace {

constexpr size_t kSlack = 2;  // nights by which a detector may be off

std::string percent(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

// The newest points that are looked at; places refer to the line.
Usable newest_points(const Line& line, size_t window, stats::Statistic by) {
  Usable usable = usable_points(line, by);
  if (usable.points.size() > window) {
    const auto surplus = static_cast<std::ptrdiff_t>(usable.points.size() - window);
    usable.points.erase(usable.points.begin(), usable.points.begin() + surplus);
    usable.index.erase(usable.index.begin(), usable.index.begin() + surplus);
  }
  return usable;
}

bool same_segment(const Usable& u, size_t a, size_t b) {
  for (size_t i = a; i < b; ++i) {
    if (u.points[i].segment != u.points[i + 1].segment) return false;
  }
  return true;
}

// A range of points around a change at `at`, within one segment.
std::optional<Suspect> around(const RowKey& row, const Usable& u, size_t at, size_t next_change) {
  size_t good = at - 1, bad = at;
  if (u.points[good].segment != u.points[bad].segment) return std::nullopt;
  for (size_t k = 1; k < kSlack && good > 0 && same_segment(u, good - 1, good); ++k) --good;
  for (size_t k = 0; k < kSlack && bad + 1 < next_change && same_segment(u, bad, bad + 1); ++k) {
    ++bad;
  }
  Suspect suspect;
  suspect.row = row;
  suspect.good = u.index[good];
  suspect.bad = u.index[bad];
  return suspect;
}

// Does one of them speak of these nights? Their measurement answers both.
bool is_known(const Suspect& suspect, const std::vector<Suspect>& found) {
  return std::any_of(found.begin(), found.end(), [&](const Suspect& s) {
    return s.good < suspect.bad && suspect.good < s.bad;
  });
}

// The points where steps of this row were confirmed, by the newest alerts too.
std::vector<size_t> confirmed_steps(const RowKey& row, const Line& line, const Usable& u,
                                    const std::vector<Alert>& alerts) {
  std::vector<size_t> places;
  for (const Alert& alert : alerts) {
    const bool measured =
        alert.state != AlertState::kNoise && alert.state != AlertState::kInconclusive;
    if (!measured || !alert.confirmed || alert.kind != kind_text(SuspectKind::kStep)) continue;
    if (!has_row(alert, row)) continue;
    const size_t good = place_of(line, alert.good_run), bad = place_of(line, alert.bad_run);
    if (good == line.size() || bad == line.size()) continue;  // older than what is kept
    const size_t middle = good + (bad - good + 1) / 2;
    const auto at = std::lower_bound(u.index.begin(), u.index.end(), middle);
    if (at != u.index.end()) places.push_back(static_cast<size_t>(at - u.index.begin()));
  }
  return places;
}

// Suspects of the changes of a level; `what` changed.
std::vector<Suspect> steps_of(const RowKey& row, const Line& line, const Usable& u,
                              const stats::ChangePolicy& policy, const char* what,
                              const std::vector<Alert>& alerts = {}) {
  std::vector<Suspect> found;
  const auto changes = stats::told_changes(u.points, policy, confirmed_steps(row, line, u, alerts));
  for (size_t k = 0; k < changes.size(); ++k) {
    const size_t end = k + 1 < changes.size() ? changes[k + 1].index : u.points.size();
    auto suspect = around(row, u, changes[k].index, end);
    if (!suspect) continue;
    suspect->worse = changes[k].ratio > 1;
    suspect->ratio = changes[k].ratio;
    suspect->why = fmt::format("{} changed by {} [{}, {}] on {}", what, percent(changes[k].ratio),
                               percent(changes[k].lo), percent(changes[k].hi),
                               line[u.index[changes[k].index]].started_utc.str().substr(0, 10));
    found.push_back(std::move(*suspect));
  }
  return found;
}

// What the fastest repetitions don't show.
void add_hidden(const RowKey& row, const Line& line, const SuspectPolicy& policy,
                std::vector<Suspect>& found) {
  using stats::Statistic;
  for (const auto& [by, change, what] :
       {std::tuple{Statistic::kExcess, &policy.excess, "the mean repetition over the fastest"},
        std::tuple{Statistic::kFirst, &policy.first, "the first operation of a process"}}) {
    const Usable u = newest_points(line, policy.window, by);
    if (u.index.empty() || u.index.back() + 1 != line.size()) continue;  // not known of tonight
    for (Suspect& suspect : steps_of(row, line, u, *change, what)) {
      suspect.kind = SuspectKind::kHidden;
      if (suspect.worse && !is_known(suspect, found)) found.push_back(std::move(suspect));
    }
  }
}

// The newest of `count` points against the level of the dozen before; nothing unless it stands out.
std::optional<double> tripped(const Usable& u, size_t count) {
  constexpr size_t kLevel = 12;
  if (count <= kLevel) return std::nullopt;
  return stats::trip_ratio(
      {u.points.begin(), u.points.begin() + static_cast<std::ptrdiff_t>(count)});
}

void add_trip(const RowKey& row, const Usable& u, std::vector<Suspect>& found) {
  size_t count = u.points.size();
  auto ratio = tripped(u, count);
  if (!ratio) return;
  // A level that is a few nights old began where the first of them stood out.
  while (const auto earlier = tripped(u, count - 1)) {
    if ((*earlier > 1) != (*ratio > 1)) break;
    --count;
    ratio = earlier;
  }
  auto suspect = around(row, u, count - 1, u.points.size());
  if (!suspect || is_known(*suspect, found)) return;
  suspect->kind = SuspectKind::kTrip;
  suspect->ratio = *ratio;
  suspect->worse = *ratio > 1;
  suspect->why = fmt::format("the newest night stands out: {} against the dozen before",
                             percent(suspect->ratio));
  found.push_back(std::move(*suspect));
}

// The first of the newest points that is younger than so many days.
size_t first_since(const Line& line, const Usable& u, int days) {
  const auto newest = utc_seconds(line.back().started_utc.str());
  for (size_t i = 0; i < u.index.size(); ++i) {
    const auto at = utc_seconds(line[u.index[i]].started_utc.str());
    if (newest && at && *newest - *at <= int64_t{days} * 86400) return i;
  }
  return u.index.size();
}

void add_creep(const RowKey& row, const Line& line, const Usable& u, const SuspectPolicy& policy,
               std::vector<Suspect>& found) {
  std::optional<stats::Creep> creep;
  std::string than;
  for (size_t i = 0; i < u.index.size() && !policy.baseline_run.empty(); ++i) {
    if (line[u.index[i]].run_id != policy.baseline_run) continue;
    creep = stats::creep_since(u.points, i, policy.creep);
    than = "the release baseline";
  }
  if (!creep) {
    creep =
        stats::creep_since_best(u.points, first_since(line, u, policy.creep_days), policy.creep);
    than = fmt::format("the best level of {} days", policy.creep_days);
  }
  if (!creep) return;
  Suspect suspect{
      row, SuspectKind::kCreep, true, u.index[creep->since], u.index.back(), creep->ratio, ""};
  suspect.why = fmt::format("{} against {} ({})", percent(creep->ratio), than,
                            line[suspect.good].started_utc.str().substr(0, 10));
  found.push_back(std::move(suspect));
}

using Count = std::optional<double> Point::*;

bool has_count(const Point& point, Count count) {
  return point.status == Status::kOk && (point.*count).has_value();
}

// The newest point before `last` that says less than `value`, as far as one segment's counts go.
// Nights that failed are of no segment.
std::optional<size_t> last_below(const Line& line, size_t last, double value, Count count) {
  for (size_t i = last; i-- > 0;) {
    if (line[i].status != Status::kOk) continue;
    if (line[i].segment != line[last].segment) break;
    if (has_count(line[i], count) && *(line[i].*count) < value) return i;
  }
  return std::nullopt;
}

// The first point after `at` that has this count.
size_t next_with(const Line& line, size_t at, Count count) {
  size_t next = at + 1;
  while (next + 1 < line.size() && !has_count(line[next], count)) ++next;
  return next;
}

// The newest point before `last` where the row worked.
std::optional<size_t> last_ok(const Line& line, size_t last) {
  for (size_t i = last; i-- > 0;) {
    if (line[i].status == Status::kOk) return i;
  }
  return std::nullopt;
}

// What needs no statistics. It is compared with the newest night that was better, not only with
// the one before: what a night could not decide comes up again in the next.
void add_exact(const RowKey& row, const Line& line, std::vector<Suspect>& found) {
  if (line.size() < 2) return;
  const size_t last = line.size() - 1;
  const Point& now = line[last];
  if (now.status != Status::kOk) {
    if (const auto good = last_ok(line, last)) {
      found.push_back({row, SuspectKind::kFailure, true, *good, last, 1,
                       fmt::format("was ok, is {}", status_text(now.status))});
    }
    return;
  }
  for (const auto& [count, unit] :
       {std::pair{&Point::allocs, "allocs/op"}, std::pair{&Point::bytes, "B/op"}}) {
    if (!(now.*count)) continue;
    const auto good = last_below(line, last, *(now.*count), count);
    if (!good) continue;
    found.push_back(
        {row, SuspectKind::kCount, true, *good, next_with(line, *good, count), 1,
         fmt::format("{:g} {}, were {:g}", *(now.*count), unit, *(line[*good].*count))});
    return;
  }
}

bool concerns(const Alert& alert, const Suspect& suspect) {
  return alert.direction == (suspect.worse ? "worse" : "better") && has_row(alert, suspect.row);
}

// Suspects whose last night is the newest one, whichever that is.
bool lasts(SuspectKind kind) {
  return kind == SuspectKind::kCreep || kind == SuspectKind::kFailure;
}

// The nights that were tested hold the middle of those that are suspected now.
bool hold(const Alert& alert, const Suspect& suspect, const Line& line) {
  const size_t good = place_of(line, alert.good_run), bad = place_of(line, alert.bad_run);
  const size_t middle = suspect.good + (suspect.bad - suspect.good + 1) / 2;
  // Without the good night it is older than the line; without the bad one of another history.
  return bad < line.size() && (good == line.size() || good < middle) && middle <= bad;
}

}  // namespace

std::string kind_text(SuspectKind kind) {
  switch (kind) {
    case SuspectKind::kStep:
    case SuspectKind::kTrip:
    case SuspectKind::kHidden:
      return "step";
    case SuspectKind::kCreep:
      return "creep";
    case SuspectKind::kCount:
      return "count";
    case SuspectKind::kFailure:
      break;
  }
  return "failure";
}

std::vector<Suspect> suspects_of(const RowKey& row, const Line& line, const SuspectPolicy& policy,
                                 const std::vector<Alert>& alerts) {
  std::vector<Suspect> found;
  add_exact(row, line, found);
  if (line.empty() || line.back().status != Status::kOk) return found;
  const Usable u = newest_points(line, policy.window, stats::Statistic::kFastest);
  if (u.points.size() < policy.change.fewest) return found;
  std::vector<Suspect> timed = steps_of(row, line, u, policy.change, "the level", alerts);
  add_trip(row, u, timed);
  add_hidden(row, line, policy, timed);
  add_creep(row, line, usable_points(line), policy, timed);  // a release may be older
  found.insert(found.end(), timed.begin(), timed.end());
  return found;
}

size_t place_of(const Line& line, const std::string& run_id) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i].run_id == run_id) return i;
  }
  return line.size();
}

bool is_dealt_with(const Suspect& suspect, const Line& line, const std::vector<Alert>& alerts) {
  for (const Alert& alert : alerts) {
    if (alert.state == AlertState::kInconclusive || !concerns(alert, suspect)) continue;
    const bool same_kind = alert.kind == kind_text(suspect.kind);
    if (!lasts(suspect.kind)) {
      if (same_kind && hold(alert, suspect, line)) return true;
      continue;
    }
    const size_t bad = place_of(line, alert.bad_run);
    if (bad == line.size()) continue;  // of another history, or older than what is kept
    if (suspect.kind == SuspectKind::kFailure) {
      // A crash that did not come again is looked at again when it does.
      const size_t since = alert.state == AlertState::kNoise ? suspect.bad - 1 : suspect.good;
      if (same_kind && bad > since) return true;
      continue;
    }
    const bool confirmed = alert.state != AlertState::kNoise && alert.state != AlertState::kClosed;
    // A creep that was found to be noise is looked at again after some nights.
    const bool recently = same_kind && line.size() - bad <= 7;
    if ((confirmed && bad > suspect.good) || recently) return true;
  }
  return false;
}

const Alert* inconclusive_of(const Suspect& suspect, const Line& line,
                             const std::vector<Alert>& alerts) {
  for (const Alert& alert : alerts) {
    if (alert.state != AlertState::kInconclusive || alert.kind != kind_text(suspect.kind)) continue;
    if (!concerns(alert, suspect)) continue;
    const size_t bad = place_of(line, alert.bad_run);
    const bool same =
        lasts(suspect.kind) ? bad < line.size() && bad > suspect.good : hold(alert, suspect, line);
    if (same) return &alert;
  }
  return nullptr;
}

std::vector<Suspect> open_suspects(const RowKey& row, const Line& line, const SuspectPolicy& policy,
                                   const std::vector<Alert>& alerts) {
  std::vector<Suspect> open = suspects_of(row, line, policy, alerts);
  std::erase_if(open, [&](const Suspect& s) { return is_dealt_with(s, line, alerts); });
  const bool step = std::any_of(open.begin(), open.end(), [](const Suspect& s) {
    return s.worse && (s.kind == SuspectKind::kStep || s.kind == SuspectKind::kTrip);
  });
  if (step) std::erase_if(open, [](const Suspect& s) { return s.kind == SuspectKind::kCreep; });
  return open;
}

}  // namespace nsop::judge
