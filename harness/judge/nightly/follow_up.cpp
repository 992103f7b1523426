#include "harness/judge/nightly/follow_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/judge/builds/commits.h"
#include "harness/judge/gate/verdict.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

struct Confirmed {
  Suspect suspect;
  GateRowResult result;
};

AlertRow alert_row(const GateRowResult& r, SuspectKind kind) {
  AlertRow row;
  row.row = r.row.key;
  row.note = r.note;
  if (kind != SuspectKind::kCount && r.first.decision.rounds > 0) {
    row.ratio = r.first.decision.change().ratio;
    row.lo = r.first.decision.change().lo;
    row.hi = r.first.decision.change().hi;
  }
  return row;
}

bool lost_by(const SessionRow& session) {
  return session.base == Status::kOk && session.head != Status::kOk;
}

bool head_failed(const GateRowResult& r) {
  return lost_by(r.first) || (r.second && lost_by(*r.second));
}

enum class Answer { kYes, kNo, kUnknown };  // was the suspicion right?

// Of a suspect that is a time. More or fewer allocations hide what the time says: it is asked for
// itself.
Answer answer_of_time(const Suspect& s, const GateRowResult& r) {
  if (head_failed(r)) return Answer::kYes;
  if (r.first.base != Status::kOk) return Answer::kUnknown;
  const Verdict alone = r.first.decision.verdict;
  const Verdict time = allocates_more(r) || alone == Verdict::kSame ? alone : r.verdict;
  if (time == (s.worse ? Verdict::kWorse : Verdict::kBetter)) return Answer::kYes;
  const bool decided =
      time == Verdict::kSame || time == Verdict::kWorse || time == Verdict::kBetter;
  return decided ? Answer::kNo : Answer::kUnknown;
}

// Of one that is a count or a failure.
Answer answer_of_fact(const Suspect& s, const GateRowResult& r) {
  if (head_failed(r)) return Answer::kYes;
  if (r.first.base != Status::kOk) return Answer::kUnknown;
  if (s.kind == SuspectKind::kFailure) {
    return r.verdict == Verdict::kIncomparable ? Answer::kUnknown : Answer::kNo;
  }
  if (!r.allocs || !r.bytes) return Answer::kUnknown;
  return allocates_more(r) ? Answer::kYes : Answer::kNo;
}

// One night follows up its suspects.
class SuspectSearch {
 public:
  SuspectSearch(const std::map<RowKey, Line>& lines, const std::vector<Alert>& alerts,
                const FollowUpOptions& options, Lab& lab,
                const std::function<void(const store::AlertEvent&)>& sink)
      : lines_(lines), alerts_(alerts), options_(options), lab_(lab), sink_(sink) {}

  FollowUp run(const std::vector<Suspect>& suspects) {
    std::map<std::pair<std::string, std::string>, std::vector<Suspect>> by_commits;
    for (const Suspect& suspect : suspects) {
      const auto [good, bad] = commits_of(suspect);
      const Alert* pending = inconclusive_of(suspect, lines_.at(suspect.row), alerts_);
      if (good == bad) {
        dismiss(suspect, "both nights measured one commit: the machine changed, not the code");
      } else if (good == "unknown" || bad == "unknown") {
        result_.unresolved.push_back(
            {suspect, "its nights name no commit (measured without git): can't be measured again"});
      } else if (pending != nullptr && pending->attempts >= kMostAttempts) {
        result_.unresolved.push_back({suspect, given_up(*pending)});
      } else {
        by_commits[{good, bad}].push_back(suspect);
      }
    }
    for (const auto& [commits, group] : by_commits) confirm(commits.first, commits.second, group);
    return std::move(result_);
  }

