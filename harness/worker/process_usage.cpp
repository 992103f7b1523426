#include "harness/worker/process_usage.h"

#include <sys/resource.h>

namespace nsop::worker {

ProcessUsage process_usage() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {usage.ru_nivcsw, usage.ru_minflt, usage.ru_majflt};
}

}  // namespace nsop::worker
