#include "harness/judge/gate_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "harness/core/util.h"
#include "harness/judge/gate_verdict.h"

namespace nsop::judge {
namespace {

using stats::Verdict;

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
        active_(rows.size(), true) {
    for (size_t i = 0; i < rows.size(); ++i) active_[i] = rows[i].kind == RowKind::kBoth;
  }

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
    active_[i] = add_round(results_[i], round, options_.layouts, measured[0], measured[1]);
    sink_(first, std::move(measured[first == Arm::kHead]));
    sink_(first == Arm::kBase ? Arm::kHead : Arm::kBase, std::move(measured[first == Arm::kBase]));
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
  std::array<Invocation, 2> counted;
  for (const Arm arm : {Arm::kBase, Arm::kHead}) {
    Invocation invocation = measurer.count(result.row.key, result.row.canary ? Arm::kBase : arm);
    invocation.slot = slot++;
    counted[arm == Arm::kHead] = std::move(invocation);
  }
  take_counts(result, counted[0], counted[1]);
  sink(Arm::kBase, std::move(counted[0]));
  sink(Arm::kHead, std::move(counted[1]));
}

}  // namespace

GateResult run_gate(const std::vector<GateRow>& rows, const GateOptions& options,
                    Measurer& measurer, const GateSink& sink) {
  GateResult result;
  for (const GateRow& row : rows) result.rows.emplace_back().row = row;
  int slot = 0;
  for (GateRowResult& row : result.rows) {
    if (is_counted(row.row)) count_row(row, measurer, sink, slot);
  }
  std::vector<SessionRow> first = Session(1, rows, options, measurer, sink).run();
  std::vector<GateRow> again;
  std::vector<size_t> again_index;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind != RowKind::kBoth) continue;
    result.rows[i].first = std::move(first[i]);
    const bool suspect = is_flagged(result.rows[i].first.decision.verdict);
    if (!rows[i].canary && suspect) {
      again.push_back(rows[i]);
      again_index.push_back(i);
    }
  }
  result.void_reason = moved_control(result);
  if (options.second_session && result.void_reason.empty() && !again.empty()) {
    std::vector<SessionRow> second = Session(2, again, options, measurer, sink).run();
    for (size_t k = 0; k < again.size(); ++k) {
      result.rows[again_index[k]].second = std::move(second[k]);
    }
  }
  judge_rows(result, options);
  result.seconds = measurer.seconds();
  return result;
}

}  // namespace nsop::judge
