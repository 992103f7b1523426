#include "harness/judge/nightly/revisit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/identity.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/gate/verdict.h"
#include "harness/stats/base/robust.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

constexpr size_t kLevelNights = 12;  // of the level before the change

bool is_answered(const Alert& alert) {
  return alert.state != AlertState::kOpen && alert.state != AlertState::kAccepted &&
         alert.state != AlertState::kInconclusive;
}

// The median of the newest `count` values of one segment at or before `last`; 0: there are none.
double level_until(const Line& line, size_t last, size_t count,
                   stats::Statistic by = stats::Statistic::kFastest) {
  std::vector<double> values;
  for (size_t i = last + 1; i-- > 0 && values.size() < count;) {
    if (!(line[i].ns > 0)) continue;  // it failed, and is of no segment
    if (line[i].segment != line[last].segment) break;
    if (const double value = value_of(line[i], by); value > 0) values.push_back(value);
  }
  return values.empty() ? 0 : stats::median(values);
}

// Is this statistic nearer to the level before the change than to the level of the nights right
// after it? True, too, where its logarithm rose by less than `least` at the change, or where nobody
// knows: such a statistic can't say that the change is still there.
bool is_back(const Line& line, size_t good, size_t bad, stats::Statistic by, double least) {
  const size_t after_end = std::min(bad + kNightsBack, line.size()) - 1;
  const double before = level_until(line, good, kLevelNights, by);
  const double after = level_until(line, after_end, after_end - bad + 1, by);
  const double now = level_until(line, line.size() - 1, kNightsBack, by);
  if (before <= 0 || after < before * std::exp(least) || now <= 0) return true;
  return now < std::sqrt(before * after);
}

// The newest points, all of them ok and younger than `after`; empty: there are too few.
std::vector<Point> newest_nights(const Line& line, size_t after) {
  if (line.size() < after + 1 + kNightsBack) return {};
  std::vector<Point> points(line.end() - static_cast<std::ptrdiff_t>(kNightsBack), line.end());
  const bool ok = std::all_of(points.begin(), points.end(),
                              [](const Point& p) { return p.status == Status::kOk; });
  return ok ? points : std::vector<Point>{};
}

bool counts_are_back(const std::vector<Point>& nights, const Point& good) {
  return std::all_of(nights.begin(), nights.end(), [&](const Point& p) {
    return p.allocs && p.bytes && good.allocs && good.bytes && *p.allocs <= *good.allocs &&
           *p.bytes <= *good.bytes;
  });
}

// Can the newest night not be compared with the nights of the alert? These are of another segment,
// or no part of the history any more (somebody pushed by force).
bool is_cut_off(const Alert& alert, const Line& line) {
  const size_t good = place_of(line, alert.good_run);
  return good == line.size() || place_of(line, alert.bad_run) == line.size() ||
         line.back().segment != line[good].segment;
}

// Does this row look as it did before the change? One that can't say is worth a look.
bool looks_back(const Alert& alert, const AlertRow& row, const Line& line) {
  const size_t good = place_of(line, alert.good_run), bad = place_of(line, alert.bad_run);
  const std::vector<Point> nights = newest_nights(line, bad < line.size() ? bad : 0);
  if (nights.empty()) return false;
  if (alert.kind == "failure" || is_cut_off(alert, line)) return true;
  if (alert.kind == "count") return counts_are_back(nights, line[good]);
  const double before = level_until(line, good, kLevelNights);
  const double now = level_until(line, line.size() - 1, kNightsBack);
  if (!(before > 0 && now > 0 && now < before * std::sqrt(row.ratio))) return false;
  // The change may be one that the fastest repetitions never showed.
  const SuspectPolicy policy;
  return is_back(line, good, bad, stats::Statistic::kExcess, policy.excess.least) &&
         is_back(line, good, bad, stats::Statistic::kFirst, policy.first.least);
}

// Is it too early for another look?
bool was_looked_at(const Alert& alert, const Line& line) {
  const size_t looked = place_of(line, alert.looked_run);
  return alert.looks >= kMostAttempts ||
         (looked < line.size() && line.size() - 1 - looked < kNightsBack);
}

// Why the change of a row isn't gone; empty: it is.
std::string still_there(const Alert& alert, const GateResult& gate, const RowKey& row) {
  const GateRowResult* r = result_of(gate, row);
  if (!gate.void_reason.empty()) return "the session is void: " + gate.void_reason;
  if (r == nullptr) return row.text() + ": was not measured";
  const bool ran = r->first.base == Status::kOk && r->first.head == Status::kOk;
  const bool fits = alert.kind == "failure" ? r->verdict != Verdict::kIncomparable
                    : alert.kind == "count"
                        ? r->allocs && r->bytes && !allocates_more(*r)
                        : r->verdict == Verdict::kSame || r->verdict == Verdict::kBetter;
  if (ran && fits) return {};
  return fmt::format("{}: {}{}", row.text(), stats::verdict_text(r->verdict),
                     r->note.empty() ? "" : ", " + r->note);
}

