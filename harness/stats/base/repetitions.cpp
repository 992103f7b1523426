#include "harness/stats/base/repetitions.h"

#include "harness/stats/base/robust.h"

namespace nsop::stats {

std::vector<double> counted_times(const Invocation& invocation, bool by_cpu) {
  std::vector<double> times;
  for (const Repetition& r : invocation.repetitions) {
    if (!by_cpu && r.involuntary_switches > 0) continue;
    times.push_back(static_cast<double>(by_cpu ? r.process_cpu_ns : r.wall_ns) /
                    static_cast<double>(r.iterations));
  }
  return times;
}

std::optional<double> hidden_excess(const Invocation& invocation, bool by_cpu) {
  const std::vector<double> times = counted_times(invocation, by_cpu);
  if (times.size() < kFewestRepetitions) return std::nullopt;
  return log_excess(times);
}

}  // namespace nsop::stats
