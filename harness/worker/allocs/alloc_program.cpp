// Counts allocations of a program that knows nothing of it and runs under libnsop_alloc.so. No
// header: the loader runs this, and harness/adapters/child_counts.h reads what it writes.
//
// NSOP_COUNT_PROCESS=PATH: of the whole process, from the loading of this library to its exit.
// NSOP_COUNT_LOOPS=PATH: of each loop of Google Benchmark whose library is linked dynamically: its
// functions that begin and end a loop are called through here. A line `ITERATIONS ALLOCS BYTES
// PEAK` each is added to PATH.PID. Variables of another name change nothing.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/core/alloc_api.h"

#define NSOP_EXPORT __attribute__((visibility("default")))

extern "C" void nsop_alloc_resume();

namespace {

constexpr size_t kMostPath = 4096;
char process_path[kMostPath];
char loops_path[kMostPath];
// Loops of several threads at once are none that could be told apart.
std::atomic<int> loops_open{0};

void keep(char (&path)[kMostPath], const char* value) {
  if (value != nullptr && std::strlen(value) < kMostPath) std::strcpy(path, value);
}

// Without an allocation: this runs while a program ends.
void add_line(const char* path, int64_t iterations) {
  NsopAllocTotals t{};
  nsop_alloc_snap(&t);
  char file[kMostPath + 32], line[128];
  std::snprintf(file, sizeof(file), "%s.%ld", path, static_cast<long>(getpid()));
  const int length =
      std::snprintf(line, sizeof(line), "%lld %lld %lld %lld\n", static_cast<long long>(iterations),
                    static_cast<long long>(t.allocs), static_cast<long long>(t.requested_bytes),
                    static_cast<long long>(t.peak_live_bytes));
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (write(fd, line, static_cast<size_t>(length)) != length) unlink(file);
  close(fd);
}

__attribute__((constructor)) void begin() {
  keep(process_path, std::getenv("NSOP_COUNT_PROCESS"));
  keep(loops_path, std::getenv("NSOP_COUNT_LOOPS"));
  if (process_path[0] != '\0') nsop_alloc_start();
}

__attribute__((destructor)) void end() {
  if (process_path[0] == '\0') return;
  nsop_alloc_stop();
  add_line(process_path, 1);
}

using Member = void (*)(void* state);

Member next(const char* name) { return reinterpret_cast<Member>(dlsym(RTLD_NEXT, name)); }

// benchmark::State begins with total_iterations_, batch_leftover_ and max_iterations, each of 64
// bits (benchmark.h of 1.5 to 1.9). The reader compares the last one with what the program reports.
int64_t iterations_of(const void* state) {
  int64_t fields[3];
  std::memcpy(fields, state, sizeof(fields));
  return fields[2];
}

}  // namespace

// NOLINTBEGIN(clang-diagnostic-reserved-identifier,readability-identifier-naming): mangled names of
// benchmark::State's members StartKeepRunning, FinishKeepRunning, PauseTiming and ResumeTiming
extern "C" {
NSOP_EXPORT void _ZN9benchmark5State16StartKeepRunningEv(void* state) {
  static const Member real = next("_ZN9benchmark5State16StartKeepRunningEv");
  real(state);
  if (loops_path[0] != '\0' && loops_open.fetch_add(1) == 0) nsop_alloc_start();
}

NSOP_EXPORT void _ZN9benchmark5State17FinishKeepRunningEv(void* state) {
  static const Member real = next("_ZN9benchmark5State17FinishKeepRunningEv");
  if (loops_path[0] != '\0') {
    nsop_alloc_stop();
    if (loops_open.fetch_sub(1) == 1) add_line(loops_path, iterations_of(state));
  }
  real(state);
}

// PauseTiming() and ResumeTiming() are also called by the two above, within the library.
NSOP_EXPORT void _ZN9benchmark5State11PauseTimingEv(void* state) {
  static const Member real = next("_ZN9benchmark5State11PauseTimingEv");
  if (loops_path[0] != '\0') nsop_alloc_stop();
  real(state);
}

NSOP_EXPORT void _ZN9benchmark5State12ResumeTimingEv(void* state) {
  static const Member real = next("_ZN9benchmark5State12ResumeTimingEv");
  real(state);
  if (loops_path[0] != '\0' && loops_open.load() > 0) nsop_alloc_resume();
}
}
// NOLINTEND(clang-diagnostic-reserved-identifier,readability-identifier-naming)
