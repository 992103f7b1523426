#include "harness/judge/backfill/drift.h"

#include <cmath>
#include <map>

#include "harness/stats/base/robust.h"

namespace nsop::judge {
namespace {

// The usual time of each row, in ns per operation.
std::map<RowKey, double> usual_times(const std::vector<ReferenceValues>& sessions) {
  std::map<RowKey, std::vector<double>> values;
  for (const ReferenceValues& session : sessions) {
    for (const stats::RowSummary& row : session.rows) {
      if (row.verdict_ns > 0) values[row.row].push_back(row.verdict_ns);
    }
  }
  std::map<RowKey, double> usual;
  for (const auto& [row, times] : values) usual[row] = stats::median(times);
  return usual;
}

class GeometricMean {
 public:
  void add(double ratio) {
    sum_ += std::log(ratio);
    ++count_;
  }
  double value() const { return count_ == 0 ? 1 : std::exp(sum_ / count_); }
  bool empty() const { return count_ == 0; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

}  // namespace

std::vector<SessionDrift> reference_drift(const std::vector<ReferenceValues>& sessions) {
  const std::map<RowKey, double> usual = usual_times(sessions);
  std::vector<SessionDrift> drifts;
  for (const ReferenceValues& session : sessions) {
    GeometricMean whole;
    std::map<int, GeometricMean> rounds;
    for (const stats::RowSummary& row : session.rows) {
      if (!(row.verdict_ns > 0)) continue;
      const double as_usual = usual.at(row.row);
      whole.add(row.verdict_ns / as_usual);
      for (size_t i = 0; i < row.verdict_values.size(); ++i) {
        rounds[row.verdict_rounds[i]].add(row.verdict_values[i] / as_usual);
      }
    }
    if (whole.empty()) continue;
    SessionDrift& drift = drifts.emplace_back();
    drift.commit = session.commit;
    drift.run_id = session.run_id;
    drift.ratio = whole.value();
    for (const auto& [number, round] : rounds) drift.rounds.push_back(round.value());
  }
  return drifts;
}

}  // namespace nsop::judge
