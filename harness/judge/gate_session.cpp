#include "harness/judge/gate_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "harness/core/util.h"
#include "harness/stats/summary.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

// The link order of a round: all of them in turn, and one step further after each turn, so that no
// order always comes with the same arm first.
int layout_of(int round, int layouts) { return (round + round / layouts) % layouts; }

// ns per operation by which an invocation is judged. One that can't be judged, because another
// thread did part of its work, becomes an error; a failed one has no value.
std::optional<double> value_of(Invocation& invocation) {
  if (invocation.status != Status::kOk) return std::nullopt;
  const stats::RowSummary summary = stats::summarize({invocation}).front();
  if (summary.status == Status::kOk) return summary.verdict_values.front();
  invocation.status = summary.status;
  invocation.reason = summary.reason;
  return std::nullopt;
}

bool flagged(Verdict verdict) { return verdict == Verdict::kWorse || verdict == Verdict::kBetter; }

// One session over some of the rows.
class Session {
 public:
  Session(int number, const std::vector<GateRow>& rows, const GateOptions& options,
          Measurer& measurer, const GateSink& sink)
      : number_(number),
        rows_(rows),
        options_(options),
        measurer_(measurer),
        sink_(sink),
        results_(rows.size()),
        active_(rows.size(), true) {}

  std::vector<SessionRow> run() {
    int done = 0;
    for (const stats::Look& look : options_.policy.looks) done = rounds_until(done, look.rounds);
    for (const stats::Look& look : options_.policy.further) {
      if (measurer_.seconds() >= options_.budget_s) break;
      keep_widest();
      done = rounds_until(done, look.rounds);
    }
    return results_;
  }

 private:
  int rounds_until(int done, int end) {
    for (int round = done; round < end && any_active(); ++round) run_round(round);
    decide();
    return end;
  }

  bool any_active() const {
    return std::find(active_.begin(), active_.end(), true) != active_.end();
  }

  std::vector<size_t> order_of(int round) const {
    std::vector<size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    SplitMix64 generator(options_.seed + 1000 * static_cast<uint64_t>(number_) +
                         static_cast<uint64_t>(round));
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator.next() % i]);
    return order;
  }

  void run_round(int round) {
    int slot = 0;
    for (const size_t i : order_of(round)) {
      if (active_[i]) measure_pair(i, round, slot);
    }
  }

  void measure_pair(size_t i, int round, int& slot) {
    const int layout = layout_of(round, options_.layouts);
    std::optional<double> values[2];
    for (const Arm arm :
         round % 2 == 0 ? std::array{Arm::kBase, Arm::kHead} : std::array{Arm::kHead, Arm::kBase}) {
      const Arm build = rows_[i].canary ? Arm::kBase : arm;
      Invocation invocation = measurer_.time(rows_[i].key, build, layout);
      invocation.session = number_;
      invocation.round = round;
      invocation.slot = slot++;
      values[arm == Arm::kHead] = value_of(invocation);
      note_status(results_[i], arm, invocation);
      sink_(arm, std::move(invocation));
    }
    if (values[0] && values[1]) {
      // With one link order there is nothing to average over: rounds stand for themselves.
      const int cluster = options_.layouts > 1 ? layout : round;
      results_[i].rounds.push_back({std::log(*values[1] / *values[0]), cluster});
    } else {
      active_[i] = false;
    }
  }

  static void note_status(SessionRow& row, Arm arm, const Invocation& invocation) {
    (arm == Arm::kBase ? row.base : row.head) = invocation.status;
    if (invocation.status == Status::kOk) return;
    row.reason = fmt::format("{}: {}: {}", arm == Arm::kBase ? "base" : "head",
                             status_text(invocation.status), invocation.reason);
  }

  void decide() {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!active_[i]) continue;
      results_[i].decision = stats::decide_gate(results_[i].rounds, options_.policy);
      active_[i] = results_[i].decision.verdict == Verdict::kInconclusive;
    }
  }

  // Beyond the ordinary looks, only rows that more rounds can decide go on: the wider half.
  void keep_widest() {
    std::vector<size_t> open;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (active_[i]) open.push_back(i);
    }
    const auto width = [&](size_t i) { return results_[i].decision.hi - results_[i].decision.lo; };
    std::stable_sort(open.begin(), open.end(),
                     [&](size_t a, size_t b) { return width(a) > width(b); });
    for (size_t k = (open.size() + 1) / 2; k < open.size(); ++k) active_[open[k]] = false;
  }

  int number_;
  const std::vector<GateRow>& rows_;
  const GateOptions& options_;
  Measurer& measurer_;
  const GateSink& sink_;
  std::vector<SessionRow> results_;
  std::vector<bool> active_;
};