 private:
  const Point& point(const Suspect& s, size_t i) const { return lines_.at(s.row).at(i); }
  std::pair<std::string, std::string> commits_of(const Suspect& s) const {
    return {point(s, s.good).commit, point(s, s.bad).commit};
  }
  std::string time_of(const std::string& alert_id) const {
    const auto known = std::find_if(alerts_.begin(), alerts_.end(),
                                    [&](const Alert& a) { return a.id == alert_id; });
    return known == alerts_.end() ? options_.now_utc : event_time(*known, options_.now_utc);
  }

  static std::string given_up(const Alert& pending) {
    return fmt::format(
        "measured {} times without a decision, not again (last: {}); nsop alert close {} ends it, "
        "reopen measures it again",
        pending.attempts, pending.reason, pending.id);
  }

  // Measured again, and still inconclusive.
  void leave(const Suspect& suspect, const std::string& reason) {
    Alert alert = blank(suspect);
    std::tie(alert.last_good, alert.first_bad) = commits_of(suspect);
    alert.rows = {{suspect.row, suspect.ratio, suspect.ratio, suspect.ratio, suspect.why}};
    alert.state = AlertState::kInconclusive;
    alert.reason = reason;
    const Alert* pending = inconclusive_of(suspect, lines_.at(suspect.row), alerts_);
    alert.id = pending != nullptr ? pending->id : alert_id(alert);
    sink_(finding_event(alert, "inconclusive", time_of(alert.id)));
    result_.unresolved.push_back({suspect, reason});
  }

  // What was inconclusive before has an answer now: an alert of its own, or noise.
  void decided(const Suspect& suspect, const std::string& answer) {
    const Alert* pending = inconclusive_of(suspect, lines_.at(suspect.row), alerts_);
    if (pending == nullptr) return;
    sink_(change_event(*pending, {"close", "", answer, "", "nsop check"}, options_.now_utc));
  }

  static std::vector<RowKey> rows_of(const std::vector<Suspect>& group) {
    std::vector<RowKey> rows;
    for (const Suspect& s : group) {
      if (std::find(rows.begin(), rows.end(), s.row) == rows.end()) rows.push_back(s.row);
    }
    return rows;
  }

  void confirm(const std::string& good, const std::string& bad, const std::vector<Suspect>& group) {
    GateResult gate;
    try {
      gate = lab_.compare(good, bad, rows_of(group), Purpose::kFinding);
    } catch (const Error& error) {
      for (const Suspect& s : group) leave(s, error.what());
      return;
    }
    std::vector<Confirmed> confirmed;
    for (const Suspect& s : group) {
      const GateRowResult* r = result_of(gate, s.row);
      if (r == nullptr) {
        leave(s, "the gate has no such row");
      } else if (!gate.void_reason.empty()) {
        leave(s, "the session is void: " + gate.void_reason);
      } else {
        settle(s, *r, confirmed);
      }
    }
    if (!confirmed.empty()) search(good, bad, confirmed);
  }

  void settle(const Suspect& s, const GateRowResult& r, std::vector<Confirmed>& confirmed) {
    const bool timed = s.kind != SuspectKind::kCount && s.kind != SuspectKind::kFailure;
    const Answer answer = timed ? answer_of_time(s, r) : answer_of_fact(s, r);
    const std::string said = stats::verdict_text(r.verdict) + (r.note.empty() ? "" : ", " + r.note);
    switch (answer) {
      case Answer::kYes:
        confirmed.push_back({s, r});
        // It doesn't even run any more.
        if (head_failed(r)) confirmed.back().suspect.kind = SuspectKind::kFailure;
        break;
      case Answer::kNo:
        dismiss(s, "measured again, pairwise: " + said);
        break;
      case Answer::kUnknown:
        leave(s, "measured again: " + said);
        break;
    }
  }

