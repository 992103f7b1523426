#include "harness/judge/gate/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "harness/core/tensor/random.h"
#include "harness/judge/gate/verdict.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

// Hands on what was measured and says how far the gate is.
class Told {
 public:
  Told(const GateSink& sink, const GateProgressSink& progress) : sink_(sink), progress_(progress) {}

  void plan(int session, int look, size_t invocations) {
    at_.session = session;
    at_.look = look;
    at_.planned = at_.done + static_cast<int64_t>(invocations);
  }
  void measured(Arm arm, Invocation invocation) {
    const RowKey row = invocation.row;
    sink_(arm, std::move(invocation));
    ++at_.done;
    progress_(row, at_);
  }

 private:
  const GateSink& sink_;
  const GateProgressSink& progress_;
  GateProgress at_;
};

// One session over some of the rows.
class Session {
 public:
  // `owed`: rounds that a row may have whatever the budget says. `begin_s`: from when on the budget
  // is spent.
  Session(int number, const std::vector<GateRow>& rows, const std::vector<int>& owed,
          const GateOptions& options, Measurer& measurer, Told& told, double begin_s)
      : number_(number),
        rows_(rows),
        owed_(owed),
        options_(options),
        measurer_(measurer),
        told_(told),
        begin_s_(begin_s),
        results_(rows.size()),
        active_(rows.size(), true) {
    for (size_t i = 0; i < rows.size(); ++i) active_[i] = rows[i].kind == RowKind::kBoth;
  }

  std::vector<SessionRow> run() {
    int done = 0;
    for (const stats::Look& look : options_.policy.looks) done = rounds_until(done, look.rounds);
    for (const stats::Look& look : options_.policy.further) {
      keep_narrowest(done, look.rounds);
      if (!any_active()) break;
      done = rounds_until(done, look.rounds);
    }
    return results_;
  }

 private:
  int rounds_until(int done, int end) {
    const auto active = static_cast<size_t>(std::count(active_.begin(), active_.end(), true));
    told_.plan(number_, end, 2 * active * static_cast<size_t>(end - done));
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
    const int layout = layout_of(round, options_.layouts) + first_layout();
    std::array<Invocation, 2> measured;  // base, head
    const Arm first = first_arm(round);
    for (const Arm arm : {first, first == Arm::kBase ? Arm::kHead : Arm::kBase}) {
      const Arm build = rows_[i].canary ? Arm::kBase : arm;
      Invocation invocation = measurer_.time(rows_[i].key, build, layout);
      invocation.session = number_;
      invocation.round = round;
      invocation.slot = slot++;
      measured[arm == Arm::kHead] = std::move(invocation);
    }
    ++pairs_;
    active_[i] = add_round(results_[i], round, options_.layouts, measured[0], measured[1]);
    told_.measured(first, std::move(measured[first == Arm::kHead]));
    told_.measured(first == Arm::kBase ? Arm::kHead : Arm::kBase,
                   std::move(measured[first == Arm::kBase]));
  }

  void decide() {
    std::vector<const SessionRow*> measured;
    for (const SessionRow& row : results_) measured.push_back(&row);
    const auto priors = priors_of(rows_, measured, options_.policy);
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!active_[i]) continue;
      results_[i].decision = decide_row(rows_[i], results_[i], number_, options_.policy, priors);
      active_[i] = results_[i].decision.verdict == Verdict::kInconclusive;
    }
  }

  int first_layout() const { return options_.fresh_layouts && number_ == 2 ? options_.layouts : 0; }

  // Beyond the ordinary looks go the rows that are owed it, and of the others as many as the rest
  // of the budget lasts for at the pace so far, those with the narrowest intervals first: they need
  // the fewest rounds, so that the fewest rows stay open. At least one while anything is left.
  void keep_narrowest(int done, int end) {
    std::vector<size_t> open;
    size_t owed = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!active_[i]) continue;
      if (owed_[i] >= end) {
        ++owed;
      } else {
        open.push_back(i);
      }
    }
    const auto width = [&](size_t i) {
      return results_[i].decision.change().hi - results_[i].decision.change().lo;
    };
    std::stable_sort(open.begin(), open.end(),
                     [&](size_t a, size_t b) { return width(a) < width(b); });
    for (size_t k = paid_rows(end - done, owed); k < open.size(); ++k) active_[open[k]] = false;
  }

  // How many rows the rest of the budget lasts for, besides those that are owed their rounds.
  size_t paid_rows(int rounds, size_t owed) const {
    const double now = measurer_.seconds(), left = options_.budget_s - (now - begin_s_);
    if (left <= 0) return 0;
    const double pair_s = std::max(now - start_s_, 0.0) / std::max(pairs_, 1);
    const double rows = pair_s > 0 ? left / (pair_s * rounds) : static_cast<double>(rows_.size());
    const auto most = static_cast<size_t>(std::min(rows, static_cast<double>(rows_.size())));
    return most > owed + 1 ? most - owed : 1;
  }

  int number_;
  const std::vector<GateRow>& rows_;
  const std::vector<int>& owed_;
  const GateOptions& options_;
  Measurer& measurer_;
  Told& told_;
  double begin_s_;
  std::vector<SessionRow> results_;
  std::vector<bool> active_;
  double start_s_ = measurer_.seconds();
  int pairs_ = 0;  // measured in this session
};

