// Clocks of this process, in nanoseconds; they never fail on Linux.
#pragma once

#include <cstdint>
#include <ctime>

namespace nsop::worker {

inline int64_t clock_ns(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
#if defined(__EMSCRIPTEN__)  // has no such clocks
int64_t process_cpu_ns();    // node's own threads too; in steps of a microsecond
inline int64_t thread_cpu_ns() { return process_cpu_ns(); }
#else
inline int64_t process_cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }
inline int64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
#endif

}  // namespace nsop::worker