  // Searches for the commits behind what was confirmed between these two.
  void search(const std::string& good, const std::string& bad,
              const std::vector<Confirmed>& confirmed) {
    std::map<RowKey, Culprit> culprits;
    std::vector<RowKey> wanted;
    for (const Confirmed& c : confirmed) {
      culprits[c.suspect.row] = {c.suspect.row, good, bad, {}, 0};
      if (c.suspect.kind != SuspectKind::kCreep) wanted.push_back(c.suspect.row);
    }
    if (options_.search && !wanted.empty()) {
      try {
        const auto judge = [&](const std::string& commit, const std::vector<RowKey>& rows) {
          return sides(good, commit, rows, confirmed);
        };
        for (Culprit& culprit : bisect(lab_.line(good, bad), wanted, judge)) {
          culprits[culprit.row] = std::move(culprit);
        }
      } catch (const Error& error) {
        search_note_ = fmt::format("not searched: {}", error.what());
      }
    }
    raise(confirmed, culprits);
    search_note_.clear();
  }

  std::map<RowKey, Side> sides(const std::string& good, const std::string& commit,
                               const std::vector<RowKey>& rows,
                               const std::vector<Confirmed>& confirmed) {
    std::map<RowKey, Side> sides;
    GateResult gate;
    try {
      gate = lab_.compare(good, commit, rows, Purpose::kStep);
    } catch (const Error&) {
      return sides;  // this commit can't be judged
    }
    for (const Confirmed& c : confirmed) {
      if (!gate.void_reason.empty()) {
        sides[c.suspect.row] = Side::kInconclusive;
        continue;
      }
      const GateRowResult* r = result_of(gate, c.suspect.row);
      if (r == nullptr) continue;
      sides[c.suspect.row] = side_of(*r, c.suspect.kind, c.result.first.decision);
    }
    return sides;
  }

  // One alert per commit, kind and direction.
  void raise(const std::vector<Confirmed>& confirmed, std::map<RowKey, Culprit>& culprits) {
    std::map<std::string, Alert> raised;
    for (const Confirmed& c : confirmed) {
      const Culprit& culprit = culprits.at(c.suspect.row);
      Alert alert = blank(c.suspect);
      alert.last_good = culprit.last_good;
      alert.first_bad = culprit.first_bad;
      alert.candidates = culprit.between;
      alert.subject = lab_.subject(culprit.first_bad);
      alert.rows = {alert_row(c.result, c.suspect.kind)};
      alert.state = c.suspect.worse ? AlertState::kOpen : AlertState::kNoted;
      alert.reason = search_note_.empty() ? c.suspect.why : c.suspect.why + "; " + search_note_;
      alert.id = alert_id(alert);
      decided(c.suspect, "confirmed: alert " + alert.id);
      const auto [it, fresh] = raised.emplace(alert.id, alert);
      if (!fresh) it->second.rows.push_back(alert.rows[0]);
    }
    for (auto& [id, alert] : raised) {
      add_known_rows(alert);
      declare(alert);
      tell(alert);
    }
  }

  // All rows of an alert that is open already: what is declared for some of them is not for all.
  void add_known_rows(Alert& alert) const {
    for (const Alert& known : alerts_) {
      if (known.id != alert.id || known.state != AlertState::kOpen) continue;
      for (const AlertRow& row : known.rows) {
        if (!has_row(alert, row.row)) alert.rows.push_back(row);
      }
    }
  }

  Alert blank(const Suspect& s) const {
    Alert alert;
    alert.host_id = options_.host_id;
    alert.kind = kind_text(s.kind);
    alert.direction = s.worse ? "worse" : "better";
    alert.good_run = point(s, s.good).run_id;
    alert.bad_run = point(s, s.bad).run_id;
    alert.opened_utc = alert.changed_utc = options_.now_utc;
    return alert;
  }

  // A change that the repository declares needs no answer.
  void declare(Alert& alert) const {
    const KnownChange* known = declaration_of(alert, options_.known, options_.now_utc);
    if (known == nullptr || alert.state != AlertState::kOpen) return;
    alert.state = AlertState::kAccepted;
    alert.expires = known->expires;
    alert.reason = fmt::format("declared in {}: {}", known->where, known->reason);
  }

