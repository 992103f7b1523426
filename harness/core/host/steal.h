// Time that the hypervisor gave to others while we wanted to run.
#pragma once

#include <string>

namespace nsop {

// Ticks of all CPUs since boot; 0 where the system doesn't tell.
struct CpuTicks {
  double total = 0, stolen = 0;
};
CpuTicks read_cpu_ticks(const std::string& root = "");

// Between two readings, in per cent; 0 when no tick went by.
double stolen_percent(const CpuTicks& before, const CpuTicks& after);

}  // namespace nsop
