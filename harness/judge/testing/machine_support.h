// A machine of numbers for tests of gates, and rows for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "harness/core/tensor/random.h"
#include "harness/judge/gate/session.h"
#include "harness/stats/base/distributions.h"

namespace nsop::judge {

// A machine of numbers: every row has a true time per arm, an offset per link order, and noise.
class FakeMachine : public Measurer {
 public:
  struct Behaviour {
    double base_ns = 1000, head_ns = 1000;
    double noise = 0.002;     // SD of ln(time)
    double layout_noise = 0;  // SD of the offset that a build has in a link order
    double head_allocs = 0;   // base: 0
    int head_fails_from_round = -1, base_fails_from_round = -1;  // -1: never
    bool head_cannot_count = false;
    double second_call_factor = 1;  // of the head, after 672 calls: only the first session sees it
    int repetitions = 1;
    // Of the head: how many of its repetitions, and of its processes, are slower, by what.
    double slow_repetitions = 0, slow_processes = 0, slow_factor = 1;
    int slow_first = 0;  // of the head: so many repetitions of each process are slower
    // Of the head's first operation, before any repetition, over the others; 0: it isn't told.
    double first_factor = 0;
    double delayed_firsts = 0;  // how many first operations of both arms take 20 times as long
  };
  std::map<std::string, Behaviour> rows;
  std::vector<std::string> log;
  double seconds_per_call = 0.01;

  Invocation time(const RowKey& row, Arm arm, int layout) override {
    const Behaviour& b = rows.at(row.case_text);
    ++calls_;
    Invocation i;
    i.row = row;
    const bool head = arm == Arm::kHead;
    const int fails_from = head ? b.head_fails_from_round : b.base_fails_from_round;
    if (fails_from >= 0 && calls_of_[{arm, row.case_text}]++ >= fails_from) {
      i.status = Status::kError;
      i.reason = "died";
      return i;
    }
    SplitMix64 offsets(static_cast<uint64_t>(layout) * 2 + (head ? 1 : 0) + 77);
    double ns = head ? b.head_ns : b.base_ns;
    ns *= std::exp(b.noise * normal(generator_) + b.layout_noise * normal(offsets));
    if (head && calls_ > 672) ns *= b.second_call_factor;
    if (head && chance(b.slow_processes)) ns *= b.slow_factor;
    for (int k = 0; k < b.repetitions; ++k) {
      const bool slow = head && (k < b.slow_first || chance(b.slow_repetitions));
      const auto total = static_cast<int64_t>(ns * (slow ? b.slow_factor : 1) * 1e4);
      i.repetitions.push_back({10'000, total, total, total, 0, 0, 0});
    }
    if (b.first_factor > 0) {
      const double delay = chance(b.delayed_firsts) ? 20 : 1;
      const double noise = delay * std::exp(0.1 * normal(generator_));
      i.first_ns = static_cast<int64_t>(ns * noise * (head ? b.first_factor : 1) * 1e3);
    }
    i.check.ok = true;
    log.push_back((head ? "head " : "base ") + row.case_text + " " + std::to_string(layout));
    return i;
  }

  Invocation count(const RowKey& row, Arm arm) override {
    Invocation i;
    i.row = row;
    i.phase = Phase::kCount;
    i.allocs = AllocCounts{};
    if (rows.at(row.case_text).head_cannot_count && arm == Arm::kHead) {
      i.allocs.reset();
      i.status = Status::kError;
      i.reason = "died";
      return i;
    }
    if (arm == Arm::kHead) i.allocs->allocs_per_op = rows.at(row.case_text).head_allocs;
    return i;
  }

  double seconds() const override { return seconds_per_call * calls_; }

 private:
  bool chance(double share) { return share > 0 && generator_.uniform() < share; }
  static double normal(SplitMix64& g) {
    return stats::normal_quantile(std::min(std::max(g.uniform(), 1e-12), 1 - 1e-12));
  }
  SplitMix64 generator_{42};
  std::map<std::pair<Arm, std::string>, int> calls_of_;
  int calls_ = 0;
};

inline std::vector<GateRow> rows_named(const std::vector<std::string>& names) {
  std::vector<GateRow> rows;
  for (const std::string& name : names) rows.push_back({{name, "hwy", "AVX2", 1}, false});
  return rows;
}

inline GateResult gate_of(FakeMachine& machine, const std::vector<GateRow>& rows,
                          const GateOptions& options = {}) {
  return run_gate(rows, options, machine, [](Arm, const Invocation&) {});
}

}  // namespace nsop::judge
