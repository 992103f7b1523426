#include "harness/worker/engine_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"

namespace nsop::worker {
namespace {

// Two readings of three clocks, and an interrupt between them.
constexpr double kReadingCostNs = 20'000;

[[noreturn]] void distrust(const std::string& what) {
  throw environment_error("the measuring engine (" + engine_version() + ") " + what);
}

}  // namespace

void cross_check(const std::vector<EngineRun>& runs, const std::vector<Repetition>& ours) {
  size_t disagree = 0;
  double worst_ns = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    const double gap = std::abs(static_cast<double>(ours[i].wall_ns) - runs[i].wall_ns);
    const bool preempted = ours[i].involuntary_switches > 0;
    if (preempted || gap <= kReadingCostNs || gap <= 0.01 * runs[i].wall_ns) continue;
    ++disagree;
    worst_ns = std::max(worst_ns, gap);
  }
  // A clock of another kind is wrong each time.
  if (disagree >= 2 && 4 * disagree >= 3 * runs.size()) {
    distrust(
        fmt::format("disagrees with CLOCK_MONOTONIC in {} of {} repetitions, by up to {:.0f} ns",
                    disagree, runs.size(), worst_ns));
  }
}

void check_runs(const std::vector<EngineRun>& runs, const std::vector<Repetition>& ours,
                const Plan& plan, const std::string& name, size_t matches) {
  if (matches != 1) distrust(fmt::format("matched {} benchmarks, wanted 1", matches));
  const auto wanted = static_cast<size_t>(plan.repetitions);
  if (runs.size() != wanted || ours.size() != wanted) {
    distrust(
        fmt::format("reported {} runs and made {}, wanted {}", runs.size(), ours.size(), wanted));
  }
  for (size_t i = 0; i < wanted; ++i) {
    if (runs[i].failed) distrust("reported a failed run");
    if (runs[i].name != name) distrust(fmt::format("ran '{}', wanted '{}'", runs[i].name, name));
    if (runs[i].iterations != plan.iterations || ours[i].iterations != plan.iterations) {
      distrust(fmt::format("made {} iterations and reported {}, wanted {}", ours[i].iterations,
                           runs[i].iterations, plan.iterations));
    }
  }
}

}  // namespace nsop::worker
