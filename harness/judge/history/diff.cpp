#include "harness/judge/history/diff.h"

#include <algorithm>
#include <map>
#include <string>

#include "harness/core/identity.h"
#include "harness/judge/history/nights.h"

namespace nsop::judge {
namespace {

using stats::DiffRow;
using stats::Verdict;

// Runs that the noise is learned from: of the machine as it is, and as quickly after years.
constexpr size_t kRunsForNoise = 100;

// Steps of every row of the run.
stats::LearnedTau learn(const store::Store& store, const DiffSide& after) {
  std::map<RowKey, std::vector<double>> steps;
  StoredLines past(store, after.host.id, kRunsForNoise);
  for (const stats::RowSummary& row : after.rows) {
    std::vector<stats::RunValue> values;
    for (const Point& point : past.of(row.row)) {
      const auto at = utc_seconds(point.started_utc.str());
      if (point.ns > 0 && at) values.push_back({point.ns, *at, point.segment});
    }
    steps[row.row] = stats::run_steps(values);
  }
  return stats::learn_tau(steps);
}

bool in_both(const DiffRow& row) { return row.before && row.after; }

}  // namespace

RunDiff diff_runs(const store::Store& store, const DiffSide& before, const DiffSide& after) {
  std::map<std::string, Build> builds;
  for (const DiffSide* side : {&before, &after}) {
    for (const Build& build : side->builds) builds[build.id] = build;
  }
  std::map<std::string, CaseFacts> facts = before.run.facts;
  facts.insert(after.run.facts.begin(), after.run.facts.end());
  RunDiff result;
  result.learned = learn(store, after);
  result.policy = stats::with_learned_tau(
      stats::noisier(stats::default_policy(after.host, after.run.conditions),
                     stats::default_policy(before.host, before.run.conditions)),
      result.learned);
  result.diff =
      stats::diff(before.rows, after.rows, facts, before.host, after.host, result.policy, builds);
  return result;
}

bool has_common_row(const stats::Diff& diff) {
  return std::any_of(diff.rows.begin(), diff.rows.end(), in_both);
}

// Of rows of one run only, nothing is known; that they are new is known when the run before ended.
ExitCode exit_of(const stats::Diff& diff, bool both_complete) {
  const auto any = [&](auto&& is) { return std::any_of(diff.rows.begin(), diff.rows.end(), is); };
  if (any([](const DiffRow& row) { return row.overall == Verdict::kWorse; })) {
    return ExitCode::kFailed;
  }
  const bool inconclusive = !diff.comparable || any([](const DiffRow& row) {
    return row.overall == Verdict::kInconclusive || row.overall == Verdict::kIncomparable ||
           (row.overall == Verdict::kMissing && row.before->status == Status::kOk);
  });
  const bool unreached = !both_complete && any([](const DiffRow& row) { return !in_both(row); });
  return inconclusive || unreached || !has_common_row(diff) ? ExitCode::kInconclusive
                                                            : ExitCode::kOk;
}

}  // namespace nsop::judge