  void tell(Alert& alert) {
    static const std::map<AlertState, std::string> actions = {{AlertState::kNoise, "noise"},
                                                              {AlertState::kNoted, "noted"},
                                                              {AlertState::kOpen, "open"},
                                                              {AlertState::kAccepted, "declared"}};
    sink_(finding_event(alert, actions.at(alert.state), time_of(alert.id)));
    result_.found.push_back(alert);
  }

  void dismiss(const Suspect& s, const std::string& reason) {
    Alert alert = blank(s);
    std::tie(alert.last_good, alert.first_bad) = commits_of(s);
    alert.rows = {{s.row, s.ratio, s.ratio, s.ratio, s.why}};
    alert.state = AlertState::kNoise;
    alert.reason = reason;
    alert.id = alert_id(alert);
    decided(s, reason);
    tell(alert);
  }

  const std::map<RowKey, Line>& lines_;
  const std::vector<Alert>& alerts_;
  const FollowUpOptions& options_;
  Lab& lab_;
  const std::function<void(const store::AlertEvent&)>& sink_;
  FollowUp result_;
  std::string search_note_;  // why the search of these commits failed
};

}  // namespace

const KnownChange* declaration_of(const Alert& alert, const std::vector<KnownChange>& known,
                                  const std::string& now_utc) {
  if (alert.kind == kind_text(SuspectKind::kFailure)) return nullptr;
  const auto is_of = [&](const std::string& commit) {
    const auto named = [&](const std::string& one) { return one.starts_with(commit); };
    return named(alert.first_bad) ||
           std::any_of(alert.candidates.begin(), alert.candidates.end(), named);
  };
  const bool of_time = alert.kind != kind_text(SuspectKind::kCount);
  const KnownChange* first = nullptr;
  for (const AlertRow& row : alert.rows) {
    const KnownChange* one = find_known_change(
        known, {row.row, alert.direction, row.ratio, of_time}, now_utc.substr(0, 10), is_of);
    if (one == nullptr) return nullptr;
    if (first == nullptr) first = one;
  }
  return first;
}

const GateRowResult* result_of(const GateResult& result, const RowKey& row) {
  const auto it = std::find_if(result.rows.begin(), result.rows.end(), [&](const GateRowResult& r) {
    return !r.row.canary && r.row.key == row;
  });
  return it == result.rows.end() ? nullptr : &*it;
}

Side side_of(const GateRowResult& r, SuspectKind kind, const stats::GateDecision& confirmed) {
  const bool head_failed = r.first.base == Status::kOk && r.first.head != Status::kOk;
  if (kind == SuspectKind::kFailure) return head_failed ? Side::kBad : Side::kGood;
  if (head_failed || r.first.base != Status::kOk) return Side::kUnknown;
  if (kind == SuspectKind::kCount) {
    if (!r.allocs || !r.bytes) return Side::kUnknown;
    return allocates_more(r) ? Side::kBad : Side::kGood;
  }
  if (r.row.kind == RowKind::kIdentical) return Side::kGood;
  const stats::GateDecision& d = r.first.decision;
  if (d.rounds == 0) return Side::kUnknown;
  const stats::RatioInterval& now = d.of(confirmed.by);
  const double half = std::sqrt(confirmed.change().ratio);  // half of the change, of its logarithm
  const bool slower = confirmed.change().ratio > 1;
  if (now.lo > half) return slower ? Side::kBad : Side::kGood;
  if (now.hi < half) return slower ? Side::kGood : Side::kBad;
  return Side::kInconclusive;
}

FollowUp follow_up(const std::vector<Suspect>& suspects, const std::map<RowKey, Line>& lines,
                   const std::vector<Alert>& alerts, const FollowUpOptions& options, Lab& lab,
                   const std::function<void(const store::AlertEvent&)>& sink) {
  return SuspectSearch(lines, alerts, options, lab, sink).run(suspects);
}

}  // namespace nsop::judge
