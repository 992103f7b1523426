// process_usage.h, and the CPU time of clock.h, where node runs the program.
// No header: what EM_JS defines is called in this file alone.
#include <emscripten.h>

#include "harness/worker/clock.h"
#include "harness/worker/process_usage.h"

// Involuntary switches, minor and major faults.
EM_JS(void, nsop_process_usage, (double* counts), {
  const usage = process.resourceUsage();
  HEAPF64[counts / 8] = usage.involuntaryContextSwitches;
  HEAPF64[counts / 8 + 1] = usage.minorPageFault;
  HEAPF64[counts / 8 + 2] = usage.majorPageFault;
});
EM_JS(double, nsop_process_cpu_us, (), {
  const usage = process.cpuUsage();
  return usage.user + usage.system;
});

namespace nsop::worker {

ProcessUsage process_usage() {
  double counts[3] = {};
  nsop_process_usage(counts);
  return {static_cast<int64_t>(counts[0]), static_cast<int64_t>(counts[1]),
          static_cast<int64_t>(counts[2])};
}

int64_t process_cpu_ns() { return static_cast<int64_t>(nsop_process_cpu_us() * 1000); }

}  // namespace nsop::worker