class Visit {
 public:
  Visit(const std::map<RowKey, Line>& lines, const RevisitOptions& options,
        const LastMeasured& last_measured, Lab* lab,
        const std::function<void(const store::AlertEvent&)>& sink)
      : lines_(lines), options_(options), last_measured_(last_measured), lab_(lab), sink_(sink) {}

  void visit(const Alert& alert) {
    if (is_answered(alert) || close_silent(alert) || alert.host_id != options_.host_id) return;
    if (alert.state == AlertState::kInconclusive) close_unseen(alert);
    if (alert.state != AlertState::kOpen || alert.direction != "worse") return;
    if (declare(alert) || lab_ == nullptr) return;
    const std::string why = reason_to_look(alert, lines_);
    if (!why.empty()) look(alert, why);
  }
  std::vector<Alert> changed() { return std::move(changed_); }

 private:
  void close(Alert alert, const std::string& reason) {
    sink_(change_event(alert, {"close", "", reason, "", "nsop check"}, options_.now_utc));
    alert.state = AlertState::kClosed;
    alert.reason = reason;
    changed_.push_back(std::move(alert));
  }

  int64_t days_since(const std::string& utc) const {
    const auto then = utc_seconds(utc), now = utc_seconds(options_.now_utc);
    return then && now ? (*now - *then) / 86400 : 0;
  }

  bool close_silent(const Alert& alert) {
    if (days_since(alert.changed_utc) < kDaysSilent) return false;
    const auto last = last_measured_(alert);
    if (last && days_since(*last) < kDaysSilent) return false;
    close(alert, fmt::format("not measured on host {} for {} days ({}): nobody watches it there",
                             short_commit(alert.host_id), kDaysSilent,
                             last ? "last on " + last->substr(0, 10) : "no night is left"));
    return true;
  }

  // The history of its row goes on, and doesn't show it any more.
  void close_unseen(const Alert& alert) {
    const auto it = lines_.find(alert.rows.at(0).row);
    if (it == lines_.end() || it->second.back().status != Status::kOk) return;
    const Line& line = it->second;
    for (const Suspect& s : options_.suspects) {
      if (s.row == it->first && inconclusive_of(s, line, {alert}) != nullptr) return;
    }
    const size_t bad = place_of(line, alert.bad_run);
    const bool other = is_cut_off(alert, line);
    if (!other && line.size() - bad <= kNightsUnseen) return;
    close(alert,
          other ? "a new segment, which doesn't show it" : "the history doesn't show it any more");
  }

  bool declare(const Alert& alert) {
    const KnownChange* known = declaration_of(alert, options_.known, options_.now_utc);
    if (known == nullptr || alert.reopened) return false;
    Alert declared = alert;
    declared.expires = known->expires;
    declared.reason = fmt::format("declared in {}: {}", known->where, known->reason);
    declared.state = AlertState::kAccepted;
    sink_(finding_event(declared, "declared", event_time(alert, options_.now_utc)));
    changed_.push_back(std::move(declared));
    return true;
  }

  void look(const Alert& alert, const std::string& why) {
    std::vector<RowKey> rows;
    for (const AlertRow& row : alert.rows) rows.push_back(row.row);
    std::string still;
    try {
      const GateResult gate =
          lab_->compare(alert.last_good, options_.commit, rows, Purpose::kFinding);
      for (const RowKey& row : rows) {
        if (still.empty()) still = still_there(alert, gate, row);
      }
    } catch (const Error& error) {
      still = error.what();
    }
    const std::string what = fmt::format("{}; {} against {}", why, short_commit(options_.commit),
                                         short_commit(alert.last_good));
    if (still.empty()) {
      close(alert, what + ": the change is gone");
    } else {
      sink_(look_event(alert, options_.run_id, what + ": " + still, options_.now_utc));
    }
  }

  const std::map<RowKey, Line>& lines_;
  const RevisitOptions& options_;
  const LastMeasured& last_measured_;
  Lab* lab_;
  const std::function<void(const store::AlertEvent&)>& sink_;
  std::vector<Alert> changed_;
};

}  // namespace

std::string reason_to_look(const Alert& alert, const std::map<RowKey, Line>& lines) {
  bool other = false;
  for (const AlertRow& row : alert.rows) {
    const auto it = lines.find(row.row);
    if (it == lines.end()) return {};
    const Line& line = it->second;
    if (!looks_back(alert, row, line) || was_looked_at(alert, line)) return {};
    other = other || is_cut_off(alert, line);
  }
  if (alert.rows.empty()) return {};
  return fmt::format("{} for {} nights", other ? "a new segment" : "as before the change",
                     kNightsBack);
}

std::vector<Alert> revisit(const std::vector<Alert>& alerts, const std::map<RowKey, Line>& lines,
                           const RevisitOptions& options, const LastMeasured& last_measured,
                           Lab* lab, const std::function<void(const store::AlertEvent&)>& sink) {
  Visit visit(lines, options, last_measured, lab, sink);
  for (const Alert& alert : alerts) visit.visit(alert);
  return visit.changed();
}

}  // namespace nsop::judge
