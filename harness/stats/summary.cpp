#include "harness/stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "harness/stats/base/repetitions.h"
#include "harness/stats/base/robust.h"
#include "harness/stats/doubts.h"
#include "harness/stats/row_state.h"

namespace nsop::stats {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

constexpr int64_t kLostSlackNs = 20000;  // wall less CPU time below this is the clocks' own

// The least of each clock over the repetitions of an invocation, in ns per operation, and of page
// faults. `lost`: what the CPU did not work in the repetition of the least wall time, as a share.
struct Measured {
  double wall = kNone, clean_wall = kNone, cpu = kNone, faults = kNone, lost = 0;
};

double lost_of(const Repetition& r) {
  const int64_t lost = r.wall_ns - r.process_cpu_ns;
  if (r.process_cpu_ns <= 0 || lost <= kLostSlackNs) return 0;
  return static_cast<double>(lost) / static_cast<double>(r.wall_ns);
}

Measured values_of(const Invocation& invocation) {
  Measured v;
  for (const Repetition& r : invocation.repetitions) {
    const double iterations = static_cast<double>(r.iterations);
    const double wall = static_cast<double>(r.wall_ns) / iterations;
    if (wall < v.wall) v.lost = lost_of(r);
    v.wall = std::min(v.wall, wall);
    if (r.involuntary_switches == 0) v.clean_wall = std::min(v.clean_wall, wall);
    v.cpu = std::min(v.cpu, static_cast<double>(r.process_cpu_ns) / iterations);
    v.faults = std::min(v.faults, static_cast<double>(r.minor_faults) / iterations);
  }
  return v;
}

// Of repetitions that are too few, NaN, unless there are no more than these at all.
double excess_of(const Invocation& invocation, bool by_cpu) {
  const std::vector<double> times = counted_times(invocation, by_cpu);
  if (times.size() < std::min(kFewestRepetitions, invocation.repetitions.size())) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return log_excess(times);
}

// Does the CPU time of the process tell what a row takes?
bool one_cpu_works(const RowSummary& summary) {
  return summary.row.threads == 1 && !summary.on_device;
}

bool all_on_device(const Group& timed) {
  return std::ranges::all_of(timed, [](const Invocation* i) {
    return std::ranges::all_of(i->repetitions,
                               [](const Repetition& r) { return r.metrics.contains("device_ns"); });
  });
}

double verdict_value(const Measured& v, RowSummary& summary) {
  if (one_cpu_works(summary)) {
    if (v.cpu > 0) return v.cpu;
    add_warning(summary, "no CPU clock: the verdict uses wall time");
  }
  return v.clean_wall != kNone ? v.clean_wall : v.wall;
}

void count_repetitions(const Group& timed, RowSummary& summary) {
  int preempted = 0;
  for (const Invocation* i : timed) {
    summary.repetitions += static_cast<int>(i->repetitions.size());
    for (const Repetition& r : i->repetitions) preempted += r.involuntary_switches > 0;
  }
  summary.invocations = static_cast<int>(timed.size());
  summary.preempted_share = static_cast<double>(preempted) / summary.repetitions;
}

void find_times(const Group& timed, RowSummary& summary) {
  constexpr int kRoundsPerSession = 100000;
  constexpr double kWallConfidence = 0.95;
  std::vector<double> logs, faults, lost, excesses, firsts;
  double interrupted = 0;
  for (const Invocation* i : timed) {
    const Measured v = values_of(*i);
    faults.push_back(v.faults);
    lost.push_back(v.lost);
    interrupted += v.clean_wall == kNone;
    summary.wall_values.push_back(v.wall);
    summary.verdict_values.push_back(verdict_value(v, summary));
    const bool by_cpu = one_cpu_works(summary) && v.cpu > 0;
    summary.excess_values.push_back(excess_of(*i, by_cpu));
    if (const auto excess = hidden_excess(*i, by_cpu)) excesses.push_back(*excess);
    if (i->first_ns > 0) firsts.push_back(static_cast<double>(i->first_ns));
    summary.verdict_rounds.push_back(i->session * kRoundsPerSession + i->round);
    logs.push_back(std::log(summary.verdict_values.back()));
  }
  summary.wall_ns = median(summary.wall_values);
  summary.verdict_ns = median(summary.verdict_values);
  summary.faults_per_op = median(faults);
  if (!excesses.empty()) summary.excess = median(excesses);
  if (!firsts.empty()) summary.first_ns = median(firsts);
  if (one_cpu_works(summary)) {
    summary.lost_share = median(lost);
  } else {
    summary.interrupted_share = interrupted / static_cast<double>(timed.size());
  }
  summary.relative_sd = scaled_mad(logs);
  const auto [lo, hi] = std::minmax_element(summary.wall_values.begin(), summary.wall_values.end());
  const auto interval =
      median_interval(summary.wall_values, kWallConfidence).value_or(std::pair{*lo, *hi});
  std::tie(summary.wall_lo_ns, summary.wall_hi_ns) = interval;
}

void find_metrics(const Group& timed, RowSummary& summary) {
  for (const Invocation* i : timed) {
    for (const auto& [name, value] : least_metrics(i->repetitions)) {
      summary.metrics[name].push_back(value);
    }
  }
  std::erase_if(summary.metrics,
                [&](const auto& metric) { return metric.second.size() != timed.size(); });
}

RowSummary summarize_row(const RowKey& row, Group group) {
  std::sort(group.begin(), group.end(), [](const Invocation* a, const Invocation* b) {
    return std::tie(a->session, a->round, a->slot, a->id) <
           std::tie(b->session, b->round, b->slot, b->id);
  });
  const Group timed = timed_invocations(group);
  RowSummary summary;
  summary.row = row;
  add_row_state(group, timed, summary);
  if (summary.status != Status::kOk) return summary;
  count_repetitions(timed, summary);
  summary.on_device = all_on_device(timed);
  const std::string why_not = other_thread_worked(timed, summary);
  if (!why_not.empty()) {
    set_failure(summary, Status::kError, why_not);
    return summary;
  }
  find_times(timed, summary);
  find_metrics(timed, summary);
  add_timing_doubts(timed, summary);
  return summary;
}

}  // namespace

std::vector<RowSummary> summarize(const std::vector<Invocation>& invocations) {
  std::map<RowKey, Group> groups;
  for (const Invocation& invocation : invocations) groups[invocation.row].push_back(&invocation);
  std::vector<RowSummary> summaries;
  for (const auto& [row, group] : groups) summaries.push_back(summarize_row(row, group));
  return summaries;
}

}  // namespace nsop::stats
