// What the system has charged this process with so far, all of its threads together.
#pragma once

#include <cstdint>

namespace nsop::worker {

struct ProcessUsage {
  int64_t involuntary_switches = 0, minor_faults = 0, major_faults = 0;
};
ProcessUsage process_usage();

}  // namespace nsop::worker