void count_row(GateRowResult& result, Measurer& measurer, const GateSink& sink, int& slot) {
  for (const Arm arm : {Arm::kBase, Arm::kHead}) {
    Invocation invocation = measurer.count(result.row.key, result.row.canary ? Arm::kBase : arm);
    invocation.slot = slot++;
    (arm == Arm::kBase ? result.base_allocs : result.head_allocs) = invocation.allocs;
    sink(arm, std::move(invocation));
  }
  if (!result.base_allocs || !result.head_allocs) return;
  result.allocs =
      stats::compare_exact(result.base_allocs->allocs_per_op, result.head_allocs->allocs_per_op);
  result.bytes =
      stats::compare_exact(result.base_allocs->bytes_per_op, result.head_allocs->bytes_per_op);
}

// A row that an arm could not measure.
void judge_failure(GateRowResult& result) {
  const Status base = result.first.base, head = result.first.head;
  result.note = result.first.reason;
  if (base == Status::kOk) {
    result.verdict = Verdict::kWorse;  // the head lost it
  } else if (head == Status::kOk) {
    result.verdict = Verdict::kNew;
  } else {
    result.verdict = Verdict::kIncomparable;
  }
}

std::string change_of(const stats::GateDecision& d) {
  return fmt::format("{} ({:+.1f} %)", stats::verdict_text(d.verdict), 100 * (d.ratio - 1));
}

void judge_time(GateRowResult& result) {
  const stats::GateDecision& first = result.first.decision;
  result.verdict = first.verdict;
  result.note = first.note;
  if (!result.second) return;
  const stats::GateDecision& second = result.second->decision;
  if (second.verdict == first.verdict) return;
  result.verdict = Verdict::kInconclusive;
  result.note = fmt::format("first session: {}, not confirmed by the second: {}", change_of(first),
                            change_of(second));
}

// Confirmed rows must also stand among all rows that were looked at.
void control_discoveries(std::vector<GateRowResult>& rows, const GateOptions& options) {
  std::vector<double> p_values;
  for (const GateRowResult& r : rows) {
    double p = stats::gate_p_value(r.first.rounds, options.policy.worth);
    if (r.second) p = std::max(p, stats::gate_p_value(r.second->rounds, options.policy.worth));
    p_values.push_back(p);
  }
  const std::vector<bool> found = stats::discoveries(p_values, options.false_discovery_rate);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!flagged(rows[i].verdict) || !rows[i].first.reason.empty() || found[i]) continue;
    rows[i].note = fmt::format("{}, but no discovery among {} rows",
                               change_of(rows[i].first.decision), rows.size());
    rows[i].verdict = Verdict::kInconclusive;
  }
}

void judge_exact(GateRowResult& result) {
  for (const auto* exact : {&result.allocs, &result.bytes}) {
    if (*exact && (*exact)->verdict == Verdict::kWorse) {
      result.verdict = Verdict::kWorse;
      result.note = "more memory is allocated per operation";
    }
  }
}

}  // namespace

GateResult run_gate(const std::vector<GateRow>& rows, const GateOptions& options,
                    Measurer& measurer, const GateSink& sink) {
  GateResult result;
  for (const GateRow& row : rows) result.rows.push_back({row, {}, {}, {}, {}, {}, {}, {}, {}});
  int slot = 0;
  for (GateRowResult& row : result.rows) count_row(row, measurer, sink, slot);
  std::vector<SessionRow> first = Session(1, rows, options, measurer, sink).run();
  std::vector<GateRow> again;
  std::vector<size_t> again_index;
  for (size_t i = 0; i < rows.size(); ++i) {
    result.rows[i].first = std::move(first[i]);
    const stats::GateDecision& d = result.rows[i].first.decision;
    if (rows[i].canary && flagged(d.verdict)) {
      result.void_reason =
          fmt::format("the control row {} moved: {}", rows[i].key.text(), change_of(d));
    }
    if (!rows[i].canary && flagged(d.verdict)) {
      again.push_back(rows[i]);
      again_index.push_back(i);
    }
  }
  if (options.second_session && result.void_reason.empty() && !again.empty()) {
    std::vector<SessionRow> second = Session(2, again, options, measurer, sink).run();
    for (size_t k = 0; k < again.size(); ++k) {
      result.rows[again_index[k]].second = std::move(second[k]);
    }
  }
  for (GateRowResult& row : result.rows) {
    row.first.reason.empty() ? judge_time(row) : judge_failure(row);
  }
  control_discoveries(result.rows, options);
  for (GateRowResult& row : result.rows) {
    if (!result.void_reason.empty() && row.first.reason.empty()) {
      row.verdict = Verdict::kInconclusive;
      row.note = "the session is void";
    }
    judge_exact(row);
  }
  result.seconds = measurer.seconds();
  return result;
}

}  // namespace nsop::judge
