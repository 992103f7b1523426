// A laboratory of numbers for tests of what follows a suspicion.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/judge/nightly/follow_up.h"

namespace nsop::judge::test {

// A laboratory that knows by how much each commit (`c000`, `c001`, ...) changed each row.
class FakeLab : public Lab {
 public:
  std::map<std::string, std::map<RowKey, double>> changes;  // factor of time, by commit
  std::map<std::string, std::map<RowKey, double>> allocs;   // added per operation, by commit
  std::map<std::string, std::string> broken;                // commits that can't be measured, why
  bool base_fails = false;
  std::string crashes_from = "z";  // from this commit on
  double noise = 0.001;            // half width of intervals
  std::string void_reason;
  bool lines = true;
  int compared = 0, steps = 0;

  GateResult compare(const std::string& base, const std::string& head,
                     const std::vector<RowKey>& rows, Purpose purpose) override {
    ++compared;
    steps += purpose == Purpose::kStep;
    for (const std::string& commit : {base, head}) {
      if (broken.contains(commit)) throw environment_error(broken[commit]);
    }
    GateResult result;
    result.void_reason = void_reason;
    for (const RowKey& row : rows) result.rows.push_back(result_for(base, head, row));
    return result;
  }
  std::vector<std::string> line(const std::string& good, const std::string& bad) override {
    if (!lines) throw usage_error("no ancestor");
    std::vector<std::string> line;
    for (int i = std::stoi(good.substr(1)); i <= std::stoi(bad.substr(1)); ++i) {
      line.push_back(fmt::format("c{:03}", i));
    }
    return line;
  }
  std::string subject(const std::string& commit) override { return "Subject of " + commit; }

 private:
  double sum_between(const std::map<std::string, std::map<RowKey, double>>& all,
                     const std::string& base, const std::string& head, const RowKey& row,
                     bool product) const {
    double value = product ? 1 : 0;
    for (const auto& [commit, by_row] : all) {
      if (commit <= base || commit > head || !by_row.contains(row)) continue;
      value = product ? value * by_row.at(row) : value + by_row.at(row);
    }
    return value;
  }

  GateRowResult result_for(const std::string& base, const std::string& head, const RowKey& row) {
    GateRowResult r;
    r.row.key = row;
    const double more = sum_between(allocs, base, head, row, false);
    r.allocs = r.bytes = stats::compare_exact(1, 1 + more);
    stats::GateDecision& d = r.first.decision;
    if (base_fails) {
      r.first.base = Status::kError;
      r.first.reason = r.note = "base: error: signal 11";
      r.verdict = stats::Verdict::kIncomparable;
      return r;
    }
    if (head >= crashes_from) {
      r.first.head = Status::kError;
      r.first.reason = "head: error: signal 11";
      r.note = r.first.reason;
      r.verdict = stats::Verdict::kWorse;
      return r;
    }
    d.rounds = 6;
    const double ratio = sum_between(changes, base, head, row, true);
    d.intervals[0] = {ratio, ratio * (1 - noise), ratio * (1 + noise)};
    const stats::RatioInterval& seen = d.change();
    d.verdict = seen.lo > 1.01                     ? stats::Verdict::kWorse
                : seen.hi < 1 / 1.01               ? stats::Verdict::kBetter
                : seen.lo > 0.98 && seen.hi < 1.02 ? stats::Verdict::kSame
                                                   : stats::Verdict::kInconclusive;
    r.verdict = more > 0 ? stats::Verdict::kWorse : d.verdict;
    return r;
  }
};

}  // namespace nsop::judge::test
