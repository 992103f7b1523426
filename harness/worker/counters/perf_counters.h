// Hardware counters of the calling thread in user mode, through perf_event_open(2): exact where the
// processor's counters are to be had, which few virtual machines allow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/core/sample.h"

namespace nsop::worker {

constexpr size_t kPerfEvents = 3;
// `hw_cycles`, `hw_instructions`, `hw_cache_misses` (of the last level): names of metrics.
const std::array<const char*, kPerfEvents>& perf_event_names();

// The counters at one moment. A counter that had to share its register with others is no count.
struct PerfReading {
  std::array<uint64_t, kPerfEvents> values{};
  std::array<bool, kPerfEvents> known{};
};

class PerfCounters {
 public:
  PerfCounters();  // opens what there is, and starts it
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;
  PerfReading read() const;

 private:
  std::array<int, kPerfEvents> files_{};  // -1: not to be had
};

// What one of so many operations between two readings counted, by name; without what either of them
// doesn't know.
std::map<std::string, double> counted_per_op(const PerfReading& before, const PerfReading& after,
                                             int64_t operations);

// Leaves out the counters that not every repetition knows; other metrics stay as they are.
void keep_common_counts(std::vector<Repetition>& repetitions);

}  // namespace nsop::worker
