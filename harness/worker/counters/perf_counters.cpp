#include "harness/worker/counters/perf_counters.h"

#if !defined(__EMSCRIPTEN__)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <algorithm>

namespace nsop::worker {
namespace {

struct Event {
  const char* name;
  uint64_t config;
};
#if defined(__EMSCRIPTEN__)  // has no counters
constexpr std::array<Event, kPerfEvents> kEvents = {
    Event{"hw_cycles", 0}, Event{"hw_instructions", 0}, Event{"hw_cache_misses", 0}};

int opened(const Event&) { return -1; }
#else
constexpr std::array<Event, kPerfEvents> kEvents = {
    Event{"hw_cycles", PERF_COUNT_HW_CPU_CYCLES},
    Event{"hw_instructions", PERF_COUNT_HW_INSTRUCTIONS},
    Event{"hw_cache_misses", PERF_COUNT_HW_CACHE_MISSES}};

// -1 where the processor, the hypervisor or the system's rules don't give it.
int opened(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event.config;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr int kThisThread = 0, kAnyCpu = -1, kNoGroup = -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, kThisThread, kAnyCpu, kNoGroup,
                                  PERF_FLAG_FD_CLOEXEC));
}
#endif

}  // namespace

const std::array<const char*, kPerfEvents>& perf_event_names() {
  static const std::array<const char*, kPerfEvents> names = [] {
    std::array<const char*, kPerfEvents> all{};
    std::transform(kEvents.begin(), kEvents.end(), all.begin(), [](auto& e) { return e.name; });
    return all;
  }();
  return names;
}

PerfCounters::PerfCounters() {
  std::transform(kEvents.begin(), kEvents.end(), files_.begin(), opened);
}

PerfCounters::~PerfCounters() {
  for (const int file : files_) {
    if (file >= 0) close(file);
  }
}

PerfReading PerfCounters::read() const {
  PerfReading reading;
  for (size_t i = 0; i < kPerfEvents; ++i) {
    struct {
      uint64_t value, enabled_ns, running_ns;
    } told{};
    if (files_[i] < 0 || ::read(files_[i], &told, sizeof told) != sizeof told) continue;
    reading.values[i] = told.value;
    reading.known[i] = told.running_ns > 0 && told.running_ns == told.enabled_ns;
  }
  return reading;
}

std::map<std::string, double> counted_per_op(const PerfReading& before, const PerfReading& after,
                                             int64_t operations) {
  std::map<std::string, double> metrics;
  for (size_t i = 0; i < kPerfEvents; ++i) {
    if (!before.known[i] || !after.known[i] || after.values[i] < before.values[i]) continue;
    metrics[kEvents[i].name] =
        static_cast<double>(after.values[i] - before.values[i]) / static_cast<double>(operations);
  }
  return metrics;
}

void keep_common_counts(std::vector<Repetition>& repetitions) {
  for (const Event& event : kEvents) {
    const bool common = std::ranges::all_of(
        repetitions, [&](const Repetition& one) { return one.metrics.contains(event.name); });
    if (common) continue;
    for (Repetition& one : repetitions) one.metrics.erase(event.name);
  }
}

}  // namespace nsop::worker
