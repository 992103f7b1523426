#include "harness/judge/gate/probe.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/judge/gate/verdict.h"
#include "harness/stats/base/robust.h"

namespace nsop::judge {
namespace {

constexpr int kInvocations = 8;
constexpr double kMostSd = 0.05;
constexpr double kLeastClean = 0.1;

struct Seen {
  std::vector<double> log_ratios;
  int repetitions = 0, preempted = 0;
  std::string failure;
};

void look(const GateRow& row, Measurer& measurer, Seen& seen) {
  double before = 0;
  for (int i = 0; i < kInvocations; ++i) {
    Invocation invocation = measurer.time(row.key, Arm::kBase, 0);
    for (const Repetition& r : invocation.repetitions) {
      ++seen.repetitions;
      seen.preempted += r.involuntary_switches > 0;
    }
    const auto value = value_of(invocation);
    if (!value) {
      seen.failure = fmt::format("the control row {} failed: {}: {}", row.key.text(),
                                 status_text(invocation.status), invocation.reason);
      return;
    }
    if (before > 0) seen.log_ratios.push_back(std::log(value->verdict_ns / before));
    before = value->verdict_ns;
  }
}

}  // namespace

HostProbe probe_host(const std::vector<GateRow>& rows, Measurer& measurer,
                     const Conditions& conditions, const std::function<CpuTicks()>& ticks) {
  Seen seen;
  const CpuTicks before = ticks();
  for (const GateRow& row : rows) {
    if (row.canary) look(row, measurer, seen);
  }
  HostProbe probe;
  probe.steal_percent = stolen_percent(before, ticks());
  probe.load1 = conditions.load1;
  probe.failure = seen.failure;
  probe.noisy = !seen.failure.empty();
  if (seen.log_ratios.size() < 2) return probe;
  probe.paired_sd = stats::standard_deviation(seen.log_ratios);
  probe.preempted_share = static_cast<double>(seen.preempted) / seen.repetitions;
  probe.noisy |= probe.paired_sd > kMostSd || 1 - probe.preempted_share < kLeastClean;
  return probe;
}

ExitCode exit_of(const HostProbe& found, bool quiet_required) {
  return found.noisy && quiet_required ? ExitCode::kInconclusive : ExitCode::kOk;
}

}  // namespace nsop::judge
