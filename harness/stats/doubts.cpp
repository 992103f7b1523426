#include "harness/stats/doubts.h"

#include <fmt/format.h>

#include <algorithm>

namespace nsop::stats {
namespace {

constexpr double kMostLost = 0.05;  // share of the fastest repetitions' wall time
constexpr double kMostProcessOverThread = 1.02;
constexpr int64_t kClockSlackNs = 20000;  // differences below this are the clocks' own
constexpr int kFewestForInterval = 6;     // invocations; fewer have no finite 95 % interval

bool has_other_thread(const Repetition& r) {
  const int64_t excess = r.process_cpu_ns - r.thread_cpu_ns;
  return r.thread_cpu_ns > 0 && excess > kClockSlackNs &&
         static_cast<double>(r.process_cpu_ns) >
             kMostProcessOverThread * static_cast<double>(r.thread_cpu_ns);
}

template <typename Predicate>
int count_repetitions(const Group& timed, Predicate predicate) {
  int n = 0;
  for (const Invocation* invocation : timed) {
    n += static_cast<int>(
        std::count_if(invocation->repetitions.begin(), invocation->repetitions.end(), predicate));
  }
  return n;
}

// Faults in every repetition are part of the operation; a few in some are the system's business.
void add_fault_doubts(const Group& timed, RowSummary& summary) {
  const auto minor = [](const Repetition& r) { return r.minor_faults > 0; };
  const bool allocates_nothing = summary.allocs && summary.allocs->allocs_per_op == 0;
  if (allocates_nothing && count_repetitions(timed, minor) == summary.repetitions) {
    add_warning(summary, "page faults in every repetition though nothing is allocated");
  }
  const int major =
      count_repetitions(timed, [](const Repetition& r) { return r.major_faults > 0; });
  if (major > 0) {
    add_warning(summary, fmt::format("pages were read from disk in {} of {} repetitions", major,
                                     summary.repetitions));
  }
}

}  // namespace

void add_warning(RowSummary& summary, const std::string& warning) {
  auto& all = summary.warnings;
  if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
}

void add_timing_doubts(const Group& timed, RowSummary& summary) {
  if (summary.invocations < kFewestForInterval) {
    add_warning(summary, fmt::format("fewer than {} invocations: interval is the range",
                                     kFewestForInterval));
  }
  if (summary.lost_share > kMostLost) {
    add_warning(summary, fmt::format("{:.0f} % of the time of even the fastest repetitions was "
                                     "lost: the thread waited or its CPU was taken away",
                                     100 * summary.lost_share));
  }
  add_fault_doubts(timed, summary);
}

std::string other_thread_worked(const Group& timed, RowSummary& summary) {
  if (summary.row.threads != 1 || summary.on_device) return {};
  const int hits = count_repetitions(timed, has_other_thread);
  if (hits == 0) return {};
  const std::string text = fmt::format(
      "another thread worked: process CPU time above 1.02 x thread CPU time in {} of {} "
      "repetitions",
      hits, summary.repetitions);
  if (hits > 1 || summary.repetitions < 3) return text;
  add_warning(summary, text);
  return {};
}

}  // namespace nsop::stats