// A row that only the head has is run once, so that a new op that crashes is no mere novelty.
void count_new_row(GateRowResult& result, Measurer& measurer, Told& told, int& slot) {
  Invocation counted = measurer.count(result.row.key, Arm::kHead);
  counted.slot = slot++;
  take_new_count(result, counted);
  told.measured(Arm::kHead, std::move(counted));
}

void count_row(GateRowResult& result, Measurer& measurer, Told& told, int& slot) {
  std::array<Invocation, 2> counted;
  for (const Arm arm : {Arm::kBase, Arm::kHead}) {
    Invocation invocation = measurer.count(result.row.key, result.row.canary ? Arm::kBase : arm);
    invocation.slot = slot++;
    counted[arm == Arm::kHead] = std::move(invocation);
  }
  take_counts(result, counted[0], counted[1]);
  told.measured(Arm::kBase, std::move(counted[0]));
  told.measured(Arm::kHead, std::move(counted[1]));
}

void count_rows(std::vector<GateRowResult>& rows, Measurer& measurer, Told& told) {
  size_t invocations = 0;
  for (const GateRowResult& row : rows) {
    invocations += is_counted(row.row) ? 2 : row.row.kind == RowKind::kNew ? 1 : 0;
  }
  told.plan(0, 0, invocations);
  int slot = 0;
  for (GateRowResult& row : rows) {
    if (is_counted(row.row)) count_row(row, measurer, told, slot);
    if (row.row.kind == RowKind::kNew) count_new_row(row, measurer, told, slot);
  }
}

// What was flagged, with the controls between, once more.
void run_second_session(GateResult& result, const GateOptions& options, Measurer& measurer,
                        Told& told, double begin_s) {
  std::vector<GateRow> again;
  std::vector<GateRowResult*> results;
  int longest = 0;  // rounds that a flagged row took
  for (GateRowResult& row : result.rows) {
    const bool suspect = is_flagged(row.first.decision.verdict);
    if (row.row.kind != RowKind::kBoth || !(row.row.canary || suspect)) continue;
    if (suspect) longest = std::max(longest, row.first.decision.rounds);
    again.push_back(row.row);
    results.push_back(&row);
  }
  if (longest == 0) return;
  std::vector<int> owed;
  for (const GateRowResult* row : results) {
    owed.push_back(row->row.canary ? longest : row->first.decision.rounds);
  }
  std::vector<SessionRow> second = Session(2, again, owed, options, measurer, told, begin_s).run();
  for (size_t k = 0; k < again.size(); ++k) results[k]->second = std::move(second[k]);
}

}  // namespace

GateResult run_gate(const std::vector<GateRow>& rows, const GateOptions& options,
                    Measurer& measurer, const GateSink& sink, const GateProgressSink& progress) {
  GateResult result;
  for (const GateRow& row : rows) result.rows.emplace_back().row = row;
  Told told(sink, progress);
  count_rows(result.rows, measurer, told);
  const double begin_s = measurer.seconds();  // counting spends no budget
  const std::vector<int> owed(rows.size(), 0);
  std::vector<SessionRow> first = Session(1, rows, owed, options, measurer, told, begin_s).run();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind == RowKind::kBoth) result.rows[i].first = std::move(first[i]);
  }
  result.void_reason = moved_control(result);
  if (options.second_session && result.void_reason.empty()) {
    run_second_session(result, options, measurer, told, begin_s);
    result.void_reason = moved_control(result);
  }
  judge_rows(result, options);
  result.seconds = measurer.seconds();
  return result;
}

}  // namespace nsop::judge
